// systemd: a service for each worker, with its cpuset and memory policy, and a target that starts all of a host.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// A word of ExecStart=: % is a specifier and $ a variable there, and quotes follow the rules of C.
std::string unit_word(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '%' || c == '$') text += c;
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    text += c;
  }
  return text + "\"";
}

/// Of a path in a setting that is no command line: only % is special.
std::string unit_path(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

std::string unit(const Plan& plan, const Worker& worker, const TargetOptions& options) {
  std::string exec;
  for (const std::string& word : command_of(options.exec, worker)) exec += (exec.empty() ? "" : " ") + unit_word(word);
  std::string text = heading("#", plan) + "[Unit]\nDescription=worker " + worker.name + " on cpus " +
                     worker.cpus.to_text() +
                     "\nPartOf=charm-deploy.target\nStartLimitIntervalSec=0\n\n[Service]\nExecStart=" + exec +
                     "\nWorkingDirectory=" + unit_path(worker.directory) + "\nAllowedCPUs=" + worker.cpus.to_text() +
                     "\nCPUAffinity=" + worker.cpus.to_text() + "\n";
  if (worker.memory == Memory::bind) text += "AllowedMemoryNodes=" + worker.nodes.to_text() + "\n";
  if (worker.memory == Memory::weighted)
    throw Error(Errc::bad_config, "target systemd: NUMAPolicy= does not interleave by weights",
                "take --memory bind or none, or --target process");
  if (worker.memory != Memory::none) {
    text += std::string("NUMAPolicy=") + (worker.memory == Memory::bind ? "bind" : "preferred") +
            "\nNUMAMask=" + worker.nodes.to_text() + "\n";
  }
  if (worker.memory_bytes > 0) text += "MemoryMax=" + mib_text(worker.memory_bytes) + "M\n";
  return text + "Restart=on-failure\nRestartSec=2\n\n[Install]\nWantedBy=charm-deploy.target\n";
}

std::vector<File> systemd_files(const Plan& plan, const TargetOptions& options) {
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) {
    std::string wants;
    std::string folders;
    for (const Worker* worker : plan.workers_of(host.name)) {
      const std::string name = "charm-" + worker->name + ".service";
      all.push_back({host.name + "/" + name, unit(plan, *worker, options)});
      wants += "Wants=" + name + "\n";
      folders += "d \"" + unit_path(worker->directory) + "\" 0755\n";
    }
    all.push_back({host.name + "/charm-deploy.target", heading("#", plan) +
                                                           "[Unit]\nDescription=Workers, one service each\n" + wants +
                                                           "\n[Install]\nWantedBy=multi-user.target\n"});
    all.push_back({host.name + "/charm-deploy.tmpfiles.conf", heading("#", plan) + folders});
  }
  return all;
}

}  // namespace

Target systemd_target() {
  return {"systemd", "services with cpuset, affinity, memory policy and limit, and a target for all", "exec",
          systemd_files};
}

}  // namespace charm::deploy
