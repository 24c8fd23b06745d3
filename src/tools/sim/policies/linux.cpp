// linux-6, linux-7.2: what a program has without any tool on today's kernels. Threads begin evenly over all caches and
// nodes; Linux 7.2 then gathers those of a process that is small enough (kernel_gathering.hpp). Pages lie where they
// were touched first, and NUMA balancing moves them to the node that uses them.
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tools/sim/kernel_gathering.hpp"
#include "tools/sim/policies/all.hpp"

namespace charm::sim {
namespace {

using placement::SocketOrder;

constexpr Parameter linux_parameters[] = {
    {"tolerance", 1, "aggr_tolerance: 0 gathers nothing, 100 programs of any size", 0, 100},
    {"numa_balancing", 1, "1: on, as Debian and Ubuntu have it", 0, 1}};

constexpr int long_enough = 1000;  // epochs: some ten seconds

placement::Placement even(const Model& model, int workers) {
  return placed("distributed", model, workers, SocketOrder::balance);
}

/// The same threads on cores of the caches to which the kernel has moved them.
void move_to(const Machine& machine, const KernelGathering& kernel, std::vector<WorkerCore>& worker_cores) {
  std::map<int, std::vector<const Core*>> free;  // by chiplet, those that no thread keeps
  for (const Core& core : machine.cores) free[core.chiplet].push_back(&core);
  const auto take = [&](std::size_t w, const Core& core) {
    worker_cores[w] = {core.id, core.cpu, core.chiplet, core.node, core.socket};
    std::erase(free[core.chiplet], &core);
  };
  for (std::size_t w = 0; w < worker_cores.size(); ++w) {
    if (worker_cores[w].chiplet == kernel.cache_of(w))
      take(w, machine.cores[static_cast<std::size_t>(worker_cores[w].core)]);
  }
  for (std::size_t w = 0; w < worker_cores.size(); ++w) {
    const auto& there = free[kernel.cache_of(w)];
    if (worker_cores[w].chiplet != kernel.cache_of(w) && !there.empty()) take(w, *there.front());
  }
}

SimulationPlan by_kernel(placement::Placement placement, const Arguments& arguments, int nodes) {
  SimulationPlan out;
  out.placement = std::move(placement);
  const bool follows = nodes == 1 || arguments["numa_balancing"] > 0;
  out.habits.home = follows ? AccessHabits::Home::near : AccessHabits::Home::interleaved;
  out.habits.roam = Domain::machine;
  out.habits.tree_barrier = false;
  out.stealing = by_chance;
  return out;
}

SimulationPlan plan_before(const Model& model, const Workload&, int workers, const Arguments& arguments) {
  return by_kernel(even(model, workers), arguments, static_cast<int>(model.machine.nodes.size()));
}

SimulationPlan plan_since(const Model& model, const Workload& workload, int workers, const Arguments& arguments) {
  GatheringKnobs knobs;
  knobs.aggr_tolerance = static_cast<int>(std::lround(arguments["tolerance"]));
  knobs.numa_balancing = arguments["numa_balancing"] > 0 && model.machine.nodes.size() > 1;
  return by_kernel(gathered_by_kernel(model, memory_of(workload, workers), workers, knobs), arguments,
                   static_cast<int>(model.machine.nodes.size()));
}

}  // namespace

placement::Placement gathered_by_kernel(const Model& model, double bytes, int workers, const GatheringKnobs& knobs) {
  const Machine& machine = model.machine;
  std::vector<int> cpus;
  std::vector<double> cache_bytes;
  std::size_t smt = 1;
  for (const Chiplet& chiplet : machine.chiplets) {
    int count = 0;
    for (const int core : chiplet.cores) {
      const std::size_t siblings = machine.cores[static_cast<std::size_t>(core)].siblings.size();
      count += static_cast<int>(siblings);
      smt = std::max(smt, siblings);
    }
    cpus.push_back(count);
    cache_bytes.push_back(static_cast<double>(chiplet.l3_bytes));
  }
  std::vector<WorkerCore> worker_cores = even(model, workers).start();
  KernelGathering kernel(std::move(cpus), std::move(cache_bytes), static_cast<int>(smt), knobs);
  const int process = kernel.add_process(bytes);
  for (const WorkerCore& worker_core : worker_cores) kernel.add_thread(process, worker_core.chiplet);
  kernel.steps(long_enough);
  move_to(machine, kernel, worker_cores);
  std::set<int> chiplets;
  for (const WorkerCore& worker_core : worker_cores) chiplets.insert(worker_core.chiplet);
  const int spread = static_cast<int>(chiplets.size());
  return {{spread}, {std::move(worker_cores)}, spread};
}

constinit const SimulatedPolicy linux_6_policy{"linux-6", "no tool on Linux before 7.2: evenly over all caches",
                                               linux_parameters, false, plan_before};
constinit const SimulatedPolicy linux_72_policy{
    "linux-7.2", "no tool on Linux 7.2: small programs gathered on one cache", linux_parameters, false, plan_since};

}  // namespace charm::sim
