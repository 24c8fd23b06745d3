// SingleStore: a leaf for each worker, made by memsqlctl. With a leaf on each whole chiplet the engine binds them
// itself where its release can ('memsqlctl optimize --bind-to-l3'); else they are started under numactl.
#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

std::vector<File> singlestore_files(const Plan& plan, const TargetOptions& /*options*/) {
  need_memory(plan, "singlestore");
  const bool whole_chiplets = plan.policy == Policy::wicp && plan.shape == Shape::local && plan.per_chiplet == 1;
  std::vector<File> all;
  for (const HostPlan& host : plan.hosts) {
    std::string make, bind, start;
    for (const Worker* worker : plan.workers_of(host.name)) {
      const std::string port = std::to_string(worker->port), dir = shell_word(worker->directory);
      const std::string find = "id=$(memsqlctl describe-node --port " + port + " --property MemsqlId)\n";
      make += "mkdir -p " + dir + "\nmemsqlctl create-node --yes --no-start --port " + port + " --base-install-dir " +
              dir + "\n";
      start += find + "memsqlctl update-config --yes --memsql-id \"$id\" --key maximum_memory --value " +
               mib_text(worker->memory_bytes) + "\n";
      start += whole_chiplets ? "if $own; then memsqlctl start-node --yes --memsql-id \"$id\"\nelse " : "";
      start += numactl(*worker) + " memsqlctl start-node --yes --memsql-id \"$id\"\n";
      if (whole_chiplets) start += "fi\n";
    }
    // Before the limits are set, which it would set, too.
    if (whole_chiplets) {
      bind =
          "own=false\nif memsqlctl optimize --help 2>&1 | grep -q -e --bind-to-l3; then\n"
          "  memsqlctl optimize --yes --bind-to-l3\n  own=true\nfi\n";
    }
    all.push_back(
        {"start-" + host.name + ".sh", "#!/bin/sh\n" + heading("#", plan) + "set -eu\n" + make + bind + start, true});
  }
  return all;
}

}  // namespace

Target singlestore_target() {
  return {"singlestore", "a leaf for each worker, by memsqlctl, bound to its chiplet", "", singlestore_files};
}

}  // namespace charm::deploy
