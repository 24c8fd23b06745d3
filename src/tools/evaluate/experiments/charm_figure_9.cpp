// CHARM Fig. 9 (§5.4): Streamcluster, CHARM against SHOAL, by cores. SHOAL fills cores in order, as the policy local
// does; the run times behind the published values are those of the logs in the paper's public artifact.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

Plan plan_charm_figure_9(const Context& context) {
  Plan out{.x = "workers", .y = "CHARM over cores in order"};
  out.notes = {"SHOAL is not measured: the policy local, which fills cores in order, stands for it."};
  struct Row {
    int cores;
    double shoal_s, charm_s;
  };
  constexpr Row rows[] = {{8, 168, 90}, {16, 101, 59}, {24, 79, 51}};
  for (const Row& each : rows) {
    if (each.cores > socket_cores(context.machine())) continue;
    const BenchRows compared{.policies = "adaptive,local",
                             .workers = each.cores,
                             .trials = context.quick() ? 5 : 15,
                             .trial_seconds = context.quick() ? 3.0 : 8.0};
    out.jobs.push_back(bench_job("Streamcluster on " + std::to_string(each.cores) + " cores",
                                 with_rows({"streamcluster"}, compared), context.quick() ? 35 : 300));
    out.points.push_back({.series = "CHARM over SHOAL",
                          .x = static_cast<double>(each.cores),
                          .first = row("streamcluster", "charm", "adaptive", each.cores),
                          .second = row("streamcluster", "charm", "local", each.cores),
                          .expect = Expect::ahead,
                          .published = each.shoal_s / each.charm_s,
                          .source = "logs of the artifact",
                          .predicted = simulated_ratio(context, "streamcluster", "charm", "shoal", each.cores)});
  }
  return out;
}

}  // namespace

constinit const Experiment charm_figure_9{
    .name = "charm-fig9",
    .title = "Streamcluster",
    .claim = "With 8 to 24 cores Streamcluster runs faster under CHARM than with cores filled in order.",
    .paper = "CHARM Fig. 9, §5.4",
    .published = "up to twice as fast as SHOAL, with 16 cores",
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "streamcluster"},
    .plan = plan_charm_figure_9};

}  // namespace charm::evaluate
