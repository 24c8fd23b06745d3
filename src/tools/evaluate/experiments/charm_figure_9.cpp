// CHARM Fig. 9 (§5.4): Streamcluster, CHARM against SHOAL, by cores. SHOAL fills cores in order and knows no chiplets;
// CHARM's own runtime stands for it so. The run times behind the published values are those of the logs in the paper's
// public artifact.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

struct RunTimes {
  int cores;
  double shoal_s, charm_s;
};
constexpr RunTimes measured_run_times[] = {{8, 168, 90}, {16, 101, 59}, {24, 79, 51}};
constexpr RunTimes all_run_times[] = {{8, 168, 90}, {16, 101, 59},  {24, 79, 51},   {32, 67, 59},
                                      {40, 65, 82}, {64, 104, 104}, {128, 430, 347}};
constexpr double alone_s = 1034;  // SHOAL on one core
constexpr const char* logs = "logs of the artifact";

/// SHOAL as the simulator imitates it, and both systems' speed over one core.
void add_curves(Plan& plan, const Context& context, const std::string& work) {
  const auto series = [&](const char* policy, int cores) {
    std::string name = row("streamcluster", policy, "model", cores);
    add_subject(plan, rate(name, context, work, policy, cores));
    return name;
  };
  const std::string alone = series("shoal", 1);
  for (const RunTimes& each : all_run_times) {
    for (const auto& [name, policy, seconds] :
         {std::tuple{"CHARM", "charm", each.charm_s}, std::tuple{"SHOAL", "shoal", each.shoal_s}}) {
      plan.points.push_back({.series = name,
                             .x = static_cast<double>(each.cores),
                             .first = series(policy, each.cores),
                             .second = alone,
                             .published = alone_s / seconds,
                             .source = logs,
                             .basis = Basis::fitted});
    }
  }
  plan.notes = {
      "That CHARM peaks at fewer cores than SHOAL, and a third higher: in the model both peak at 24 cores.",
      "That the largest gap is at 16 cores, and that CHARM leads up to 40: in the model the gap is largest at 8 cores, "
      "and both are level from 32 on.",
      "Huge pages and DMA copies of SHOAL. The paper says that it fills cores in order; the logs show spread bindings "
      "for both."};
}

Plan plan_charm_figure_9(const Context& context) {
  Plan out{.x = "workers", .y = "CHARM over cores in order"};
  const Input input = streamcluster_input(context);
  out.notes = {
      "SHOAL is not measured: CHARM's own runtime stands for it, with cores in order and stealing from anybody."};
  if (context.paper()) add_curves(out, context, input.kernels.front().simulated);
  for (const RunTimes& each : measured_run_times) {
    if (each.cores > socket_cores(context.machine())) continue;
    const BenchRows rows{.policies = {"adaptive", std::string(in_order)},
                         .workers = each.cores,
                         .trials = context.quick() ? 5 : 15,
                         .trial_seconds = context.quick() ? 3.0 : 8.0};
    add_bench(out, context, "Streamcluster on " + std::to_string(each.cores) + " cores", input, rows,
              context.quick() ? 35 : 300);
    out.points.push_back({.series = "CHARM over SHOAL",
                          .x = static_cast<double>(each.cores),
                          .first = row("streamcluster", "charm", "adaptive", each.cores),
                          .second = row("streamcluster", "charm", in_order, each.cores),
                          .expect = Expect::ahead,
                          .published = each.shoal_s / each.charm_s,
                          .source = logs,
                          .basis = Basis::fitted});
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
    .machine = "epyc-7713-2s",
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "streamcluster"},
    .plan = plan_charm_figure_9};

}  // namespace charm::evaluate
