#include "tools/deploy/coordinator.hpp"

#include <charm/error.hpp>

#include <algorithm>

#include "tools/deploy/memory.hpp"

namespace charm::deploy {

std::uint64_t coordinator_memory(const Plan& plan, const HostPlan& host) {
  std::uint64_t system = 0;
  for (const NodeShare& share : host.memory) system += share.system_bytes;
  if (host.memory_limit > 0) {
    std::uint64_t left = host.memory_limit;
    for (const Worker* worker : plan.workers_of(host.name)) left -= std::min(left, worker->memory_bytes);
    system = std::min(system, left);
  }
  constexpr std::uint64_t most = std::uint64_t{8} << 30U;
  return std::min(system / 2, most);
}

std::uint64_t coordinator_heap(const Plan& plan, const HostPlan& host) {
  return java_heap(coordinator_memory(plan, host));
}

Worker coordinator_of(const Plan& plan) {
  const HostPlan& host = plan.hosts.front();
  Worker all;
  all.name = coordinator_name;
  all.host = host.name;
  for (const LeftOver& rest : host.left_over) {
    if (rest.why.starts_with("left to the system")) all.cpus |= rest.cpus;
  }
  const bool own_cores = !all.cpus.empty();
  int last_port = 0;
  for (const Worker* worker : plan.workers_of(host.name)) {
    last_port = std::max(last_port, worker->web_port);
    if (!own_cores) all.cpus |= worker->cpus;
  }
  all.core_cpus = all.cpus;
  all.memory_bytes = coordinator_memory(plan, host);
  all.heap_bytes = coordinator_heap(plan, host);
  all.port = last_port + 1;
  all.web_port = last_port + 2;
  constexpr int last = 65535;
  if (all.web_port > last) {
    throw Error(Errc::bad_input,
                "the coordinator needs ports " + std::to_string(all.port) + " and " + std::to_string(all.web_port) +
                    ", and ports are 1 to 65535",
                "give a lower --port");
  }
  all.directory = plan.directory + "/" + all.name;
  return all;
}

}  // namespace charm::deploy
