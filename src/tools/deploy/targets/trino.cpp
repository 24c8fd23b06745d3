// Trino and Presto: etc/ for each worker and for a coordinator of its own, which does no work of a worker (OLAP on
// chiplets, section 4.2: Presto's coordinator that shares a worker's core is what makes one worker per core slow).
// 'charm deploy up' starts Trino's servers here, without its launcher, on the loopback address alone.
#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tools/deploy/command.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/programs.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

constexpr int coordinator_port = 8080;

/// Beside its heap the server took 190 MiB where that was small (Trino 368, Java 17), which the plan leaves from here
/// on.
constexpr std::uint64_t least_heap = std::uint64_t{256} << 20U;
constexpr const char* too_small = "and so small a server takes more beside its heap than the plan leaves";

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

/// Three tenths of the heap are for queries, and as much is what the engine does not count. More for queries is refused
/// by Trino up to 368 and Presto, whose limit of a query with its system memory is three tenths by default.
std::string worker_settings(const Worker& worker, const std::string& discovery) {
  const std::uint64_t heap_mb = worker.heap_bytes >> 20U;
  return "coordinator=false\nhttp-server.http.port=" + std::to_string(worker.port) + "\n" + discovery +
         "query.max-memory-per-node=" + std::to_string(heap_mb * 3 / 10) +
         "MB\nmemory.heap-headroom-per-node=" + std::to_string(heap_mb * 3 / 10) +
         "MB\ntask.concurrency=" + std::to_string(task_concurrency(worker.cores.size())) +
         "\ntask.max-worker-threads=" + std::to_string(2 * worker.cpus.size()) + "\n";
}

/// The coordinator keeps queries that have ended, text and plan, in its heap: by default a hundred and all of the last
/// fifteen minutes, which many long INSERT statements filled. Here a tenth of the heap is for them, at 6 MiB each.
std::string coordinator_settings(int port, const std::string& discovery, std::uint64_t heap_bytes) {
  const std::uint64_t kept = std::clamp<std::uint64_t>((heap_bytes >> 20U) / 60, 5, 100);
  return "coordinator=true\nnode-scheduler.include-coordinator=false\nhttp-server.http.port=" + std::to_string(port) +
         "\nquery.max-history=" + std::to_string(kept) + "\nquery.min-expire-age=10s\n" + discovery;
}

/// Shell text that starts a server. \param bound a command before it, with a blank.
std::string started(const std::string& engine, const std::string& name, const std::string& directory,
                    const std::string& bound = "") {
  const std::string dir = shell_word(directory);
  return "mkdir -p " + dir + "\n(here=$(cd \"$(dirname \"$0\")\" && pwd); exec " + bound + "\"${" +
         (engine == "trino" ? "TRINO_HOME" : "PRESTO_HOME") + ":?}/bin/launcher\" run --etc-dir \"$here/" + name +
         "/etc\" --data-dir " + dir + " >>" + dir + "/log 2>&1 </dev/null) &\n";
}

std::vector<File> engine_files(const std::string& engine, const Plan& plan, const TargetOptions& options) {
  need_memory(plan, engine);
  for (const Worker& worker : plan.workers) need_heap(worker, engine, least_heap, too_small);
  keep_off_ports(plan, engine, {coordinator_port});
  const std::string discovery =
      "discovery.uri=http://" + options.coordinator + ":" + std::to_string(coordinator_port) + "\n";
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    const std::uint64_t heap_mb = worker.heap_bytes >> 20U;
    all.push_back({worker.name + "/etc/config.properties", heading("#", plan) + worker_settings(worker, discovery)});
    all.push_back({worker.name + "/etc/node.properties", heading("#", plan) + node(worker.name, worker.directory)});
    all.push_back({worker.name + "/etc/jvm.config", jvm(heap_mb)});
  }
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      return started(engine, worker.name, worker.directory, numactl(worker) + " ");
    }));
  }
  // It may run on any of the machines.
  Worker coordinator;
  coordinator.name = coordinator_name;
  coordinator.heap_bytes = coordinator_heap(plan, plan.hosts.front());
  for (const HostPlan& host : plan.hosts)
    coordinator.heap_bytes = std::min(coordinator.heap_bytes, coordinator_heap(plan, host));
  need_heap(coordinator, engine, least_heap, too_small);
  all.push_back({"coordinator/etc/config.properties",
                 heading("#", plan) + (engine == "presto" ? "discovery-server.enabled=true\n" : "") +
                     coordinator_settings(coordinator_port, discovery, coordinator.heap_bytes)});
  all.push_back(
      {"coordinator/etc/node.properties", heading("#", plan) + node("coordinator", plan.directory + "/coordinator")});
  all.push_back({"coordinator/etc/jvm.config", jvm(coordinator.heap_bytes >> 20U)});
  all.push_back({"coordinator.sh",
                 "#!/bin/sh\n" + heading("#", plan) + "set -eu\n" +
                     started(engine, coordinator_name, plan.directory + "/" + coordinator_name),
                 true});
  return all;
}

