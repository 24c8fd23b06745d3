// DuckDB: an instance for each worker, each with a database of its own. 'charm deploy up' starts a process for each
// (duckdb_instance.py), which answers SQL on a socket in the worker's folder; only the user who runs it may ask.
#include <charm/error.hpp>

#include "tools/deploy/command.hpp"
#include "tools/deploy/programs.hpp"
#include "tools/deploy/targets/duckdb_instance.hpp"
#include "tools/deploy/targets/targets.hpp"
#include "tools/os/child.hpp"

namespace charm::deploy {
namespace {

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string settings(const Worker& worker) {
  return "SET threads = " + std::to_string(worker.cpus.size()) + ";\nSET memory_limit = '" +
         mib_text(worker.memory_bytes * 4 / 5) +
         "MiB';\nSET temp_directory = " + sql_text(worker.directory + "/spill") + ";\n";
}

std::vector<File> duckdb_files(const Plan& plan, const TargetOptions& /*options*/) {
  need_memory(plan, "duckdb");
  std::vector<File> all;
  for (const Worker& worker : plan.workers)
    all.push_back({worker.name + ".sql", heading("--", plan) + settings(worker)});
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

Launch duckdb_launch(const Worker& worker, const TargetOptions& /*options*/) {
  if (os::cannot_run("python3") != 0)
    throw Error(Errc::bad_input, "DuckDB's instances need python3, which is not on PATH", "install it");
  const std::string home = engine_home("DUCKDB_PYTHON", "duckdb_python", "duckdb/__init__.py");
  need_memory(worker, "duckdb");
  check_socket_path(worker.directory + "/socket");
  Launch how;
  how.words = {"python3", worker.directory + "/instance.py", home, worker.directory};
  how.files = {{"instance.py", std::string(duckdb_instance)},
               {"settings.sql", "-- Written by charm deploy up.\n" + settings(worker)}};
  return how;
}

os::Question duckdb_question(const Worker& worker) {
  return http_question(0, "/health", "{\"answers\": true}", worker.directory + "/socket");
}

}  // namespace

Target duckdb_target() {
  return {.name = "duckdb",
          .summary = "an instance for each worker: threads, memory, spill folder; 'charm deploy up' starts them",
          .uses = "",
          .files = duckdb_files,
          .launch = duckdb_launch,
          .question = duckdb_question};
}

}  // namespace charm::deploy
