#include "steering/masks.hpp"

#include <algorithm>

#include "os/cpu_list.hpp"

namespace charm::steering {
namespace {

template <class F>
std::vector<int> cpus_where(const Machine& machine, F&& wanted) {
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    if (wanted(core)) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace

Bind bind_named(std::string_view word) {
  return word == "chiplet" ? Bind::chiplet : word == "node" ? Bind::node : word == "none" ? Bind::none : Bind::core;
}

std::vector<int> cpus_of_cores(const Machine& machine, const std::vector<int>& cores) {
  return cpus_where(machine,
                    [&](const Core& core) { return std::binary_search(cores.begin(), cores.end(), core.cpu); });
}

std::vector<int> cpus_of_chiplet(const Machine& machine, int chiplet) {
  return cpus_where(machine, [chiplet](const Core& core) { return core.chiplet == chiplet; });
}

std::vector<int> cpus_of_node(const Machine& machine, int node) {
  if (node < 0) return machine.allowed_cpus;
  return cpus_where(machine, [node](const Core& core) { return core.node == node; });
}

std::vector<int> mask_for(const Machine& machine, const WorkerCore& core, Bind bind, const std::vector<int>& allowed) {
  if (core.cpu < 0 || bind == Bind::none) return {};
  // The machine does not list this cpu, so its chiplet and node are not known.
  if (bind == Bind::core || core.core < 0) return {core.cpu};
  std::vector<int> mask = os::in_both(
      bind == Bind::chiplet ? cpus_of_chiplet(machine, core.chiplet) : cpus_of_node(machine, core.node), allowed);
  return mask.empty() ? std::vector<int>{core.cpu} : mask;
}

std::vector<int> floating_mask(const Machine& machine, const WorkerCore& core, const std::vector<int>& allowed) {
  std::vector<int> mask = os::in_both(cpus_of_chiplet(machine, core.chiplet), allowed);
  std::erase(mask, core.cpu);
  return mask.size() > 1 ? mask : allowed;
}

}  // namespace charm::steering
