// Kubernetes with dynamic resource allocation: a ResourceClaim for each worker that names its cpus, and a pod that has
// the claim. The CPU driver (kubernetes-sigs/dra-driver-cpu, 0.2) gives a container the cpus of its claim alone, where
// its devices are single cpus; in its other modes it chooses the cpus itself.
#include <charm/error.hpp>

#include <algorithm>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/pods.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

constexpr int most_devices = 32;  // of a claim, in resource.k8s.io/v1

/// Cpus that are to stay with the system: the driver offers all others.
CpuSet system_cpus(const HostPlan& host) {
  CpuSet cpus;
  for (const LeftOver& rest : host.left_over)
    if (rest.why.starts_with("left to the system")) cpus |= rest.cpus;
  return cpus;
}

std::string claim_name(const Worker& worker) { return "charm-" + lower_case(worker.name) + "-cpus"; }

std::string claim(const Worker& worker) {
  const auto cpus = static_cast<int>(worker.core_cpus.size());
  if (cpus > most_devices) {
    throw Error(Errc::bad_config,
                "target kubernetes-dra: worker " + worker.name + " has " + std::to_string(cpus) +
                    " hardware threads, and a claim has at most " + std::to_string(most_devices) + " devices",
                "plan smaller workers (--policy wic or wicp), or take target kubernetes");
  }
  std::string list;
  for (const int cpu : worker.core_cpus) list += (list.empty() ? "" : ", ") + std::to_string(cpu);
  // Of its whole cores, so that nobody else runs on their other hardware threads.
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: " + claim_name(worker) +
         "\n  labels:\n    app: charm-deploy\nspec:\n  devices:\n    requests:\n      - name: cpus\n        exactly:\n"
         "          deviceClassName: dra.cpu\n          allocationMode: ExactCount\n          count: " +
         std::to_string(cpus) + "\n          selectors:\n            - cel:\n                expression: " +
         yaml_string("device.attributes[\"dra.cpu\"].cpuID in [" + list + "]") + "\n";
}

/// Values for the driver's Helm chart, which are the same on all machines.
std::string driver_values(const Plan& plan) {
  const CpuSet reserved = system_cpus(plan.hosts.front());
  const bool everywhere = std::all_of(plan.hosts.begin(), plan.hosts.end(),
                                      [&](const HostPlan& host) { return system_cpus(host) == reserved; });
  std::string text = "args:\n  cpuDeviceMode: individual\n";
  if (!everywhere)
    return text + "# What is left to the system differs by machine: no claim names it, but none is reserved.\n";
  if (!reserved.empty()) text += "  reservedCPUs: " + yaml_string(reserved.to_text()) + "\n";
  return text;
}

std::vector<File> kubernetes_dra_files(const Plan& plan, const TargetOptions& options) {
  need_memory(plan, "kubernetes-dra");
  std::vector<File> all;
  all.push_back({"driver.yaml", heading("#", plan) + driver_values(plan)});
  std::string pods = heading("#", plan) +
                     "# The kubelet's own CPU manager must be off: cpuManagerPolicy: none.\n"
                     "# The driver binds no memory: pages come from the nodes of a pod's cpus as they are touched.\n";
  for (const HostPlan& host : plan.hosts) {
    for (const Worker* worker : plan.workers_of(host.name))
      pods += claim(*worker) + pod(*worker, options, claim_name(*worker));
  }
  all.push_back({"pods.yaml", pods});
  return all;
}

}  // namespace

Target kubernetes_dra_target() {
  return {"kubernetes-dra", "a claim for each worker's own cpus, by Kubernetes' CPU driver, and a pod that has it",
          "image", kubernetes_dra_files};
}

}  // namespace charm::deploy
