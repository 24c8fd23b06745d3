// CHARM Tab. 1 (§5.2): cache lines from the own chiplet and from caches of other NUMA nodes, on the cores of a socket.
// Compared is the share of the two that is local; counts depend on how long a program ran.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

using counters::FillSource;

struct TableRow {
  std::string_view kernel, simulated;
  double charm_remote, ring_remote, charm_local, ring_local;  // thousands
};
constexpr TableRow table_rows[] = {
    {"bfs", "bfs", 3, 20876, 24722, 14687},    {"pr", "pagerank", 9, 55960, 78561, 39212},
    {"cc", "cc", 84, 43718, 54631, 27924},     {"sssp", "sssp", 6, 230939, 153665, 87152},
    {"gups", "gups", 25, 19377, 21033, 18328}, {"graph500", "graph500", 93, 93196, 229608, 176853}};

std::optional<double> predicted_share(const Context& context, const TableRow& row, const char* policy, int workers) {
  const auto fills = simulated_fills(context, row.simulated, policy, workers);
  if (!fills || !((*fills)[1] + (*fills)[3] > 0)) return std::nullopt;
  return (*fills)[1] / ((*fills)[1] + (*fills)[3]);
}

Plan plan_charm_table_1(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "share of the own chiplet, CHARM over NUMA-aware placement"};
  out.notes = {"RING is not measured: CHARM's runtime with the placement policy numa stands for it.",
               "The whole program is counted, with the making of its input."};
  for (const TableRow& each : table_rows) {
    const std::string kernel(each.kernel);
    Job job{.title = "fills of " + kernel};
    for (const char* policy : {"adaptive", "numa"}) {
      FillRun run;
      const BenchRows rows{
          .policies = policy, .workers = workers, .trials = 1, .trial_seconds = context.quick() ? 2.0 : 10.0};
      run.words = kernel == "gups" ? gups_words(context, rows) : graph_words(context, kernel, rows);
      run.part = {FillSource::own_chiplet};
      run.whole = {FillSource::own_chiplet, FillSource::remote_cache};
      job.variants.push_back({kernel + " " + policy, run});
    }
    job.rounds = context.quick() ? 4 : 10;
    job.seconds = context.quick() ? 40 : 600;
    out.jobs.push_back(std::move(job));
    const double charm = each.charm_local / (each.charm_local + each.charm_remote);
    const double ring = each.ring_local / (each.ring_local + each.ring_remote);
    Point point{.series = kernel,
                .x = static_cast<double>(workers),
                .first = kernel + " adaptive",
                .second = kernel + " numa",
                .expect = Expect::ahead,
                .published = charm / ring,
                .source = "Tab. 1"};
    const auto one = predicted_share(context, each, "charm", workers);
    const auto two = predicted_share(context, each, "numa", workers);
    if (one && two && *two > 0) point.predicted = *one / *two;
    out.points.push_back(std::move(point));
  }
  return out;
}

}  // namespace

constinit const Experiment charm_table_1{
    .name = "charm-tab1",
    .title = "Where cache lines come from",
    .claim =
        "On all cores of a socket CHARM gets a larger share of cache lines from the own chiplet, and fewer from "
        "other NUMA nodes' caches, than NUMA-aware placement.",
    .paper = "CHARM Tab. 1, §5.2",
    .published = "share of the own chiplet: 99.8 to 100 % against 38 to 66 %",
    .needs = {.cores = 8, .chiplets = 2, .nodes = 2, .fills = true, .benchmark = "graph"},
    .plan = plan_charm_table_1};

}  // namespace charm::evaluate
