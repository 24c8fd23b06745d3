#include "lease/territory.hpp"

#include <algorithm>
#include <array>

namespace charm::lease {

Territory::Territory(const Machine& machine) {
  for (const Core& core : machine.cores) {
    cores_.push_back(core.cpu);
    places_[core.cpu] = {core.chiplet, core.socket};
  }
  std::sort(cores_.begin(), cores_.end());
}

Territory::Place Territory::place(int core) const {
  const auto found = places_.find(core);
  return found == places_.end() ? Place{} : found->second;
}

int Territory::on_chiplet(const std::vector<int>& cores, int chiplet) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).chiplet == chiplet; }));
}

int Territory::on_socket(const std::vector<int>& cores, int socket) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).socket == socket; }));
}

std::vector<int> Territory::choose(std::vector<int> mine, const std::vector<int>& free, const std::vector<int>& others,
                                   int count) const {
  std::vector<int> chosen;
  std::vector<int> left = free;
  while (count > 0 && !left.empty()) {
    // Smallest first: not on a chiplet of mine; how many others there; away from my socket, or on theirs.
    auto rank = [&](int core) {
      const Place at = place(core);
      const int own = on_chiplet(mine, at.chiplet);
      return std::array<int, 6>{own == 0,
                                -own,
                                on_chiplet(others, at.chiplet),
                                -on_socket(mine, at.socket),
                                on_socket(others, at.socket),
                                -on_chiplet(left, at.chiplet)};
    };
    const auto best = std::min_element(left.begin(), left.end(), [&](int a, int b) { return rank(a) < rank(b); });
    // The rest of that chiplet follows: it would be the best anyway.
    const int chiplet = place(*best).chiplet;
    std::vector<int> rest;
    for (const int core : left) {
      if (count > 0 && place(core).chiplet == chiplet) {
        chosen.push_back(core);
        mine.push_back(core);
        --count;
      } else {
        rest.push_back(core);
      }
    }
    left = std::move(rest);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<int> Territory::surrender(std::vector<int> mine, const std::vector<int>& others,
                                      const std::vector<int>& useful, int count) const {
  std::vector<int> given;
  for (; count > 0 && !mine.empty(); --count) {
    auto rank = [&](int core) {
      const Place at = place(core);
      return std::array<int, 5>{!std::binary_search(useful.begin(), useful.end(), core),
                                -on_chiplet(others, at.chiplet), on_socket(mine, at.socket),
                                on_chiplet(mine, at.chiplet), -core};
    };
    const auto first = std::min_element(mine.begin(), mine.end(), [&](int a, int b) { return rank(a) < rank(b); });
    given.push_back(*first);
    mine.erase(first);
  }
  std::sort(given.begin(), given.end());
  return given;
}

}  // namespace charm::lease
