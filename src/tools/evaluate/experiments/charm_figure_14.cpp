// CHARM Fig. 14 (§5.7): commits per second of YCSB and TPC-C under LocalCache and DistributedCache. The paper runs
// ERMIA, which could not be adapted to CHARM's adaptive placement; here that is measured, too, and nothing is expected
// of it. "Nearly identical" is taken to be a tenth.
#include <algorithm>
#include <set>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double nearly = 0.1;

/// A chiplet's cores, and half of a socket's. On all cores the two policies are the same.
std::set<int> cores_of_figure_14(const Context& context) {
  if (context.paper()) return {8, 16, 32, 64};
  return {chiplet_cores(context.machine()), std::max(1, socket_cores(context.machine()) / 2)};
}

Plan plan_charm_figure_14(const Context& context) {
  Plan out{.x = "workers", .y = "LocalCache over DistributedCache"};
  out.notes = {
      "WiredTiger is measured instead of ERMIA, with fewer records and warehouses. What a transaction computes "
      "besides its accesses is WiredTiger's in the predictions, too.",
      "Waits for the disk and for locks of rows, to which the paper attributes that the two are alike, are "
      "not predicted.",
      "The databases are made once and kept in the folder charm/oltp of the user's cache folder."};
  const std::string records = context.paper() ? "50000000" : context.quick() ? "500000" : "10000000";
  const std::string warehouses = context.quick() ? "4" : "50";
  const std::string works[] = {"ycsb:records=" + records, "tpcc:warehouses=" + warehouses};
  const std::string kernels[] = {"ycsb-paper", "tpcc"};
  const Input input{
      .words = {"oltp", "--records", records, "--warehouses", warehouses, "--duration", context.quick() ? ".5" : "5"},
      .kernels = {{kernels[0], ""}, {kernels[1], ""}}};
  for (const int workers : cores_of_figure_14(context)) {
    add_bench(
        out, context, "transactions on " + std::to_string(workers) + " cores", input,
        {.policies = {"local", "distributed", "adaptive"}, .workers = workers, .trials = context.quick() ? 5 : 15},
        context.quick() ? 45 : 600);
    for (const std::size_t i : {0U, 1U}) {
      const auto series = [&](const char* policy) { return row(kernels[i], "charm", policy, workers); };
      for (const char* policy : {"local", "distributed"})
        add_subject(out, plain_rate(series(policy), works[i], policy, workers));
      out.points.push_back({.series = kernels[i],
                            .x = static_cast<double>(workers),
                            .first = series("local"),
                            .second = series("distributed"),
                            .expect = Expect::equal,
                            .bound = nearly,
                            .published = 1,
                            .source = "Fig. 14, §5.7, text",
                            .basis = Basis::assumed});
      out.points.push_back({.series = kernels[i] + ", adaptive",
                            .x = static_cast<double>(workers),
                            .first = series("adaptive"),
                            .second = series("distributed")});
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
    .machine = "epyc-7713-2s",
    .needs = {.cores = 4, .chiplets = 2, .benchmark = "oltp"},
    .plan = plan_charm_figure_14};

}  // namespace charm::evaluate
