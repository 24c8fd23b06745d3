#include "remote/apart.hpp"

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

}  // namespace charm::remote
