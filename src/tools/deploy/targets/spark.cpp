// Spark standalone: spark-env.sh for each worker, and a script that starts the workers of a host bound. Executors
// inherit mask and memory policy from their worker. The master is started once, on the host that --coordinator names;
// 'charm deploy up' starts master and workers here, where they listen on the loopback address alone.
//
// Whoever may submit a job runs code as the user who runs the workers, so all parts share a secret
// (spark.authenticate). It reaches servers by their environment, which only their user can read, and clients by a file.
#include <charm/error.hpp>

#include <cstdlib>

#include "tools/deploy/command.hpp"
#include "tools/deploy/programs.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// The worker itself only starts executors; what it and they need beside their heap is not in the heap's size.
constexpr int daemon_mb = 256;

/// An executor with less is refused by Spark, and where a worker offers less than it and what Spark adds, none starts
/// and queries wait for ever.
void need_executor(const Worker& worker) {
  constexpr std::uint64_t executor_mb = 450;
  constexpr std::uint64_t beside_mb = 384;  // spark.executor.memoryOverhead by default, at least
  need_heap(worker, "spark", (executor_mb + beside_mb) << 20U, "which Spark's smallest executor needs");
}

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

/// Shell text for scripts: the servers of all hosts read the same secret.
constexpr const char* authenticated =
    "# A file that only you can read, with one long random word, the same on all hosts.\n"
    "_SPARK_AUTH_SECRET=$(cat \"${SPARK_SECRET_FILE:?names the file with the secret of this cluster}\")\n"
    "SPARK_DAEMON_JAVA_OPTS=\"${SPARK_DAEMON_JAVA_OPTS:-} -Dspark.authenticate=true\"\n"
    "export _SPARK_AUTH_SECRET SPARK_DAEMON_JAVA_OPTS\n";

std::vector<File> spark_files(const Plan& plan, const TargetOptions& options) {
  need_memory(plan, "spark");
  for (const Worker& worker : plan.workers) need_executor(worker);
  keep_off_ports(plan, "spark", {7077, 8080});
  const std::string master = "spark://" + options.coordinator + ":7077";
  std::vector<File> all;
  for (const Worker& worker : plan.workers)
    all.push_back({worker.name + "/spark-env.sh", spark_environment(plan, worker)});
  for (const HostPlan& host : plan.hosts) {
    const auto start = [&](const Worker& worker) {
      const std::string dir = shell_word(worker.directory);
      return "mkdir -p " + dir + "/work " + dir + "/local " + dir +
             "/logs\n(export SPARK_CONF_DIR=\"$(cd \"$(dirname \"$0\")\" && pwd)/" + worker.name + "\"\nexec " +
             numactl(worker) +
             " \"${SPARK_HOME:?}/bin/spark-class\" org.apache.spark.deploy.worker.Worker \\\n  --cores " +
             std::to_string(worker.cores.size()) + " --memory " + mib_text(worker.heap_bytes) + "m --port " +
             std::to_string(worker.port) + " --webui-port " + std::to_string(worker.web_port) + " --work-dir " + dir +
             "/work \\\n  " + master + " >>" + dir + "/log 2>&1 </dev/null) &\n";
    };
    all.push_back(start_script(plan, host.name, start, authenticated));
  }
  all.push_back({"master.sh",
                 "#!/bin/sh\n" + heading("#", plan) + "set -eu\n" + authenticated +
                     "exec \"${SPARK_HOME:?}/bin/spark-class\" org.apache.spark.deploy.master.Master --host " +
                     shell_word(options.coordinator) + " --port 7077\n",
                 true});
  return all;
}

constexpr const char* loopback = "127.0.0.1";

/// Of the user, with a blank behind them.
std::string own_java_options() {
  const char* given = std::getenv("SPARK_DAEMON_JAVA_OPTS");
  return given == nullptr || *given == '\0' ? "" : std::string(given) + " ";
}

Launch spark_process(const Worker& worker, const TargetOptions& options, const char* part) {
  java_program();
  const std::string home = engine_home("SPARK_HOME", "spark", "bin/spark-class");
  Launch how;
  how.words = {home + "/bin/spark-class",
               std::string("org.apache.spark.deploy.") + part,
               "--host",
               loopback,
               "--port",
               std::to_string(worker.port),
               "--webui-port",
               std::to_string(worker.web_port)};
  how.variables = {{"SPARK_HOME", home},
                   {"SPARK_LOCAL_IP", loopback},
                   {"SPARK_LOCAL_DIRS", worker.directory + "/local"},
                   {"SPARK_LOG_DIR", worker.directory + "/logs"},
                   {"SPARK_DAEMON_MEMORY", std::to_string(daemon_mb) + "m"},
                   {"SPARK_DAEMON_JAVA_OPTS", own_java_options() + "-Dspark.authenticate=true"},
                   {"_SPARK_AUTH_SECRET", options.secret}};
  how.web_port = true;
  return how;
}

Launch spark_worker(const Worker& worker, const TargetOptions& options) {
  need_memory(worker, "spark");
  need_executor(worker);
  Launch how = spark_process(worker, options, "worker.Worker");
  for (const std::string& word :
       {std::string("--cores"), std::to_string(worker.cores.size()), std::string("--memory"),
        mib_text(worker.heap_bytes) + "m", std::string("--work-dir"), worker.directory + "/work",
        "spark://" + options.coordinator + ":" + std::to_string(options.coordinator_port)}) {
    how.words.push_back(word);
  }
  return how;
}

Launch spark_master(const Worker& worker, const Plan& /*plan*/, const TargetOptions& options) {
  Launch how = spark_process(worker, options, "master.Master");
  how.files.push_back({"client.conf",
                       "spark.master spark://" + std::string(loopback) + ":" + std::to_string(worker.port) +
                           "\nspark.authenticate true\nspark.authenticate.secret " + options.secret + "\n",
                       false, true});
  return how;
}

os::Question spark_question(const Worker& worker) { return http_question(worker.web_port, "/json/", " 200 "); }

}  // namespace

Target spark_target() {
  return {"spark",
          "a standalone cluster: master and workers; 'charm deploy up' starts them",
          "",
          spark_files,
          spark_worker,
          spark_master,
          "Spark takes jobs only from programs that know its secret: 'charm deploy up' writes it for "
          "spark-submit --properties-file DIR/coordinator/client.conf; its web pages can be read by every user of the "
          "machine",
          spark_question};
}

}  // namespace charm::deploy
