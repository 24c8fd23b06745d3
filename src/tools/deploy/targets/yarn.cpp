// Hadoop YARN: one NodeManager a machine that knows the NUMA nodes, and containers of a worker's size. YARN binds a
// container to a node, and not to a chiplet.
#include <algorithm>
#include <map>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::string property(const std::string& name, const std::string& value) {
  return "  <property>\n    <name>" + name + "</name>\n    <value>" + value + "</value>\n  </property>\n";
}

std::string site(const Plan& plan, const HostPlan& host) {
  const auto workers = plan.workers_of(host.name);
  std::uint64_t memory = 0;
  std::uint64_t largest = 0;
  std::uint64_t smallest = workers.front()->memory_bytes;
  std::size_t cores = 0;
  std::size_t most = 0;
  std::map<int, std::size_t> cores_at;
  for (const Worker* worker : workers) {
    memory += worker->memory_bytes;
    largest = std::max(largest, worker->memory_bytes);
    smallest = std::min(smallest, worker->memory_bytes);
    cores += worker->cores.size();
    most = std::max(most, worker->cores.size());
    cores_at[worker->nodes.front()] += worker->cores.size();
  }
  std::string text = "<?xml version=\"1.0\"?>\n<!--\n" + heading("", plan) +
                     "A container of a worker's size: " + mib_text(smallest) + " MiB and " +
                     std::to_string(workers.front()->cores.size()) +
                     " vcores. YARN binds it to a NUMA node, not to a chiplet.\n-->\n<configuration>\n";
  text += property("yarn.nodemanager.resource.memory-mb", mib_text(memory));
  text += property("yarn.nodemanager.resource.cpu-vcores", std::to_string(cores));
  text += property("yarn.scheduler.maximum-allocation-mb", mib_text(largest));
  // Whose least is above its most, the scheduler refuses to start.
  constexpr std::uint64_t usual_least = std::uint64_t{1} << 30U;
  if (smallest < usual_least) text += property("yarn.scheduler.minimum-allocation-mb", mib_text(smallest));
  text += property("yarn.scheduler.maximum-allocation-vcores", std::to_string(most));
  text += property("yarn.nodemanager.container-executor.class",
                   "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor");
  const bool numa = workers.front()->memory == Memory::bind && workers.front()->nodes.size() == 1;
  text += property("yarn.nodemanager.numa-awareness.enabled", numa ? "true" : "false");
  if (!numa) return text + "</configuration>\n";
  text += property("yarn.nodemanager.numa-awareness.read-topology", "false");
  std::string ids;
  std::string nodes;
  for (const NodeShare& share : host.memory) {
    const std::string id = std::to_string(share.node);
    ids += (ids.empty() ? "" : ",") + id;
    nodes += property("yarn.nodemanager.numa-awareness." + id + ".memory", mib_text(share.workers_bytes));
    nodes += property("yarn.nodemanager.numa-awareness." + id + ".cpus", std::to_string(cores_at[share.node]));
  }
  return text + property("yarn.nodemanager.numa-awareness.node-ids", ids) + nodes + "</configuration>\n";
}

std::vector<File> yarn_files(const Plan& plan, const TargetOptions& /*options*/) {
  need_memory(plan, "yarn");
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) all.push_back({host.name + "/yarn-site.xml", site(plan, host)});
  return all;
}

}  // namespace

Target yarn_target() {
  return {"yarn", "yarn-site.xml: NUMA awareness and containers of a worker's size", "", yarn_files};
}

}  // namespace charm::deploy
