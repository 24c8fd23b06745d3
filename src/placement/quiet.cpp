#include "placement/quiet.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace charm::placement {
namespace {

bool is_loud(const Core& core, const std::vector<int>& loud) {
  return std::any_of(core.siblings.begin(), core.siblings.end(),
                     [&](int cpu) { return std::binary_search(loud.begin(), loud.end(), cpu); });
}

int seats_of(const Core& core, bool smt) { return smt ? static_cast<int>(core.siblings.size()) : 1; }

}  // namespace

std::vector<int> loud_cores(const Machine& machine, const std::vector<int>& loud) {
  std::vector<int> cores;
  for (const Core& core : machine.cores) {
    if (is_loud(core, loud)) cores.push_back(core.cpu);
  }
  std::sort(cores.begin(), cores.end());
  return cores;
}

std::vector<int> quiet_cpus(const Machine& machine, const std::vector<int>& loud, int workers, bool smt) {
  std::vector<const Core*> order;
  std::map<int, int> on_chiplet;  // loud ones
  for (const Core& core : machine.cores) {
    order.push_back(&core);
    if (is_loud(core, loud)) ++on_chiplet[core.chiplet];
  }
  const auto rank = [&](const Core* core) { return is_loud(*core, loud) ? on_chiplet[core->chiplet] : 0; };
  std::sort(order.begin(), order.end(),
            [&](const Core* a, const Core* b) { return std::pair(rank(a), a->id) < std::pair(rank(b), b->id); });
  std::vector<int> cpus;
  int seats = 0;
  for (const Core* core : order) {
    std::vector<int> threads = core->siblings;
    if (rank(core) > 0) {
      if (seats >= workers) break;
      // No seat more than is needed: with `smt` a part of the core, the quiet part first.
      const auto key = [&](int cpu) { return std::pair(std::binary_search(loud.begin(), loud.end(), cpu), cpu); };
      std::sort(threads.begin(), threads.end(), [&](int a, int b) { return key(a) < key(b); });
      if (smt) threads.resize(std::min(threads.size(), static_cast<std::size_t>(workers - seats)));
    }
    seats += smt ? static_cast<int>(threads.size()) : 1;
    cpus.insert(cpus.end(), threads.begin(), threads.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

bool quieter_elsewhere(const Machine& machine, const std::vector<int>& loud, const std::vector<int>& seats, bool smt) {
  int room = 0;
  for (const Core& core : machine.cores) {
    if (!is_loud(core, loud)) room += seats_of(core, smt);
  }
  const auto suffer = std::count_if(seats.begin(), seats.end(), [&](int cpu) {
    const Core* core = machine.core_of_cpu(cpu);
    return core != nullptr && is_loud(*core, loud);
  });
  return suffer > std::max(0, static_cast<int>(seats.size()) - room);
}

}  // namespace charm::placement
