// Open MPI (4.1) and MPICH: one rank for each worker, on its cpus.
//
// Open MPI reads slots of a rankfile as numbers of hardware threads where rmaps_rank_file_physical is set, and binds to
// their cores. MPICH binds each process of a host to the cpus of one list, the same on all hosts.
#include <charm/error.hpp>

#include "deploy/command.hpp"
#include "deploy/targets/targets.hpp"

namespace charm::deploy {
namespace {

/// The ranks' commands differ (ports, folders), so each finds its own by the number of its rank.
File rank_script(const Plan& plan, const TargetOptions& options, const std::string& variable) {
  std::string text = "#!/bin/sh\n" + heading("#", plan) + "case ${" + variable + "} in\n";
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker& worker = plan.workers[w];
    std::string memory;
    if (worker.memory == Memory::bind) memory = "numactl --membind=" + worker.nodes.to_text() + " ";
    if (worker.memory == Memory::preferred) memory = "numactl --preferred=" + worker.nodes.to_text() + " ";
    text += std::to_string(w) + ") mkdir -p " + shell_word(worker.directory) + " && cd " +
            shell_word(worker.directory) + " && exec " + memory + shell_line(command_of(options.exec, worker)) +
            " ;;\n";
  }
  return {"rank.sh", text + "esac\n", true};
}

std::string hosts_text(const Plan& plan, const std::string& before_count) {
  std::string text;
  for (const HostPlan& host : plan.hosts) {
    text += host.name + before_count + std::to_string(plan.workers_of(host.name).size()) + "\n";
  }
  return text;
}

std::vector<File> openmpi(const Plan& plan, const TargetOptions& options) {
  std::string ranks;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    ranks +=
        "rank " + std::to_string(w) + "=" + plan.workers[w].host + " slot=" + plan.workers[w].cpus.to_text() + "\n";
  }
  return {{"rankfile", ranks},
          {"hostfile", hosts_text(plan, " slots=")},
          rank_script(plan, options, "OMPI_COMM_WORLD_RANK"),
          {"run.sh",
           "#!/bin/sh\n" + heading("#", plan) +
               "exec mpirun --hostfile hostfile --rankfile rankfile --mca rmaps_rank_file_physical 1 \\\n"
               "  --report-bindings \"$@\" ./rank.sh\n",
           true}};
}

std::vector<File> mpich(const Plan& plan, const TargetOptions& options) {
  std::string binding;
  for (const HostPlan& host : plan.hosts) {
    std::string of_host;
    for (const Worker* worker : plan.workers_of(host.name)) {
      of_host += of_host.empty() ? "" : ",";
      for (const int cpu : worker->cpus) of_host += (cpu == worker->cpus.front() ? "" : "+") + std::to_string(cpu);
    }
    if (!binding.empty() && of_host != binding) {
      throw Error(Errc::bad_config,
                  "target mpich: " + host.name + " has other cpus for its workers than " + plan.hosts.front().name +
                      ", and mpiexec takes one list for all machines",
                  "plan for machines that are alike, or take target openmpi");
    }
    binding = of_host;
  }
  return {{"hostfile", hosts_text(plan, ":")},
          rank_script(plan, options, "PMI_RANK"),
          {"run.sh",
           "#!/bin/sh\n" + heading("#", plan) + "exec mpiexec -f hostfile -n " + std::to_string(plan.workers.size()) +
               " \\\n  -bind-to user:" + binding + " \"$@\" ./rank.sh\n",
           true}};
}

}  // namespace

Target openmpi_target() { return {"openmpi", "a rankfile with the cpus of each rank (Open MPI 4)", "exec", openmpi}; }
Target mpich_target() { return {"mpich", "mpiexec -bind-to user: with the cpus of each rank", "exec", mpich}; }

}  // namespace charm::deploy
