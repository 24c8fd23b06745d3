// CHARM Fig. 14 (§5.7): commits per second of YCSB and TPC-C under LocalCache and DistributedCache. The paper runs
// ERMIA, which could not be adapted to CHARM's adaptive placement; here that is measured, too, and nothing is expected
// of it. "Nearly identical" is taken to be a tenth.
#include <set>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double nearly = 0.1;

/// A chiplet's cores, and half of a socket's. On all cores the two policies are the same.
std::set<int> few_and_half(const Context& context) {
  return {chiplet_cores(context.machine()), std::max(1, socket_cores(context.machine()) / 2)};
}

Plan plan_charm_figure_14(const Context& context) {
  Plan out{.x = "workers", .y = "LocalCache over DistributedCache"};
  out.notes = {"WiredTiger is measured instead of ERMIA, with fewer records and warehouses.",
               "The databases are made once and kept in the folder charm/oltp of the user's cache folder."};
  for (const int workers : few_and_half(context)) {
    const BenchRows rows{"local,distributed,adaptive", workers, context.quick() ? 5 : 15};
    out.jobs.push_back(bench_job(
        "transactions on " + std::to_string(workers) + " cores",
        with_rows({"oltp", "--kernel", "ycsb-paper,tpcc", "--records", context.quick() ? "500000" : "10000000",
                   "--warehouses", context.quick() ? "4" : "50", "--duration", context.quick() ? ".5" : "5"},
                  rows),
        context.quick() ? 45 : 600));
    for (const Kernel& kernel : {Kernel{"ycsb-paper", "ycsb"}, Kernel{"tpcc", "tpcc"}}) {
      const std::string simulated(kernel.simulated);
      const auto local = plain_rate(context, "local", workers, simulated);
      const auto distributed = plain_rate(context, "distributed", workers, simulated);
      Point point{.series = std::string(kernel.name),
                  .x = static_cast<double>(workers),
                  .first = row(kernel.name, "charm", "local", workers),
                  .second = row(kernel.name, "charm", "distributed", workers),
                  .expect = Expect::equal,
                  .bound = nearly,
                  .published = 1,
                  .source = "Fig. 14, §5.7, text"};
      if (local && distributed && *distributed > 0) point.predicted = *local / *distributed;
      out.points.push_back(std::move(point));
      out.points.push_back({.series = std::string(kernel.name) + ", adaptive",
                            .x = static_cast<double>(workers),
                            .first = row(kernel.name, "charm", "adaptive", workers),
                            .second = row(kernel.name, "charm", "distributed", workers)});
    }
  }
  return out;
}

}  // namespace

constinit const Experiment charm_figure_14{
    .name = "charm-fig14",
    .title = "Transactions",
    .claim = "It makes no difference (within 10 %) to YCSB and TPC-C whether workers are on few chiplets or on many.",
    .paper = "CHARM Fig. 14, §5.7",
    .published = "nearly identical",
    .needs = {.cores = 4, .chiplets = 2, .benchmark = "oltp"},
    .plan = plan_charm_figure_14};

}  // namespace charm::evaluate