std::vector<File> trino(const Plan& plan, const TargetOptions& options) { return engine_files("trino", plan, options); }
std::vector<File> presto(const Plan& plan, const TargetOptions& options) {
  return engine_files("presto", plan, options);
}

/// Catalogs of the installation, else the two that need no data: tpch, which makes it up, and memory.
/// \param heap_mb of the server; tables in memory may have three tenths of it, as much as queries. By default they may
/// have 128 MB, less than TPC-H at a tenth of its scale.
std::string catalog_settings(const std::string& home, std::uint64_t heap_mb, std::vector<File>& files) {
  std::error_code ignored;
  if (std::filesystem::exists(home + "/etc/catalog", ignored)) return "catalog.config-dir=" + home + "/etc/catalog\n";
  files.push_back({"tpch.properties", "connector.name=tpch\ntpch.column-naming=STANDARD\n"});
  files.push_back({"memory.properties",
                   "connector.name=memory\nmemory.max-data-per-node=" + std::to_string(heap_mb * 3 / 10) + "MB\n"});
  return "";
}

/// Without it any program of the machine could join as a server.
std::string shared_secret(const TargetOptions& options) {
  return "internal-communication.shared-secret=" + options.secret + "\n";
}

Launch trino_process(const Worker& worker, const std::string& settings) {
  const std::string home = engine_home("TRINO_HOME", "trino", "lib");
  need_memory(worker, "trino");
  need_heap(worker, "trino", least_heap, too_small);
  Launch how;
  std::string catalogs = catalog_settings(home, worker.heap_bytes >> 20U, how.files);
  if (catalogs.empty()) catalogs = "catalog.config-dir=" + worker.directory + "\n";
  // Not node.data-dir, which is the launcher's.
  how.files.push_back({"config.conf",
                       "# Written by charm deploy up.\n" + settings + "node.environment=charm\nnode.id=" + worker.name +
                           "\nnode.bind-ip=127.0.0.1\nnode.internal-address=127.0.0.1\nplugin.dir=" + home +
                           "/plugin\n" + catalogs,
                       false, true});
  how.words = {java_program(),
               "-server",
               "-Xmx" + mib_text(worker.heap_bytes) + "M",
               "-XX:+UseG1GC",
               "-XX:+ExplicitGCInvokesConcurrent",
               "-XX:+ExitOnOutOfMemoryError",
               "-Djdk.attach.allowAttachSelf=true",
               "-Dconfig=" + worker.directory + "/config.conf",
               "-cp",
               home + "/lib/*",
               "io.trino.server.TrinoServer"};
  return how;
}

std::string discovery_of(const TargetOptions& options) {
  return "discovery.uri=http://" + options.coordinator + ":" + std::to_string(options.coordinator_port) + "\n";
}

Launch trino_worker(const Worker& worker, const TargetOptions& options) {
  return trino_process(worker, worker_settings(worker, discovery_of(options)) + shared_secret(options));
}

Launch trino_coordinator(const Worker& worker, const Plan& /*plan*/, const TargetOptions& options) {
  return trino_process(
      worker, coordinator_settings(worker.port, discovery_of(options), worker.heap_bytes) + shared_secret(options));
}

os::Question trino_question(const Worker& worker) {
  return http_question(worker.port, "/v1/info", "\"starting\":false");
}

}  // namespace

constexpr std::string_view open_to_users =
    "every user who reaches its port may send it queries: it asks for passwords over TLS only, which has to be set up "
    "with a certificate of yours";

Target trino_target() {
  return {"trino",
          "config.properties and the like for workers and coordinator; 'charm deploy up' starts them",
          "",
          trino,
          trino_worker,
          trino_coordinator,
          open_to_users,
          trino_question};
}
Target presto_target() { return {"presto", "the same for Presto", "", presto, nullptr, nullptr, open_to_users}; }

}  // namespace charm::deploy
