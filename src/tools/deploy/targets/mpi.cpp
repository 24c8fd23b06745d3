// Open MPI (4.1) and MPICH: one rank for each worker, on its cpus. 'charm deploy up' starts Open MPI's mpirun, which
// starts and binds the ranks of this machine; a rank that fails ends them all, and mpirun is started again.
//
// Where several MPI libraries are installed, Debian names their programs mpirun.openmpi and mpiexec.mpich.
// Open MPI reads slots of a rankfile as numbers of hardware threads where rmaps_rank_file_physical is set, and binds to
// their cores. MPICH binds each process of a host to the cpus of one list, the same on all hosts.
#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "tools/deploy/command.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/state.hpp"
#include "tools/deploy/targets/targets.hpp"
#include "tools/os/child.hpp"

namespace charm::deploy {
namespace {

/// The ranks' commands differ (ports, folders), so each finds its own by the number of its rank.
/// \param mark shell text before the command; {} stands for the worker's name. \param after it.
File rank_script(const Plan& plan, const TargetOptions& options, const std::string& variable,
                 const std::string& mark = "", const std::string& after = "") {
  std::string text = "#!/bin/sh\n" + heading("#", plan) + "case ${" + variable + "} in\n";
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker& worker = plan.workers[w];
    std::string before = mark;
    if (const std::size_t name = before.find("{}"); name != std::string::npos) before.replace(name, 2, worker.name);
    if (worker.memory == Memory::bind) before += "numactl --membind=" + worker.nodes.to_text() + " ";
    if (worker.memory == Memory::weighted) before += "numactl --weighted-interleave=" + worker.nodes.to_text() + " ";
    if (worker.memory == Memory::preferred) before += "numactl --preferred=" + worker.nodes.to_text() + " ";
    text += std::to_string(w) + ") mkdir -p " + shell_word(worker.directory) + " && cd " +
            shell_word(worker.directory) + " && exec " + before + shell_line(command_of(options.exec, worker)) + after +
            " ;;\n";
  }
  return {"rank.sh", text + "esac\n", true};
}

/// \param host where every rank runs; empty: the host of its worker.
std::string rank_file(const Plan& plan, const std::string& host) {
  std::string ranks;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker& worker = plan.workers[w];
    ranks += "rank " + std::to_string(w) + "=" + (host.empty() ? worker.host : host) +
             " slot=" + worker.cpus.to_text() + "\n";
  }
  return ranks;
}

std::string hosts_text(const Plan& plan, const std::string& before_count) {
  std::string text;
  for (const HostPlan& host : plan.hosts) {
    text += host.name + before_count + std::to_string(plan.workers_of(host.name).size()) + "\n";
  }
  return text;
}

std::vector<File> openmpi(const Plan& plan, const TargetOptions& options) {
  return {{"rankfile", rank_file(plan, "")},
          {"hostfile", hosts_text(plan, " slots=")},
          rank_script(plan, options, "OMPI_COMM_WORLD_RANK"),
          {"run.sh",
           "#!/bin/sh\n" + heading("#", plan) +
               "exec \"$(command -v mpirun.openmpi || echo mpirun)\" --hostfile hostfile --rankfile rankfile \\\n"
               "  --mca rmaps_rank_file_physical 1 \\\n"
               "  --report-bindings \"$@\" ./rank.sh\n",
           true}};
}

/// mpirun starts it.
Launch openmpi_rank(const Worker& /*worker*/, const TargetOptions& /*options*/) { return {}; }

/// mpirun for the ranks of this machine alone, without a network. What a rank starts is known by the marker of its
/// worker; mpirun's own is in the environment that it hands on.
Launch openmpi_run(const Worker& mpirun, const Plan& plan, const TargetOptions& options) {
  constexpr const char* install = "install it (Debian: openmpi-bin numactl), or start the ranks by --target process";
  if (os::cannot_run("mpirun") != 0)
    throw Error(Errc::bad_input, "Open MPI is not installed: there is no program 'mpirun'", install);
  const bool bound = std::any_of(plan.workers.begin(), plan.workers.end(),
                                 [](const Worker& worker) { return worker.memory != Memory::none; });
  if (bound && os::cannot_run("numactl") != 0)
    throw Error(Errc::bad_input, "there is no program 'numactl', which binds the memory of a rank", install);
  const std::string mark = std::string(marker) + "=\"${" + marker + "%" + coordinator_name + "/}{}/\" ";
  Launch how;
  how.files = {{"rankfile", rank_file(plan, "localhost")},
               {"hostfile", "localhost slots=" + std::to_string(plan.workers.size()) + "\n"},
               rank_script(plan, options, "OMPI_COMM_WORLD_RANK", "env " + mark, " >>log 2>&1 </dev/null")};
  how.words = {"mpirun", "--hostfile", mpirun.directory + "/hostfile", "--rankfile", mpirun.directory + "/rankfile"};
  for (const auto& [name, value] : {std::pair("rmaps_rank_file_physical", "1"), std::pair("plm", "isolated"),
                                    std::pair("oob_tcp_if_include", "lo"), std::pair("btl", "self,vader")}) {
    how.words.insert(how.words.end(), {"--mca", name, value});
  }
  how.words.insert(how.words.end(), {"--report-bindings", "sh", mpirun.directory + "/rank.sh"});
  how.variables = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  return how;
}

/// Open MPI 5 starts ranks by PRRTE, which counts cores in the order of the hardware and knows no numbers of the
/// system. So its rankfile can only name the cores of machines of which the plan has all.
std::vector<File> openmpi5(const Plan& plan, const TargetOptions& options) {
  for (const HostPlan& host : plan.hosts) {
    if (host.cores == host.all_cores) continue;
    throw Error(Errc::bad_config,
                "target openmpi5: the plan may use " + std::to_string(host.cores) + " of the " +
                    std::to_string(host.all_cores) + " cores of " + host.name +
                    ", and a rankfile of Open MPI 5 counts those that mpirun finds there",
                "plan for whole machines, without --cpus and --leave-cores, or take target openmpi and Open MPI 4");
  }
  std::string ranks;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker& worker = plan.workers[w];
    ranks += "rank " + std::to_string(w) + "=" + worker.host + " slot=" + worker.cores.to_text() + "\n";
  }
  return {{"rankfile", ranks},
          {"hostfile", hosts_text(plan, " slots=")},
          rank_script(plan, options, "OMPI_COMM_WORLD_RANK"),
          {"run.sh",
           "#!/bin/sh\n" + heading("#", plan) +
               "exec mpirun --hostfile hostfile --map-by rankfile:file=rankfile --bind-to core \\\n"
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
           "#!/bin/sh\n" + heading("#", plan) + "exec \"$(command -v mpiexec.mpich || echo mpiexec)\" -f hostfile -n " +
               std::to_string(plan.workers.size()) + " \\\n  -bind-to user:" + binding + " \"$@\" ./rank.sh\n",
           true}};
}

}  // namespace

Target openmpi_target() {
  return {"openmpi",    "a rank for each worker, by a rankfile (Open MPI 4); 'charm deploy up' starts mpirun",
          "exec",       openmpi,
          openmpi_rank, openmpi_run};
}
Target openmpi5_target() {
  return {"openmpi5", "the same for Open MPI 5, by a rankfile of PRRTE, whose cores are counted in hardware order",
          "exec", openmpi5};
}
Target mpich_target() { return {"mpich", "mpiexec -bind-to user: with the cpus of each rank", "exec", mpich}; }

}  // namespace charm::deploy
