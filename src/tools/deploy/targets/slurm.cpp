// Slurm: a batch script in which each machine has one step with a mask and a memory node for each task, and the
// chiplets as generic resources for the administrator.
#include <charm/error.hpp>

#include "tools/deploy/command.hpp"
#include "tools/deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// "0xff00000000": as --cpu-bind=mask_cpu takes it.
std::string hex_mask(const CpuSet& cpus) {
  constexpr std::size_t bits = 4;
  std::vector<unsigned> digits(static_cast<std::size_t>(cpus.back()) / bits + 1);
  for (const int cpu : cpus) digits[static_cast<std::size_t>(cpu) / bits] |= 1U << (static_cast<unsigned>(cpu) % bits);
  std::string text = "0x";
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) text += "0123456789abcdef"[*digit];
  return text;
}

/// srun binds the memory of a task to one node or to a mask of them; it has no preference.
std::string memory_bind(const std::vector<const Worker*>& workers) {
  if (workers.front()->memory == Memory::none) return "";
  if (workers.front()->memory == Memory::preferred || workers.front()->memory == Memory::weighted) {
    throw Error(Errc::bad_config, "target slurm binds memory, and cannot prefer a node or interleave by weights",
                "take --memory bind or none");
  }
  std::string list;
  for (const Worker* worker : workers) {
    list += (list.empty() ? "" : ",") + hex_mask(CpuSet(worker->nodes.begin(), worker->nodes.end()));
  }
  return " --mem-bind=mask_mem:" + list;
}

File batch(const Plan& plan, const TargetOptions& options) {
  std::string hosts;
  std::string steps;
  for (const HostPlan& host : plan.hosts) {
    const auto workers = plan.workers_of(host.name);
    std::string masks;
    std::string commands;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      masks += (masks.empty() ? "" : ",") + hex_mask(workers[w]->cpus);
      commands += std::to_string(w) + ") mkdir -p " + shell_word(workers[w]->directory) + " && cd " +
                  shell_word(workers[w]->directory) + " && exec " + shell_line(command_of(options.exec, *workers[w])) +
                  " ;;\n";
    }
    hosts += (hosts.empty() ? "" : ",") + host.name;
    steps += "srun --nodes=1 --nodelist=" + host.name + " --ntasks=" + std::to_string(workers.size()) +
             " --overlap --cpu-bind=verbose,mask_cpu:" + masks + memory_bind(workers) +
             " --kill-on-bad-exit=0 \\\n  sh -c " + shell_word("case $SLURM_LOCALID in\n" + commands + "esac") + " &\n";
  }
  return {
      "deploy.sbatch",
      "#!/bin/sh\n" + heading("#", plan) +
          "# The masks are those of whole machines, so the job must have them alone.\n#SBATCH --job-name=charm-deploy\n"
          "#SBATCH --nodes=" +
          std::to_string(plan.hosts.size()) + "\n#SBATCH --nodelist=" + hosts +
          "\n#SBATCH --exclusive\n#SBATCH --mem=0\n" + steps + "wait\n",
      true};
}

/// Each worker's share has a type of its own ("w3"): slurmd refuses several records of one resource that differ in
/// nothing but their cores.
File resources(const Plan& plan) {
  std::string text = heading("#", plan) +
                     "# gres.conf: a worker's share of a machine as the generic resource \"charm\". In slurm.conf:\n"
                     "#   GresTypes=charm\n#   TaskPlugin=task/cgroup,task/affinity\n"
                     "#   SlurmdParameters=l3cache_as_socket\n";
  std::string records;
  for (const HostPlan& host : plan.hosts) {
    // Slurm counts the cores of the whole machine; ours are those that may be used.
    const bool same = host.cores == host.all_cores;
    if (!same) records += "# Cores= is left out for " + host.name + ": not all of its cores may be used.\n";
    std::string types;
    const auto workers = plan.workers_of(host.name);
    for (std::size_t w = 0; w < workers.size(); ++w) {
      const std::string type = "w" + std::to_string(w);
      types += (types.empty() ? "charm:" : ",charm:") + type + ":1";
      records += "NodeName=" + host.name + " Name=charm Type=" + type + " Count=1" +
                 (same ? " Cores=" + workers[w]->cores.to_text() : "") + "\n";
    }
    text += "#   NodeName=" + host.name + " CPUs=" + std::to_string(host.all_cpus) + " Gres=" + types + "\n";
  }
  return {"gres.conf", text + records};
}

std::vector<File> slurm_files(const Plan& plan, const TargetOptions& options) {
  return {batch(plan, options), resources(plan)};
}

}  // namespace

Target slurm_target() {
  return {"slurm", "a batch script with --cpu-bind and --mem-bind masks, and gres.conf", "exec", slurm_files};
}

}  // namespace charm::deploy
