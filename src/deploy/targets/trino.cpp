// Trino and Presto: etc/ for each worker and for a coordinator of its own, which does no work of a worker (OLAP on
// chiplets, section 4.2: Presto's coordinator that shares a worker's core is what makes one worker per core slow).
#include <algorithm>

#include "deploy/command.hpp"
#include "deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

constexpr int coordinator_port = 8080;

/// Threads of a query's operators on one worker: a power of two.
std::size_t task_concurrency(std::size_t cores) {
  std::size_t power = 1;
  while (power * 2 <= cores) power *= 2;
  return power;
}

std::string jvm(std::uint64_t heap_mb) {
  return "-server\n-Xmx" + std::to_string(heap_mb) +
         "M\n-XX:+UseG1GC\n-XX:+ExplicitGCInvokesConcurrent\n-XX:+HeapDumpOnOutOfMemoryError\n-XX:+"
         "ExitOnOutOfMemoryError\n"
         "-Djdk.attach.allowAttachSelf=true\n";
}

std::string node(const std::string& id, const std::string& directory) {
  return "node.environment=charm\nnode.id=" + id + "\nnode.data-dir=" + directory + "\n";
}

std::vector<File> engine_files(const std::string& engine, const Plan& plan, const TargetOptions& options) {
  need_memory(plan, engine);
  const std::string discovery =
      "discovery.uri=http://" + options.coordinator + ":" + std::to_string(coordinator_port) + "\n";
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    const std::uint64_t heap_mb = worker.heap_bytes >> 20U;
    // Half of the heap is for queries, 3 tenths are what the engine does not count; both are within the heap.
    all.push_back({worker.name + "/etc/config.properties",
                   heading("#", plan) + "coordinator=false\nhttp-server.http.port=" + std::to_string(worker.port) +
                       "\n" + discovery + "query.max-memory-per-node=" + std::to_string(heap_mb / 2) +
                       "MB\nmemory.heap-headroom-per-node=" + std::to_string(heap_mb * 3 / 10) +
                       "MB\ntask.concurrency=" + std::to_string(task_concurrency(worker.cores.size())) +
                       "\ntask.max-worker-threads=" + std::to_string(2 * worker.cpus.size()) + "\n"});
    all.push_back({worker.name + "/etc/node.properties", heading("#", plan) + node(worker.name, worker.directory)});
    all.push_back({worker.name + "/etc/jvm.config", jvm(heap_mb)});
  }
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      const std::string dir = shell_word(worker.directory);
      return "mkdir -p " + dir + "\n(here=$(cd \"$(dirname \"$0\")\" && pwd); exec " + numactl(worker) + " \"${" +
             (engine == "trino" ? "TRINO_HOME" : "PRESTO_HOME") + ":?}/bin/launcher\" run --etc-dir \"$here/" +
             worker.name + "/etc\" --data-dir " + dir + " >>" + dir + "/log 2>&1 </dev/null) &\n";
    }));
  }
  // The coordinator runs in what is left to the system of its machine: at most half of it.
  std::uint64_t system = 0;
  for (const NodeShare& share : plan.hosts.front().memory) system += share.system_bytes;
  const std::uint64_t heap_mb =
      std::max<std::uint64_t>(256, std::min<std::uint64_t>(system / 2, std::uint64_t{8} << 30U) >> 20U);
  all.push_back({"coordinator/etc/config.properties",
                 heading("#", plan) +
                     "coordinator=true\nnode-scheduler.include-coordinator=false\nhttp-server.http.port=" +
                     std::to_string(coordinator_port) + "\n" +
                     (engine == "presto" ? "discovery-server.enabled=true\n" : "") + discovery});
  all.push_back(
      {"coordinator/etc/node.properties", heading("#", plan) + node("coordinator", plan.directory + "/coordinator")});
  all.push_back({"coordinator/etc/jvm.config", jvm(heap_mb)});
  return all;
}

std::vector<File> trino(const Plan& plan, const TargetOptions& options) { return engine_files("trino", plan, options); }
std::vector<File> presto(const Plan& plan, const TargetOptions& options) {
  return engine_files("presto", plan, options);
}

}  // namespace

Target trino_target() {
  return {"trino", "jvm.config, node.properties, config.properties for workers and coordinator", "", trino};
}
Target presto_target() { return {"presto", "the same for Presto", "", presto}; }

}  // namespace charm::deploy
