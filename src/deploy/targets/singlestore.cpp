// SingleStore: a leaf for each worker, made by memsqlctl and started under numactl, which is how the engine is bound.
// Releases that have it bind leaves to last-level caches by 'memsqlctl optimize --bind-to-l3' instead.
#include "deploy/command.hpp"
#include "deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::vector<File> singlestore_files(const Plan& plan, const TargetOptions& /*options*/) {
  need_memory(plan, "singlestore");
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) {
    all.push_back(start_script(plan, host.name, [&](const Worker& worker) {
      const std::string port = std::to_string(worker.port);
      const std::string dir = shell_word(worker.directory);
      return "mkdir -p " + dir + "\nmemsqlctl create-node --yes --no-start --port " + port + " --base-install-dir " +
             dir + "\nid=$(memsqlctl describe-node --port " + port +
             " --property MemsqlId)\nmemsqlctl update-config --yes --memsql-id \"$id\" --key maximum_memory --value " +
             mib_text(worker.memory_bytes) + "\n" + numactl(worker) +
             " memsqlctl start-node --yes --memsql-id \"$id\"\n";
    }));
  }
  return all;
}

}  // namespace

Target singlestore_target() {
  return {"singlestore", "a leaf for each worker, by memsqlctl and numactl", "", singlestore_files};
}

}  // namespace charm::deploy
