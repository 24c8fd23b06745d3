// What counting and deciding cost a running program (CHARM §4.5): the same kernels under a policy that never moves and
// under the controller, on a described machine with four times as many chiplets as the workers need. Nothing is bound
// there, so the controller reads, decides and moves workers from one core on paper to another, and can gain nothing:
// what is left is its cost. Its parameters are those with which it tries another level all the time, and where this
// machine has counters they are read. Without any decision there is no verdict.
#include <algorithm>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

Plan plan_counting_cost(const Context& context) {
  const int workers = std::min(socket_cores(context.machine()), 8);
  Plan out{.x = "workers", .y = "time under the controller over that without"};
  out.notes = {
      "The workers are those of a described machine of four chiplets, which binds none: the controller reads "
      "and decides as on a real one, and no core is faster than another. It tries levels about once a second, far "
      "more often than by default.",
      context.facts.counters ? "Hardware counters are read." : "There are no hardware counters, so none are read."};
  const BenchRows rows{.policies = {"local", "adaptive"},
                       .workers = workers,
                       .trials = context.quick() ? 8 : 40,
                       .trial_seconds = context.quick() ? 2.0 : 3.0};
  // Nothing is predicted: the simulator has no runtime whose code takes time.
  const auto not_simulated = [](Input input) {
    for (Kernel& kernel : input.kernels) kernel.simulated.clear();
    return input;
  };
  add_bench(out, context, "PageRank with and without the controller",
            not_simulated(graph_input({"pr"}, graph_scale(context))), rows, context.quick() ? 35 : 260);
  add_bench(out, context, "random access with and without the controller", not_simulated(gups_input(context)), rows,
            context.quick() ? 40 : 280);
  for (Job& job : out.jobs) {
    job.variables = {"CHARM_TOPOLOGY=pack:1 l3:4 core:" + std::to_string(workers) + " pu:1",
                     "CHARM_POLICY=adaptive:grain=0,idle=1,backoff=2,backoff_max=8"};
    // A described machine has no counters of its own.
    if (context.facts.counters) job.variables.emplace_back("CHARM_COUNTERS=hardware");
  }
  Job single{.title = "readings and decisions"};
  single.variants = {{"reading", ReadingRun{}}, {"decision", DecisionRun{workers}}};
  single.rounds = context.quick() ? 15 : 40;
  single.seconds = 2;
  out.jobs.push_back(single);
  for (const char* kernel : {"pr", "gups"}) {
    out.points.push_back({.series = kernel,
                          .x = static_cast<double>(workers),
                          .first = row(kernel, "charm", "local", workers),
                          .second = row(kernel, "charm", "adaptive", workers),
                          .expect = Expect::at_most,
                          .bound = 1.01,
                          .published = 1.05,
                          .source = "§4.5: around 5 to 10 %",
                          .decided = true});
  }
  out.points.push_back({.series = "one reading of a worker's counters", .x = 1, .first = "reading"});
  out.points.push_back({.series = "one decision", .x = static_cast<double>(workers), .first = "decision"});
  return out;
}

}  // namespace

constinit const Experiment counting_cost{
    .name = "counting-cost",
    .title = "Cost of counting and deciding",
    .claim = "Counting and deciding make a program at most 1 % slower (the paper reports 5 to 10 %).",
    .paper = "CHARM §4.5",
    .published = "5 to 10 % slower",
    .needs = {.benchmark = "graph"},
    .plan = plan_counting_cost};

}  // namespace charm::evaluate
