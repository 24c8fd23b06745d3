// CHARM Fig. 7 (§5.2): six kernels on all cores of a socket, CHARM against NUMA-aware runtimes. RING, AsymSched and SAM
// are not available; CHARM's own runtime with the NUMA-aware placement stands for them, so that nothing but the
// placement differs.
#include "tools/evaluate/experiments/against_numa.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {

Plan against_numa(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "CHARM over NUMA-aware placement"};
  out.notes = {
      "RING, AsymSched and SAM are not measured: CHARM's runtime with the placement policy numa stands for "
      "them, so that only the placement differs.",
      "The graph has 2^" + std::to_string(graph_scale(context)) + " vertices here and 2^24 in the paper."};
  const BenchRows rows{.policies = "adaptive,numa",
                       .workers = workers,
                       .trials = context.quick() ? 5 : 15,
                       .trial_seconds = context.quick() ? 2.0 : 6.0};
  out.jobs = {
      bench_job("graph kernels", graph_words(context, "bfs,pr,cc,sssp,graph500", rows), context.quick() ? 110 : 1000),
      bench_job("random access", gups_words(context, rows), context.quick() ? 25 : 220)};
  for (const Kernel& kernel : six_kernels) {
    Point point{.series = std::string(kernel.name),
                .x = static_cast<double>(workers),
                .first = row(kernel.name, "charm", "adaptive", workers),
                .second = row(kernel.name, "charm", "numa", workers),
                .expect = Expect::ahead};
    point.predicted = simulated_ratio(context, kernel.simulated, "charm", "numa", workers);
    out.points.push_back(std::move(point));
  }
  return out;
}

namespace {

Plan plan_charm_figure_7(const Context& context) {
  Plan out = against_numa(context);
  for (Point& point : out.points) {
    const auto publish = [&](double value) { point.published = value, point.source = "§5.2, text: 64 cores"; };
    if (point.series == "bfs") publish(1.8);
    if (point.series == "cc") publish(1.9);
    if (point.series == "sssp") publish(2.3);
  }
  return out;
}

}  // namespace

constinit const Experiment charm_figure_7{
    .name = "charm-fig7",
    .title = "Six kernels against NUMA-aware placement",
    .claim = "On all cores of a socket the six kernels run faster under CHARM than under NUMA-aware placement.",
    .paper = "CHARM Fig. 7, §5.2",
    .published = "64 cores: BFS 1.8, CC 1.9, SSSP 2.3 times as fast; ahead in all six",
    .needs = {.cores = 8, .chiplets = 2, .nodes = 2, .benchmark = "graph"},
    .plan = plan_charm_figure_7};

}  // namespace charm::evaluate
