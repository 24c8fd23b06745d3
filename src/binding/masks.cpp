#include "binding/masks.hpp"

#include <utility>
#include <vector>

namespace charm::binding {
namespace {

template <class F>
CpuSet cpus_where(const Machine& machine, F&& wanted) {
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    if (wanted(core)) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  return CpuSet(std::move(cpus));
}

}  // namespace

CpuSet cpus_of_cores(const Machine& machine, const CoreCpuSet& cores) {
  return cpus_where(machine, [&](const Core& core) { return cores.contains(core.cpu); });
}

CpuSet cpus_of_chiplet(const Machine& machine, int chiplet) {
  return cpus_where(machine, [chiplet](const Core& core) { return core.chiplet == chiplet; });
}

CpuSet cpus_of_node(const Machine& machine, int node) {
  if (node < 0) return machine.allowed_cpus;
  return cpus_where(machine, [node](const Core& core) { return core.node == node; });
}

CpuSet mask_for(const Machine& machine, const WorkerCore& core, Bind bind, const CpuSet& allowed) {
  if (core.cpu < 0 || bind == Bind::none) return {};
  // The machine does not list this cpu, so its chiplet and node are not known.
  if (bind == Bind::core || core.core < 0) return {core.cpu};
  CpuSet mask = bind == Bind::chiplet ? cpus_of_chiplet(machine, core.chiplet) : cpus_of_node(machine, core.node);
  mask &= allowed;
  return mask.empty() ? CpuSet{core.cpu} : mask;
}

CpuSet floating_mask(const Machine& machine, const WorkerCore& core, const CpuSet& allowed) {
  CpuSet mask = cpus_of_chiplet(machine, core.chiplet) & allowed;
  mask.erase(core.cpu);
  return mask.size() > 1 ? mask : allowed;
}

}  // namespace charm::binding
