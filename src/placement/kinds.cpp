#include "placement/kinds.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "placement/restrict.hpp"
#include "topology/core_kind_words.hpp"

namespace charm::placement {

namespace {

template <class Wanted>
CpuSet cpus_of(const Machine& machine, Wanted&& wanted) {
  CpuSet cpus;
  for (const Core& core : machine.cores) {
    if (wanted(core.kind)) cpus |= core.siblings;
  }
  return cpus;
}

}  // namespace

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
  return restricted(machine, cpus_of(machine, [](CoreKind kind) { return kind != CoreKind::low_power; }));
}

Machine of_kinds(const Machine& machine, const std::string& kinds) {
  if (kinds.empty() || kinds == "auto") return machine;
  std::set<CoreKind> wanted;
  for (std::size_t from = 0; from <= kinds.size();) {
    const std::size_t comma = std::min(kinds.find(',', from), kinds.size());
    wanted.insert(base::parse_choice<CoreKind>(kinds.substr(from, comma - from), "kinds"));
    from = comma + 1;
  }
  const CpuSet cpus = cpus_of(machine, [&](CoreKind kind) { return wanted.contains(kind); });
  if (cpus.empty()) {
    const std::string there = kinds_text(machine);
    throw Error(Errc::bad_input, "kinds: the machine has no cores of kind " + kinds + " that the process may use",
                there.empty()
                    ? "all of its cores are of one kind, " + std::string(base::word_of(machine.cores.front().kind))
                    : "it has " + there);
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
