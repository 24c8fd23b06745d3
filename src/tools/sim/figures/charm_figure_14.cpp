// CHARM Fig. 14 (§5.7): commits per second of YCSB and TPC-C under LocalCache and DistributedCache. The text gives no
// value, but that the two are nearly identical at all numbers of cores; that is taken to be a tenth. The points rest on
// what a transaction computes besides its accesses, which is another engine's than the paper's.
#include "placement/placement_policy.hpp"
#include "tools/sim/figures/all.hpp"

namespace charm::sim {

Reproduction charm_figure_14(const Free& free) {
  constexpr double nearly = 0.1;
  const Model model = model_with("epyc-7713-2s", free);
  const auto rate = [&](const char* workload, const char* policy, int cores) {
    const auto placement = placement::policy(policy).place(model.machine, {.workers = cores});
    return plain_rates(model, placement, workload).operations_per_s;
  };
  Reproduction out;
  out.x = "cores";
  out.y = "LocalCache over DistributedCache";
  for (const char* workload : {"ycsb", "tpcc"}) {
    for (const int cores : {8, 16, 32, 64}) {
      const double ratio = rate(workload, "local", cores) / rate(workload, "distributed", cores);
      const bool alike = ratio > 1 - nearly && ratio < 1 + nearly;
      out.points.push_back(required(workload, cores, 1, ratio, alike,
                                    "LocalCache and DistributedCache are nearly identical", "§5.7, text")
                               .on(Basis::assumed));
    }
  }
  out.not_captured = {"Waits for the disk and for locks of rows, to which the paper attributes that they are alike.",
                      "ERMIA: a transaction's computing is WiredTiger's."};
  return out;
}

}  // namespace charm::sim
