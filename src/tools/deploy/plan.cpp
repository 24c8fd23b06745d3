#include "tools/deploy/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "placement/kinds.hpp"
#include "tools/deploy/cores.hpp"
#include "tools/deploy/memory.hpp"

namespace charm::deploy {
namespace {

void check_request(std::span<const Host> hosts, const Request& request) {
  const auto refuse = [](const std::string& problem, const std::string& remedy) {
    throw Error(Errc::bad_config, problem, remedy);
  };
  if (request.policy != Policy::wicp && request.shape == Shape::mixed) {
    refuse("--shape mixed is for a worker per chiplet, and --policy is " + std::string(base::word_of(request.policy)),
           "take --policy wicp, or leave --shape out");
  }
  if (request.policy != Policy::wicp && request.per_chiplet != 1) {
    refuse("--per-chiplet is for --policy wicp, and that is " + std::string(base::word_of(request.policy)),
           "take --policy wicp, or leave --per-chiplet out");
  }
  if (request.per_chiplet < 1) refuse("--per-chiplet: there is at least one worker on a chiplet", "give 1 or more");
  if (request.directory.empty() || request.directory.find('\n') != std::string::npos) {
    refuse("--dir names no folder", "give its path");
  }
  std::set<std::string> names;
  for (const Host& host : hosts) {
    if (!names.insert(host.name).second) {
      refuse("two machines are called '" + host.name + "'", "name each: --from HOST=FILE");
    }
    if (hosts.size() > 1 && request.cpus) {
      refuse("--cpus is for one machine, and there are " + std::to_string(hosts.size()), "plan each by itself");
    }
  }
  if (hosts.empty()) refuse("there is no machine to plan for", "give --from, or plan for this machine");
}

/// What makes the workers of a machine unlike each other.
void note_differences(const Machine& machine, const std::vector<Worker>& workers, HostPlan& plan) {
  const auto [fewest, most] = std::minmax_element(
      workers.begin(), workers.end(), [](const Worker& a, const Worker& b) { return a.cores.size() < b.cores.size(); });
  if (fewest->cores.size() != most->cores.size()) {
    plan.notes.push_back("The workers are unequal, of " + std::to_string(fewest->cores.size()) + " to " +
                         base::counted(most->cores.size(), "core") +
                         ": the chiplets or nodes have different numbers of cores to use.");
  }
  const std::string kinds = placement::kinds_text(machine);
  if (kinds.empty()) return;
  std::string both;
  for (const Worker& worker : workers) {
    std::set<CoreKind> has;
    for (const int core : worker.cores) has.insert(machine.cores[at(core)].kind);
    if (has.size() > 1) both += (both.empty() ? "" : ", ") + worker.name;
  }
  plan.notes.push_back("The machine has cores of different speeds (" + kinds + "): " +
                       (both.empty() ? "some workers are slower than others"
                                     : "a part of the threads of " + both + " is slower than the rest") +
                       "; --cpus kind:performance leaves the others out.");
}

void note_mixed(const Machine& machine, const Request& request, HostPlan& plan) {
  if (request.shape != Shape::mixed) return;
  std::map<int, int> chiplets;
  for (const Chiplet& chiplet : machine.chiplets) ++chiplets[chiplet.node];
  const bool single = std::all_of(chiplets.begin(), chiplets.end(), [](const auto& each) { return each.second == 1; });
  if (single) {
    plan.notes.emplace_back(
        "Each NUMA node has a single chiplet: workers that are mixed over the chiplets of their node are as local "
        "ones.");
  }
}

HostPlan plan_host(const Host& host, const Request& request, bool alone, std::vector<Worker>& all) {
  const Usable usable = usable_part(host, request);
  const Machine& machine = usable.machine;
  HostPlan plan;
  plan.name = host.name;
  plan.machine = machine.name;
  plan.origin = machine.origin;
  plan.sockets = static_cast<int>(std::count_if(machine.sockets.begin(), machine.sockets.end(),
                                                [](const Socket& s) { return !s.chiplets.empty(); }));
  plan.nodes = static_cast<int>(
      std::count_if(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return !node.cpus.empty(); }));
  plan.chiplets = static_cast<int>(machine.chiplets.size());
  plan.cores = static_cast<int>(machine.cores.size());
  plan.all_cores = host.machine.total.cores;
  plan.all_cpus = host.machine.total.cpus;
  plan.memory_limit = host.memory_limit;
  plan.left_over = usable.left_over;
  plan.notes = host.machine.doubts;

  std::vector<Worker> workers;
  CpuSet second_threads;
  for (const CoreSet& cores : divide(machine, request)) {
    Worker worker;
    const std::string number = "w" + std::to_string(workers.size());
    worker.name = alone ? number : host.name + "-" + number;
    worker.host = host.name;
    worker.cores = cores;
    for (const int id : cores) {
      const Core& core = machine.cores[at(id)];
      worker.core_cpus |= core.siblings;
      worker.chiplets.insert(core.chiplet);
      if (!request.smt) worker.cpus.insert(core.cpu);
    }
    if (request.smt) worker.cpus = worker.core_cpus;
    second_threads |= worker.core_cpus - worker.cpus;
    worker.port = request.port + 2 * static_cast<int>(workers.size());
    worker.web_port = worker.port + 1;
    worker.directory = request.directory + "/" + worker.name;
    workers.push_back(std::move(worker));
  }
  if (!second_threads.empty()) {
    plan.left_over.push_back(
        {second_threads, {}, "second hardware threads of the workers' cores (--smt gives them to the workers)"});
  }
  constexpr int last_port = 65535;
  if (request.port < 1 || workers.back().web_port > last_port) {
    throw Error(Errc::bad_input,
                base::counted(workers.size(), "worker") + (workers.size() == 1 ? " needs" : " need") + " ports " +
                    std::to_string(request.port) + " to " + std::to_string(workers.back().web_port) +
                    ", and ports are 1 to 65535",
                "give another --port");
  }
  note_differences(machine, workers, plan);
  note_mixed(machine, request, plan);
  share_memory(host, machine, request, workers, plan);
  for (Worker& worker : workers) all.push_back(std::move(worker));
  return plan;
}

}  // namespace

std::vector<const Worker*> Plan::workers_of(const std::string& host) const {
  std::vector<const Worker*> some;
  for (const Worker& worker : workers) {
    if (worker.host == host) some.push_back(&worker);
  }
  return some;
}

Plan make_plan(std::span<const Host> hosts, const Request& request) {
  check_request(hosts, request);
  Plan plan;
  plan.policy = request.policy;
  plan.shape = request.shape;
  plan.per_chiplet = request.per_chiplet;
  plan.smt = request.smt;
  plan.directory = request.directory;
  for (const Host& host : hosts) plan.hosts.push_back(plan_host(host, request, hosts.size() == 1, plan.workers));
  return plan;
}

}  // namespace charm::deploy
