#include "tools/attach/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "binding/masks.hpp"
#include "binding/request.hpp"
#include "controller/controller.hpp"
#include "placement/bins.hpp"
#include "placement/kinds.hpp"
#include "placement/memory_rate.hpp"
#include "placement/restrict.hpp"

namespace charm::attach {
namespace {

constexpr const char* kernel_policy = "kernel";

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

/// Smaller for a chiplet that is to be used before another.
std::array<double, 4> rank(const Machine& machine, const Chiplet& chiplet, ChipletOrder order) {
  CoreKind fastest = CoreKind::low_power;
  double capacity = 0;
  for (const int id : chiplet.cores) {
    const Core& core = machine.cores[static_cast<std::size_t>(id)];
    fastest = std::min(fastest, core.kind);
    capacity += core.capacity;
  }
  const auto cores = static_cast<double>(chiplet.cores.size());
  const auto l3_bytes = static_cast<double>(chiplet.l3_bytes);
  const auto memory = static_cast<double>(placement::memory_rate(machine, chiplet.node));
  switch (order) {
    case ChipletOrder::cache:
      return {-l3_bytes, static_cast<double>(fastest), -cores, -memory};
    case ChipletOrder::fast:  // a stacked cache lowers the frequency of its cores, which not every system tells
      return {-capacity / cores, l3_bytes, -cores, -memory};
    case ChipletOrder::cores:
      return {-cores, -memory};
    case ChipletOrder::usual:
      break;
  }
  return {static_cast<double>(fastest), -cores, -memory};
}

}  // namespace

Machine first_chiplets(const Machine& machine, int chiplets, ChipletOrder order) {
  std::vector<std::pair<std::array<double, 4>, const Chiplet*>> ranked;
  for (const Chiplet& chiplet : machine.chiplets) ranked.emplace_back(rank(machine, chiplet, order), &chiplet);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  CpuSet cpus;
  for (std::size_t c = 0; c < ranked.size() && c < static_cast<std::size_t>(chiplets); ++c) {
    for (const int core : ranked[c].second->cores) cpus |= machine.cores[static_cast<std::size_t>(core)].siblings;
  }
  return placement::restricted(machine, cpus);
}

int cores_of_chiplets(const Machine& machine, int chiplets, ChipletOrder order) {
  const bool all = chiplets <= 0 || static_cast<std::size_t>(chiplets) >= machine.chiplets.size();
  return static_cast<int>((all ? machine : first_chiplets(machine, chiplets, order)).cores.size());
}

std::string spec_for(const PlanRequest& asked, const base::Settings& settings) {
  std::string spec = asked.policy.empty() ? settings.policy : asked.policy;
  if (spec.starts_with(std::string(kernel_policy) + ":"))
    throw Error(Errc::bad_config, "the policy kernel has no parameters, but '" + spec + "' was given",
                "give kernel alone");
  if (spec == kernel_policy) spec = "adaptive";  // for its levels; nothing is decided among them
  const auto colon = spec.find(':');
  const std::string parameters = colon == std::string::npos ? "" : "," + spec.substr(colon + 1);
  if (spec.substr(0, colon) == "adaptive" && parameters.find(",tick=") == std::string::npos)
    spec = "adaptive:tick=0.2" + parameters;
  controller::moves(spec);  // throws an error that lists the policies if there is no such one
  return spec;
}

AttachPlan make_plan(const Machine& machine, const PlanRequest& asked, const base::Settings& settings) {
  AttachPlan plan;
  plan.spec = spec_for(asked, settings);
  plan.request = binding::placement_request(settings);
  plan.request.smt = asked.smt.value_or(settings.smt == base::Smt::on);
  plan.bind = settings.bind;
  plan.by_kernel = (asked.policy.empty() ? settings.policy : asked.policy) == kernel_policy;
  if (plan.by_kernel) plan.bind = base::Bind::chiplet;
  plan.chiplet_order = asked.chiplet_order;
  plan.workers = asked.workers;

  Machine left = machine;
  if (asked.cpus) {
    const CpuSet beyond = *asked.cpus - machine.allowed_cpus;
    if (!beyond.empty() || asked.cpus->empty()) {
      throw Error(Errc::bad_input,
                  beyond.empty() ? std::string("--cpus names no cpu")
                                 : "--cpus: cpu " + beyond.to_text() + " may not be used here",
                  "choose among " + machine.allowed_cpus.to_text());
    }
    left = placement::restricted(machine, *asked.cpus);
  } else {
    left = placement::without_low_power(machine);
  }
  const int there = static_cast<int>(left.chiplets.size());
  if (asked.chiplets > there) {
    throw Error(Errc::bad_input,
                "--chiplets " + std::to_string(asked.chiplets) + ": there " +
                    (there == 1 ? "is 1 chiplet" : "are " + std::to_string(there) + " chiplets") + " to use",
                "ask for at most " + std::to_string(there) + "; 'charm topo' shows them");
  }
  if (asked.chiplets > 0) left = first_chiplets(left, asked.chiplets, asked.chiplet_order);
  const bool unbound = plan.spec == "os";
  use(plan, std::move(left), plan.request.smt || unbound || plan.by_kernel || !asked.size);
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
