#include "tools/deploy/targets/server.hpp"

#include "tools/deploy/command.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/programs.hpp"

namespace charm::deploy {
namespace {

TargetOptions with_port(const Server& server, TargetOptions options) {
  if (options.coordinator_port == 0) options.coordinator_port = server.coordinator_port;
  return options;
}

/// "A=1 B='x y' " before a command; empty without variables.
std::string assignments(const Server& server, const Worker& worker, const TargetOptions& options) {
  std::string text;
  if (server.variables == nullptr) return text;
  for (const auto& [name, value] : server.variables(worker, options)) text += name + "=" + shell_word(value) + " ";
  return text.empty() ? text : "env " + text;
}

/// The program as a script names it, on a machine that need not be this one.
std::string in_script(const Server& server) {
  const std::vector<std::string> names = split_words(server.program);
  std::string found;
  for (const std::string& name : names) found += (found.empty() ? "command -v " : " || command -v ") + name;
  return names.size() == 1 ? names.front() : "\"$(" + found + ")\"";
}

Launch launch(const Server& server, const Worker& worker, const TargetOptions& options, Words arguments) {
  if (server.sized) need_memory(worker, server.name);
  Launch how;
  how.words = {installed_program(server.program, server.name, server.install)};
  how.words.insert(how.words.end(), arguments.begin(), arguments.end());
  if (server.files != nullptr) how.files = server.files(worker, options);
  if (server.variables != nullptr) how.variables = server.variables(worker, options);
  how.web_port = server.web_port;
  how.stop_signal = server.stop_signal;
  if (server.prepare != nullptr) server.prepare(worker, how);
  return how;
}

}  // namespace

std::string coordinator_address(const TargetOptions& options) {
  return options.coordinator + ":" + std::to_string(options.coordinator_port);
}

std::vector<File> server_files(const Server& server, const Plan& plan, const TargetOptions& given) {
  const TargetOptions options = with_port(server, given);
  if (server.sized) need_memory(plan, server.name);
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    if (server.files == nullptr) break;
    for (File file : server.files(worker, options)) {
      file.path = worker.name + "/" + file.path;
      all.push_back(std::move(file));
    }
  }
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      const std::string dir = shell_word(worker.directory);
      const std::string copy =
          server.files == nullptr ? "" : "cp \"$(dirname \"$0\")/" + worker.name + "\"/* " + dir + "\n";
      return "mkdir -p " + dir + "\n" + copy + "(cd " + dir + " && exec " + assignments(server, worker, options) +
             numactl(worker) + " " + in_script(server) + " " + shell_line(server.arguments(worker, options)) +
             " >>log 2>&1 </dev/null) &\n";
    }));
  }
  if (server.coordinator == nullptr) return all;
  keep_off_ports(plan, server.name, {server.coordinator_port});
  Worker coordinator;
  coordinator.name = coordinator_name;
  coordinator.host = options.coordinator;
  coordinator.port = server.coordinator_port;
  coordinator.web_port = server.coordinator_port + 1;
  coordinator.directory = plan.directory + "/" + coordinator.name;
  all.push_back({"coordinator.sh",
                 "#!/bin/sh\n" + heading("#", plan) + "exec " + in_script(server) + " " +
                     shell_line(server.coordinator(coordinator, options)) + "\n",
                 true});
  return all;
}

Launch server_launch(const Server& server, const Worker& worker, const TargetOptions& options) {
  return launch(server, worker, options, server.arguments(worker, options));
}

Launch server_coordinator(const Server& server, const Worker& worker, const TargetOptions& given) {
  TargetOptions options = given;
  options.coordinator_port = worker.port;
  Launch how = launch(server, worker, options, server.coordinator(worker, options));
  how.web_port = true;
  return how;
}

}  // namespace charm::deploy
