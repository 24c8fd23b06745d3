#include "tools/attach/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <numeric>

#include "binding/masks.hpp"
#include "binding/request.hpp"
#include "controller/controller.hpp"
#include "placement/bins.hpp"
#include "placement/memory_rate.hpp"
#include "placement/restrict.hpp"

namespace charm::attach {
namespace {

/// What the program may run on: all hardware threads of the machine, or the first of each core, which is what pools of
/// threads then count.
CpuSet start_cpus(const Machine& machine, bool all_threads) {
  if (all_threads) return machine.allowed_cpus;
  CpuSet cpus;
  for (const Core& core : machine.cores) cpus.insert(core.cpu);
  return cpus;
}

void use(AttachPlan& plan, Machine machine, bool all_threads) {
  plan.machine = std::move(machine);
  plan.cpus = start_cpus(plan.machine, all_threads);
  plan.cores = placement::capacity(plan.machine, plan.request.smt);
}

std::vector<int> sizes_of_chiplets(const Machine& machine) {
  std::vector<int> sizes;
  for (const Chiplet& chiplet : machine.chiplets) sizes.push_back(static_cast<int>(chiplet.cores.size()));
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

}  // namespace

Machine largest_chiplets(const Machine& machine, int chiplets) {
  std::vector<const Chiplet*> order;
  for (const Chiplet& chiplet : machine.chiplets) order.push_back(&chiplet);
  std::sort(order.begin(), order.end(), [&](const Chiplet* a, const Chiplet* b) {
    if (a->cores.size() != b->cores.size()) return a->cores.size() > b->cores.size();
    const long of_a = placement::memory_rate(machine, a->node), of_b = placement::memory_rate(machine, b->node);
    return of_a != of_b ? of_a > of_b : a->id < b->id;
  });
  CpuSet cpus;
  for (std::size_t c = 0; c < order.size() && c < static_cast<std::size_t>(chiplets); ++c) {
    for (const int core : order[c]->cores) cpus |= machine.cores[static_cast<std::size_t>(core)].siblings;
  }
  return placement::restricted(machine, cpus);
}

int cores_of_chiplets(const Machine& machine, int chiplets) {
  const std::vector<int> sizes = sizes_of_chiplets(machine);
  const auto end =
      chiplets <= 0 || static_cast<std::size_t>(chiplets) >= sizes.size() ? sizes.end() : sizes.begin() + chiplets;
  return std::accumulate(sizes.begin(), end, 0);
}

std::string spec_for(const Wishes& wishes, const base::Settings& settings) {
  base::Settings mine = settings;
  if (!wishes.policy.empty()) mine.policy = wishes.policy;
  const std::string name = mine.policy.substr(0, mine.policy.find(':'));
  if (name == "adaptive") mine.parameters.try_emplace("adaptive_tick", "0.2");
  std::string spec = controller::spec_of(mine);
  controller::moves(spec);  // throws an error that lists the policies if there is no such one
  return spec;
}

AttachPlan make_plan(const Machine& machine, const Wishes& wishes, const base::Settings& settings) {
  AttachPlan plan;
  plan.spec = spec_for(wishes, settings);
  plan.request = binding::placement_request(settings);
  plan.request.smt = wishes.smt.value_or(settings.smt);
  plan.bind = settings.bind;

  Machine left = machine;
  if (wishes.cpus) {
    const CpuSet beyond = *wishes.cpus - machine.allowed_cpus;
    if (!beyond.empty() || wishes.cpus->empty()) {
      throw Error(Errc::bad_input,
                  beyond.empty() ? std::string("--cpus names no cpu")
                                 : "--cpus: cpu " + beyond.to_text() + " may not be used here",
                  "choose among " + machine.allowed_cpus.to_text());
    }
    left = placement::restricted(machine, *wishes.cpus);
  }
  const int there = static_cast<int>(left.chiplets.size());
  if (wishes.chiplets > there) {
    throw Error(Errc::bad_input,
                "--chiplets " + std::to_string(wishes.chiplets) + ": there " +
                    (there == 1 ? "is 1 chiplet" : "are " + std::to_string(there) + " chiplets") + " to use",
                "ask for at most " + std::to_string(there) + "; 'charm topo' shows them");
  }
  if (wishes.chiplets > 0) left = largest_chiplets(left, wishes.chiplets);
  const bool unbound = plan.spec == "os";
  use(plan, std::move(left), plan.request.smt || unbound || !wishes.size);
  return plan;
}

AttachPlan on_cpus(const AttachPlan& plan, const CpuSet& cpus) {
  const CpuSet left = plan.machine.allowed_cpus & cpus;
  AttachPlan less = plan;
  if (left.empty()) return less;  // nothing is left: the program shares what there is
  const bool all_threads = plan.cpus == plan.machine.allowed_cpus;
  use(less, placement::restricted(plan.machine, left), all_threads);
  return less;
}

AttachPlan narrowed(const AttachPlan& plan, const CoreCpuSet& cores) {
  return on_cpus(plan, binding::cpus_of_cores(plan.machine, cores));
}

}  // namespace charm::attach
