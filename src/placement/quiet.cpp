#include "placement/quiet.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace charm::placement {
namespace {

bool is_busy(const Core& core, const CpuSet& busy) { return core.siblings.intersects(busy); }

int worker_cores_of(const Core& core, bool smt) { return smt ? static_cast<int>(core.siblings.size()) : 1; }

}  // namespace

CoreCpuSet busy_cores(const Machine& machine, const CpuSet& busy) {
  CoreCpuSet cores;
  for (const Core& core : machine.cores) {
    if (is_busy(core, busy)) cores.insert(core.cpu);
  }
  return cores;
}

CpuSet quiet_cpus(const Machine& machine, const CpuSet& busy, int workers, bool smt) {
  std::vector<const Core*> order;
  std::map<int, int> on_chiplet;  // number of busy cores by chiplet
  for (const Core& core : machine.cores) {
    order.push_back(&core);
    if (is_busy(core, busy)) ++on_chiplet[core.chiplet];
  }
  const auto rank = [&](const Core* core) { return is_busy(*core, busy) ? on_chiplet[core->chiplet] : 0; };
  std::sort(order.begin(), order.end(),
            [&](const Core* a, const Core* b) { return std::pair(rank(a), a->id) < std::pair(rank(b), b->id); });
  std::vector<int> cpus;
  int worker_cores = 0;
  for (const Core* core : order) {
    std::vector<int> threads = core->siblings.values();
    if (rank(core) > 0) {
      if (worker_cores >= workers) break;
      // No core more than is needed: with `smt` a part of the core, the quiet part first.
      const auto key = [&](int cpu) { return std::pair(busy.contains(cpu), cpu); };
      std::sort(threads.begin(), threads.end(), [&](int a, int b) { return key(a) < key(b); });
      if (smt) threads.resize(std::min(threads.size(), static_cast<std::size_t>(workers - worker_cores)));
    }
    worker_cores += smt ? static_cast<int>(threads.size()) : 1;
    cpus.insert(cpus.end(), threads.begin(), threads.end());
  }
  return CpuSet(std::move(cpus));
}

bool quieter_elsewhere(const Machine& machine, const CpuSet& busy, const std::vector<int>& worker_cores, bool smt) {
  int room = 0;
  for (const Core& core : machine.cores) {
    if (!is_busy(core, busy)) room += worker_cores_of(core, smt);
  }
  const auto suffer = std::count_if(worker_cores.begin(), worker_cores.end(), [&](int cpu) {
    const Core* core = machine.core_of_cpu(cpu);
    return core != nullptr && is_busy(*core, busy);
  });
  return suffer > std::max(0, static_cast<int>(worker_cores.size()) - room);
}

}  // namespace charm::placement
