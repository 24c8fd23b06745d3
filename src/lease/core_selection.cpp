#include "lease/core_selection.hpp"

#include <algorithm>
#include <array>

namespace charm::lease {
namespace {

bool has_core(const std::vector<int>& cores, int core) { return std::binary_search(cores.begin(), cores.end(), core); }

}  // namespace

CoreSelection::CoreSelection(const Machine& machine) {
  for (const Core& core : machine.cores) {
    cores_.push_back(core.cpu);
    places_[core.cpu] = {core.chiplet, core.socket};
  }
  std::sort(cores_.begin(), cores_.end());
}

CoreSelection::Place CoreSelection::place(int core) const {
  const auto found = places_.find(core);
  return found == places_.end() ? Place{} : found->second;
}

int CoreSelection::on_chiplet(const std::vector<int>& cores, int chiplet) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).chiplet == chiplet; }));
}

int CoreSelection::on_socket(const std::vector<int>& cores, int socket) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).socket == socket; }));
}

std::vector<int> CoreSelection::choose(std::vector<int> mine, const std::vector<int>& free,
                                       const std::vector<int>& others, const std::vector<int>& busy, int count) const {
  std::vector<int> chosen;
  std::vector<int> left = free;
  while (count > 0 && !left.empty()) {
    // Smallest first: busy; not on a chiplet of mine; how busy that is, and how many others there; away from my socket,
    // or on theirs.
    auto rank = [&](int core) {
      const Place at = place(core);
      const int own = on_chiplet(mine, at.chiplet);
      return std::array<int, 8>{has_core(busy, core),
                                own == 0,
                                -own,
                                on_chiplet(busy, at.chiplet),
                                on_chiplet(others, at.chiplet),
                                -on_socket(mine, at.socket),
                                on_socket(others, at.socket),
                                -on_chiplet(left, at.chiplet)};
    };
    const auto best = std::min_element(left.begin(), left.end(), [&](int a, int b) { return rank(a) < rank(b); });
    // The rest of that chiplet that is as quiet follows: it would be the best anyway.
    const int chiplet = place(*best).chiplet;
    const bool is_busy = has_core(busy, *best);
    std::vector<int> rest;
    for (const int core : left) {
      if (count > 0 && place(core).chiplet == chiplet && has_core(busy, core) == is_busy) {
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

std::vector<int> CoreSelection::surrender(std::vector<int> mine, const std::vector<int>& others,
                                          const std::vector<int>& useful, const std::vector<int>& busy,
                                          int count) const {
  std::vector<int> given;
  for (; count > 0 && !mine.empty(); --count) {
    auto rank = [&](int core) {
      const Place at = place(core);
      return std::array<int, 6>{!has_core(useful, core),         !has_core(busy, core),
                                -on_chiplet(others, at.chiplet), on_socket(mine, at.socket),
                                on_chiplet(mine, at.chiplet),    -core};
    };
    const auto first = std::min_element(mine.begin(), mine.end(), [&](int a, int b) { return rank(a) < rank(b); });
    given.push_back(*first);
    mine.erase(first);
  }
  std::sort(given.begin(), given.end());
  return given;
}

std::optional<std::pair<int, int>> CoreSelection::quieter(const std::vector<int>& mine, const std::vector<int>& free,
                                                          const std::vector<int>& others,
                                                          const std::vector<int>& busy) const {
  const auto from = std::find_if(mine.begin(), mine.end(), [&](int core) { return has_core(busy, core); });
  if (from == mine.end()) return std::nullopt;
  std::vector<int> rest = mine;
  std::erase(rest, *from);
  std::vector<int> quiet = free;
  std::erase_if(quiet, [&](int core) { return has_core(busy, core); });
  const std::vector<int> to = choose(std::move(rest), quiet, others, busy, 1);
  if (to.empty()) return std::nullopt;
  return std::pair(*from, to.front());
}

}  // namespace charm::lease
