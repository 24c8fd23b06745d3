#include "ranks/apart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace charm::remote {

CpuSet cpus_of_rank(const Machine& machine, const Crowd& crowd) {
  const std::size_t cores = machine.cores.size();
  const auto index = static_cast<std::size_t>(crowd.index);
  const auto count = static_cast<std::size_t>(crowd.count);
  std::size_t first = cores * index / count;
  std::size_t end = cores * (index + 1) / count;
  if (cores < count) {
    first = index % cores;
    end = first + 1;
  }
  CpuSet cpus;
  for (std::size_t i = first; i < end; ++i) cpus |= machine.cores[i].siblings;
  return cpus;
}

int workers_of_rank(const Machine& machine, const Crowd& crowd) {
  const CpuSet part = cpus_of_rank(machine, crowd);
  const auto cores = static_cast<int>(std::count_if(machine.cores.begin(), machine.cores.end(),
                                                    [&](const Core& core) { return part.contains(core.cpu); }));
  if (machine.cpu_quota <= 0) return cores;
  return std::min(cores, std::max(1, static_cast<int>(std::ceil(machine.cpu_quota))));
}

Leasing leasing(const Machine& machine, const Crowd& crowd, const base::Settings& settings) {
  // A lease moves only workers that are bound.
  if (settings.share.choice == base::Share::off || settings.bind == base::Bind::none || settings.policy == "os")
    return {};
  if (machine.cores.size() < static_cast<std::size_t>(crowd.count))
    return {false, std::to_string(crowd.count) + " ranks take turns on " + std::to_string(machine.cores.size()) +
                       (machine.cores.size() == 1 ? " core" : " cores") + ", without leases"};
  if (!crowd.one_table)
    return {false,
            "the ranks of this host cannot use one table of leases, so each is bound to its part of the cores; "
            "programs beside them may use the same ones"};
  return {true, {}};
}

}  // namespace charm::remote
