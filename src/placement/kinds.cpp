#include "placement/kinds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "placement/restrict.hpp"
#include "topology/core_kind_words.hpp"

namespace charm::placement {

std::vector<std::vector<const Core*>> cores_by_kind(const Machine& machine) {
  std::map<CoreKind, std::vector<const Core*>> of_kind;
  for (const Core& core : machine.cores) of_kind[core.kind].push_back(&core);
  std::vector<std::vector<const Core*>> kinds;
  for (auto& [kind, cores] : of_kind) kinds.push_back(std::move(cores));
  return kinds;
}

int usual_cores(const Machine& machine) {
  const auto count = std::count_if(machine.cores.begin(), machine.cores.end(),
                                   [](const Core& core) { return core.kind != CoreKind::low_power; });
  return count > 0 ? static_cast<int>(count) : static_cast<int>(machine.cores.size());
}

Machine without_low_power(const Machine& machine) {
  if (usual_cores(machine) == static_cast<int>(machine.cores.size())) return machine;
  CpuSet cpus;
  for (const Core& core : machine.cores) {
    if (core.kind != CoreKind::low_power) cpus |= core.siblings;
  }
  return restricted(machine, cpus);
}

std::string kinds_text(const Machine& machine) {
  const auto kinds = cores_by_kind(machine);
  std::string text;
  for (const auto& cores : kinds) {
    CpuSet cpus;
    for (const Core* core : cores) cpus |= core->siblings;
    text += (text.empty() ? "" : ", ") + std::to_string(cores.size()) + " " +
            std::string(base::word_of(cores.front()->kind)) + " (cpus " + cpus.to_text() + ")";
  }
  return kinds.size() > 1 ? text : "";
}

}  // namespace charm::placement
