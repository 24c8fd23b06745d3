// Kubernetes: the kubelet's configuration, with which it gives whole cores of one last-level cache and memory of one
// node (static policies, 1.32 and later), and a pod of guaranteed quality for each worker. The kubelet chooses the cpus
// itself: pods have the plan's sizes, not its cpu numbers.
#include <charm/error.hpp>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/pods.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// What no worker has although it may be used: the kubelet's static policy wants cpus for itself and the system.
CpuSet reserved_cpus(const HostPlan& host) {
  CpuSet cpus;
  for (const LeftOver& rest : host.left_over) {
    if (rest.why.starts_with("left to the system") || rest.why.starts_with("not among")) cpus |= rest.cpus;
  }
  if (cpus.empty()) {
    throw Error(Errc::bad_config,
                "target kubernetes: the workers have all cores of " + host.name +
                    ", and the kubelet's static policy needs some for the system",
                "plan with --leave-cores 1");
  }
  return cpus;
}

std::string kubelet(const Plan& plan, const HostPlan& host) {
  std::uint64_t in_mib = 0;
  std::string nodes;
  for (const NodeShare& share : host.memory) {
    in_mib += share.system_bytes >> 20U << 20U;
    nodes += "  - numaNode: " + std::to_string(share.node) +
             "\n    limits:\n      memory: " + mib_text(share.system_bytes) + "Mi\n";
  }
  // The kubelet wants systemReserved and evictionHard together to be the sum of reservedMemory.
  constexpr std::uint64_t eviction = std::uint64_t{100} << 20U;
  if (in_mib < 2 * eviction) {
    throw Error(Errc::bad_config, "target kubernetes: 200 MiB or more of " + host.name + " must be left to the system",
                "give a larger --reserve");
  }
  const bool one_node = plan.policy != Policy::wim || host.memory.size() == 1;
  return heading("#", plan) +
         "# Kubernetes 1.32 and 1.33 take prefer-align-cpus-by-uncorecache only with this:\n# featureGates:\n"
         "#   CPUManagerPolicyAlphaOptions: true\n"
         "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncpuManagerPolicy: static\n"
         "cpuManagerPolicyOptions:\n  full-pcpus-only: \"true\"\n  prefer-align-cpus-by-uncorecache: \"true\"\n"
         "reservedSystemCPUs: " +
         yaml_string(reserved_cpus(host).to_text()) +
         "\ntopologyManagerPolicy: " + (one_node ? "single-numa-node" : "restricted") +
         "\ntopologyManagerScope: pod\nmemoryManagerPolicy: Static\nsystemReserved:\n  memory: " +
         mib_text(in_mib - eviction) + "Mi\nevictionHard:\n  memory.available: " + mib_text(eviction) +
         "Mi\nreservedMemory:\n" + nodes;
}

std::vector<File> kubernetes_files(const Plan& plan, const TargetOptions& options) {
  need_memory(plan, "kubernetes");
  if (plan.shape == Shape::mixed) {
    throw Error(Errc::bad_config, "target kubernetes: the kubelet packs a pod's cores on few chiplets",
                "take --shape local, or another target for mixed workers");
  }
  std::vector<File> all;
  std::string pods = heading("#", plan);
  for (const HostPlan& host : plan.hosts) {
    all.push_back({"kubelet-" + host.name + ".yaml", kubelet(plan, host)});
    for (const Worker* worker : plan.workers_of(host.name)) pods += pod(*worker, options);
  }
  all.push_back({"pods.yaml", pods});
  return all;
}

}  // namespace

Target kubernetes_target() {
  return {"kubernetes", "the kubelet's static policies and a guaranteed pod for each worker", "image",
          kubernetes_files};
}

}  // namespace charm::deploy
