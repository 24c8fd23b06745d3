// Plain processes: a command for each worker, bound by numactl in the script and by itself under `charm deploy up`.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::vector<File> process_files(const Plan& plan, const TargetOptions& options) {
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      const std::string dir = shell_word(worker.directory);
      return "mkdir -p " + dir + "\n(cd " + dir + " && exec " + numactl(worker) + " " +
             shell_line(command_of(options.exec, worker)) + " >>log 2>&1 </dev/null) &\n";
    }));
  }
  return all;
}

Launch process_launch(const Worker& worker, const TargetOptions& options) {
  Launch how;
  how.words = command_of(options.exec, worker);
  return how;
}

}  // namespace

Target process_target() {
  return {"process", "any program, by --exec; 'charm deploy up' starts it", "exec", process_files, process_launch};
}

}  // namespace charm::deploy
