// OpenMP: OMP_PLACES and OMP_PROC_BIND for each worker, a thread on each of its cpus.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::vector<File> openmp_files(const Plan& plan, const TargetOptions& options) {
  std::vector<File> all;
  for (const Worker& worker : plan.workers) {
    std::string places;
    for (const int cpu : worker.cpus) places += (places.empty() ? "{" : ",{") + std::to_string(cpu) + "}";
    all.push_back({worker.name + ".env", heading("#", plan) + "OMP_NUM_THREADS=" + std::to_string(worker.cpus.size()) +
                                             "\nOMP_PLACES=" + places + "\nOMP_PROC_BIND=close\nOMP_DYNAMIC=false\n"});
  }
  if (options.exec.empty()) return all;
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      // The file is read where the script lies, not where it is started.
      return "(set -a; . \"$(dirname \"$0\")/" + worker.name + ".env\"; mkdir -p " + shell_word(worker.directory) +
             "; cd " + shell_word(worker.directory) + "; exec " + numactl(worker) + " " +
             shell_line(command_of(options.exec, worker)) + " >>log 2>&1 </dev/null) &\n";
    }));
  }
  return all;
}

}  // namespace

Target openmp_target() {
  return {"openmp", "OMP_PLACES and OMP_PROC_BIND for each worker; with --exec a script, too", "", openmp_files};
}

}  // namespace charm::deploy
