#include "tools/probe/measuring/pair_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "tools/probe/structure/landmarks.hpp"

namespace charm::probe {

PairPlan plan_pairs(int cpus, const std::vector<std::vector<int>>& siblings, const PairBudget& budget) {
  PairPlan plan;
  plan.pairs = pairs_to_measure(cpus, budget.sampled, budget.landmarks_of);
  if (budget.sampled) {  // no sample would meet many siblings by chance
    const std::set<std::pair<int, int>> there(plan.pairs.begin(), plan.pairs.end());
    for (const auto& core : siblings) {
      for (int a : core) {
        for (int b : core) {
          if (b < a && !there.contains({a, b})) plan.pairs.emplace_back(a, b);
        }
      }
    }
  }
  const double each_ms = budget.seconds * 1e3 / static_cast<double>(std::max<std::size_t>(1, plan.pairs.size()));
  // Few pairs can be measured three times over, which shows what a second look would have said.
  plan.passes = each_ms > 60 ? 3 : 1;
  const double share_ms = each_ms / plan.passes - pair_overhead_ms;
  plan.options.most_ms = std::clamp(share_ms, 0.5, 120.0);
  if (share_ms > 50) plan.options.samples = 51;
  if (share_ms < 20) plan.options.samples = 15, plan.options.round_trips = 200;
  if (share_ms < 5) plan.options.samples = 11, plan.options.round_trips = 100;
  if (share_ms < 2) plan.options.samples = 9, plan.options.round_trips = 50;
  return plan;
}

}  // namespace charm::probe
