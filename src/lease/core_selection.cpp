#include "lease/core_selection.hpp"

#include <algorithm>
#include <array>

namespace charm::lease {

CoreSelection::CoreSelection(const Machine& machine) {
  for (const Core& core : machine.cores) {
    cores_.insert(core.cpu);
    places_[core.cpu] = {core.chiplet, core.socket, core.kind};
  }
}

CoreSelection::Place CoreSelection::place(int core) const {
  const auto found = places_.find(core);
  return found == places_.end() ? Place{} : found->second;
}

int CoreSelection::on_chiplet(const CoreCpuSet& cores, int chiplet) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).chiplet == chiplet; }));
}

int CoreSelection::on_socket(const CoreCpuSet& cores, int socket) const {
  return static_cast<int>(
      std::count_if(cores.begin(), cores.end(), [&](int core) { return place(core).socket == socket; }));
}

CoreCpuSet CoreSelection::choose(CoreCpuSet mine, const CoreCpuSet& free, const CoreCpuSet& others,
                                 const CoreCpuSet& busy, int count) const {
  CoreCpuSet chosen;
  CoreCpuSet left = free;
  while (count > 0 && !left.empty()) {
    // Smallest first, by: busy; slower; not on a chiplet of mine; number of busy cores there, and of others' cores; not
    // on my socket, or on another holder's.
    auto rank = [&](int core) {
      const Place at = place(core);
      const int own = on_chiplet(mine, at.chiplet);
      return std::array<int, 9>{busy.contains(core),
                                static_cast<int>(at.kind),
                                own == 0,
                                -own,
                                on_chiplet(busy, at.chiplet),
                                on_chiplet(others, at.chiplet),
                                -on_socket(mine, at.socket),
                                on_socket(others, at.socket),
                                -on_chiplet(left, at.chiplet)};
    };
    const auto best = std::min_element(left.begin(), left.end(), [&](int a, int b) { return rank(a) < rank(b); });
    // The equally quiet rest of that chiplet follows, since it would be the best choice next.
    const Place where = place(*best);
    const bool is_busy = busy.contains(*best);
    CoreCpuSet rest;
    for (const int core : left) {
      if (count > 0 && place(core).chiplet == where.chiplet && place(core).kind == where.kind &&
          busy.contains(core) == is_busy) {
        chosen.insert(core);
        mine.insert(core);
        --count;
      } else {
        rest.insert(core);
      }
    }
    left = std::move(rest);
  }
  return chosen;
}

CoreCpuSet CoreSelection::surrender(CoreCpuSet mine, const CoreCpuSet& others, const CoreCpuSet& useful,
                                    const CoreCpuSet& busy, int count) const {
  CoreCpuSet given;
  for (; count > 0 && !mine.empty(); --count) {
    auto rank = [&](int core) {
      const Place at = place(core);
      return std::array<int, 7>{!useful.contains(core),
                                !busy.contains(core),
                                -static_cast<int>(at.kind),
                                -on_chiplet(others, at.chiplet),
                                on_socket(mine, at.socket),
                                on_chiplet(mine, at.chiplet),
                                -core};
    };
    const auto first = std::min_element(mine.begin(), mine.end(), [&](int a, int b) { return rank(a) < rank(b); });
    const int core = *first;
    given.insert(core);
    mine.erase(core);
  }
  return given;
}

std::optional<std::pair<int, int>> CoreSelection::quieter(const CoreCpuSet& mine, const CoreCpuSet& free,
                                                          const CoreCpuSet& others, const CoreCpuSet& busy) const {
  const auto from = std::find_if(mine.begin(), mine.end(), [&](int core) { return busy.contains(core); });
  if (from == mine.end()) return std::nullopt;
  const CoreCpuSet to = choose(mine - CoreCpuSet{*from}, free - busy, others, busy, 1);
  if (to.empty()) return std::nullopt;
  return std::pair(*from, to.front());
}

}  // namespace charm::lease
