// The default controller against the running kernel alone: the same programs with threads that nobody binds. Since
// Linux 7.2 the kernel gathers those of a small program on one cache; before, it divides them evenly. What it does here
// is among the facts of the machine.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double least_share = 0.95;

Plan plan_no_tool(const Context& context) {
  // As many workers as fit on a chiplet: where they stand is open.
  const int workers = chiplet_cores(context.machine());
  Plan out{.x = "workers", .y = "speed under the controller over that without a tool"};
  const BenchRows rows{.policies = {"adaptive", "os"},
                       .workers = workers,
                       .trials = context.quick() ? 5 : 15,
                       .trial_seconds = context.quick() ? 3.0 : 10.0};
  out.notes = {
      "Without a tool: CHARM's runtime with workers that nobody binds (the policy os), so that only the "
      "placement differs. The prediction is for Linux " +
      std::string(context.facts.kernel_gathers ? "7.2, which gathers" : "before 7.2, which divides") +
      " threads by caches."};
  const double seconds = context.quick() ? 35 : 330;
  add_bench(out, context, "Graph500 with and without", graph_input({"graph500"}, graph_scale(context)), rows, seconds);
  add_bench(out, context, "random access with and without", gups_input(context), rows, seconds);
  for (const std::string kernel : {"graph500", "gups"}) {
    out.points.push_back({.series = kernel,
                          .x = static_cast<double>(workers),
                          .first = row(kernel, "charm", "adaptive", workers),
                          .second = row(kernel, "charm", "os", workers),
                          .expect = Expect::at_least,
                          .bound = least_share,
                          .decided = true});
  }
  return out;
}

}  // namespace

constinit const Experiment no_tool{.name = "no-tool",
                                   .title = "The controller against the kernel alone",
                                   .claim =
                                       "Programs under the adaptive controller have at least 95 % of the speed that "
                                       "the kernel gives them by itself.",
                                   .paper = "not in the papers",
                                   .published = "no figure",
                                   .machine = "epyc-7713-2s",
                                   .needs = {.cores = 4, .chiplets = 2, .cores_per_chiplet = 2, .benchmark = "graph"},
                                   .plan = plan_no_tool};

}  // namespace charm::evaluate
