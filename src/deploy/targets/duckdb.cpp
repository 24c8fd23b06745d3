// DuckDB: an instance for each worker, each with a database of its own.
#include "deploy/command.hpp"
#include "deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::vector<File> duckdb_files(const Plan& plan, const TargetOptions& /*options*/) {
  need_memory(plan, "duckdb");
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    all.push_back({worker.name + ".sql", heading("--", plan) + "SET threads = " + std::to_string(worker.cpus.size()) +
                                             ";\nSET memory_limit = '" + mib_text(worker.memory_bytes * 4 / 5) +
                                             "MiB';\nSET temp_directory = " + sql_text(worker.directory + "/spill") +
                                             ";\n"});
  }
  for (const HostPlan& host : plan.hosts) {
    std::string text =
        "#!/bin/sh\n" + heading("#", plan) + "# Opens the database of a worker: open-" + host.name +
        ".sh NAME [argument of duckdb...]\nset -eu\n"
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\nname=${1:?the name of a worker}\nshift\ncase $name in\n";
    for (const Worker* worker : plan.workers_of(host.name)) {
      const std::string dir = shell_word(worker->directory);
      text += worker->name + ") mkdir -p " + dir + "; exec " + numactl(*worker) + " duckdb -init \"$here/" +
              worker->name + ".sql\" " + dir + "/data.duckdb \"$@\" ;;\n";
    }
    text += "*) echo \"no worker $name on " + host.name + "\" >&2; exit 2 ;;\nesac\n";
    all.push_back({"open-" + host.name + ".sh", text, true});
  }
  return all;
}

}  // namespace

Target duckdb_target() {
  return {"duckdb", "an instance for each worker: threads, memory limit, spill folder", "", duckdb_files};
}

}  // namespace charm::deploy
