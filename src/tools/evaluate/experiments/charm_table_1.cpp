// CHARM Tab. 1 (§5.2): cache lines from the own chiplet and from caches of other NUMA nodes, on the cores of a socket.
// Compared is the share of the two that is local; counts depend on how long a program ran.
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

using counters::FillSource;

struct TableRow {
  const char* kernel;
  Basis basis;                                                // of RING's share
  double charm_remote, ring_remote, charm_local, ring_local;  // thousands

  [[nodiscard]] double charm() const { return charm_local / (charm_local + charm_remote); }
  [[nodiscard]] double ring() const { return ring_local / (ring_local + ring_remote); }
};
constexpr TableRow table_rows[] = {
    {"bfs", Basis::fitted, 3, 20876, 24722, 14687},    {"pr", Basis::fitted, 9, 55960, 78561, 39212},
    {"cc", Basis::fitted, 84, 43718, 54631, 27924},    {"sssp", Basis::fitted, 6, 230939, 153665, 87152},
    {"gups", Basis::assumed, 25, 19377, 21033, 18328}, {"graph500", Basis::assumed, 93, 93196, 229608, 176853}};

double local_share(const sim::Fills& fills) { return fills[1] / (fills[1] + fills[3]); }

Plan plan_charm_table_1(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "share of the own chiplet, CHARM over a NUMA-aware runtime"};
  out.notes = {
      "RING is not measured: CHARM's own runtime stands for it, with workers evenly over all sockets and stealing "
      "from anybody.",
      "The whole program is counted, with the making of its input."};
  for (const TableRow& each : table_rows) {
    const std::string kernel(each.kernel);
    const Input input = kernel == "gups" ? gups_input(context) : graph_input({kernel}, graph_scale(context));
    const std::string& work = input.kernels.front().simulated;
    Job job{.title = "fills of " + kernel};
    const auto series = [&](std::string_view policy) {
      FillRun run;
      run.words = bench_words(input, {.policies = {std::string(policy)},
                                      .workers = workers,
                                      .trials = 1,
                                      .trial_seconds = context.quick() ? 2.0 : 10.0});
      run.part = {FillSource::own_chiplet};
      run.whole = {FillSource::own_chiplet, FillSource::remote_cache};
      std::string name = kernel + " " + std::string(policy);
      job.variants.push_back({name, run});
      add_subject(out, fills(name, context, work, policy, workers, local_share, true));
      return name;
    };
    const std::string mine = series("adaptive"), other = series(numa_spread);
    job.rounds = context.quick() ? 4 : 10;
    job.seconds = context.quick() ? 40 : 600;
    out.jobs.push_back(std::move(job));
    out.points.push_back({.series = kernel,
                          .x = static_cast<double>(workers),
                          .first = mine,
                          .second = other,
                          .expect = Expect::ahead,
                          .published = each.charm() / each.ring(),
                          .source = "Tab. 1",
                          .basis = each.basis});
    if (!context.paper()) continue;
    // The shares themselves, RING's as the simulator imitates it.
    add_subject(out, fills(kernel + " ring", context, work, "ring", workers, local_share, true));
    for (const bool ring : {false, true}) {
      out.points.push_back({.series = kernel + (ring ? ", RING" : ", CHARM"),
                            .x = static_cast<double>(workers),
                            .first = ring ? kernel + " ring" : mine,
                            .published = ring ? each.ring() : each.charm(),
                            .source = "Tab. 1",
                            .basis = ring ? each.basis : Basis::predicted,
                            .unit = "share"});
    }
  }
  if (context.paper())
    out.notes = {"Absolute counts: they depend on how long each program ran.",
                 "RING's messages, which are accesses to the other node of their own.",
                 "GUPS, RING is near with 2 MiB of message buffers a worker and off with 1 or 4, and Graph500, RING "
                 "because that kernel is taken to write no flags: both choices were made with this table in view."};
  return out;
}

}  // namespace

constinit const Experiment charm_table_1{
    .name = "charm-tab1",
    .title = "Where cache lines come from",
    .claim =
        "On all cores of a socket CHARM gets a larger share of cache lines from the own chiplet, and fewer from "
        "other NUMA nodes' caches, than a NUMA-aware runtime.",
    .paper = "CHARM Tab. 1, §5.2",
    .published = "share of the own chiplet: 99.8 to 100 % against 38 to 66 %",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 8, .chiplets = 2, .nodes = 2, .fills = true, .benchmark = "graph"},
    .plan = plan_charm_table_1};

}  // namespace charm::evaluate
