// Spark standalone: spark-env.sh for each worker, and a script that starts the workers of a host bound. Executors
// inherit mask and memory policy from their worker. The master is started once, on the host that --coordinator names.
#include "deploy/command.hpp"
#include "deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// The worker itself only starts executors; what it and they need beside their heap is not in the heap's size.
constexpr int daemon_mb = 256;

std::string spark_environment(const Plan& plan, const Worker& worker) {
  return heading("#", plan) + "SPARK_WORKER_CORES=" + std::to_string(worker.cores.size()) +
         "\nSPARK_WORKER_MEMORY=" + mib_text(worker.heap_bytes) +
         "m\nSPARK_WORKER_PORT=" + std::to_string(worker.port) +
         "\nSPARK_WORKER_WEBUI_PORT=" + std::to_string(worker.web_port) +
         "\nSPARK_WORKER_DIR=" + shell_word(worker.directory + "/work") +
         "\nSPARK_LOCAL_DIRS=" + shell_word(worker.directory + "/local") +
         "\nSPARK_LOG_DIR=" + shell_word(worker.directory + "/logs") +
         "\nSPARK_PID_DIR=" + shell_word(worker.directory) + "\nSPARK_DAEMON_MEMORY=" + std::to_string(daemon_mb) +
         "m\n";
}

std::vector<File> spark_files(const Plan& plan, const TargetOptions& options) {
  need_memory(plan, "spark");
  const std::string master = "spark://" + options.coordinator + ":7077";
  std::vector<File> all;
  for (const Worker& worker : plan.workers)
    all.push_back({worker.name + "/spark-env.sh", spark_environment(plan, worker)});
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      const std::string dir = shell_word(worker.directory);
      return "mkdir -p " + dir + "/work " + dir + "/local " + dir +
             "/logs\n(export SPARK_CONF_DIR=\"$(cd \"$(dirname \"$0\")\" && pwd)/" + worker.name + "\"\nexec " +
             numactl(worker) +
             " \"${SPARK_HOME:?}/bin/spark-class\" org.apache.spark.deploy.worker.Worker \\\n  --cores " +
             std::to_string(worker.cores.size()) + " --memory " + mib_text(worker.heap_bytes) + "m --port " +
             std::to_string(worker.port) + " --webui-port " + std::to_string(worker.web_port) + " --work-dir " + dir +
             "/work \\\n  " + master + " >>" + dir + "/log 2>&1 </dev/null) &\n";
    }));
  }
  all.push_back({"start-master.sh",
                 "#!/bin/sh\n" + heading("#", plan) +
                     "exec \"${SPARK_HOME:?}/bin/spark-class\" org.apache.spark.deploy.master.Master --host " +
                     shell_word(options.coordinator) + " --port 7077\n",
                 true});
  return all;
}

}  // namespace

Target spark_target() {
  return {"spark", "spark-env.sh for each worker and scripts for a standalone cluster", "", spark_files};
}

}  // namespace charm::deploy
