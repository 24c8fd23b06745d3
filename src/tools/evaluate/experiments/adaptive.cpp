// The default controller against the placements that never move (CHARM §4.2, §4.3): on programs that run long enough
// for it to try levels, it should come close to the best of them, whichever that is. Where it has not decided anything
// nothing is told.
#include <algorithm>
#include <map>

#include "tools/base/quantile.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double close_to_best = 0.95;
constexpr std::string_view statics[] = {"local", "distributed", "numa"};
constexpr Kernel long_kernels[] = {{"graph500", "graph500"}, {"gups", "gups"}};

Plan plan_adaptive(const Context& context) {
  // As many workers as a chiplet has cores: they may stand on one chiplet or on all.
  const int workers = chiplet_cores(context.machine());
  Plan out{.x = "workers", .y = "speed under the controller over that of a static policy"};
  const BenchRows rows{.policies = "adaptive,local,distributed,numa",
                       .workers = workers,
                       .trials = context.quick() ? 5 : 15,
                       .trial_seconds = context.quick() ? 3.0 : 10.0};
  out.notes = {"Each trial repeats its kernel for " + std::to_string(static_cast<int>(rows.trial_seconds)) +
               " s; the first half, in which the controller looks for the best level, does not count."};
  out.jobs = {
      bench_job("Graph500 under each policy", graph_words(context, "graph500", rows), context.quick() ? 70 : 650),
      bench_job("random access under each policy", gups_words(context, rows), context.quick() ? 70 : 650)};
  for (const Kernel& kernel : long_kernels) {
    std::optional<double> best, worst;
    for (const std::string_view policy : statics) {
      const auto rate = simulated_rate(context, kernel.simulated, policy, workers);
      if (!rate) continue;
      best = std::max(best.value_or(*rate), *rate);
      worst = std::min(worst.value_or(*rate), *rate);
    }
    const auto charm = simulated_rate(context, kernel.simulated, "charm", workers);
    const auto over = [&](const std::optional<double>& other) {
      return charm && other && *other > 0 ? std::optional<double>(*charm / *other) : std::nullopt;
    };
    const std::string name(kernel.name), mine = row(kernel.name, "charm", "adaptive", workers);
    out.points.push_back({.series = name + ", over the best static policy",
                          .x = static_cast<double>(workers),
                          .first = mine,
                          .second = name + " best static",
                          .expect = Expect::at_least,
                          .bound = close_to_best,
                          .predicted = over(best),
                          .decided = true});
    out.points.push_back({.series = name + ", over the worst static policy",
                          .x = static_cast<double>(workers),
                          .first = mine,
                          .second = name + " worst static",
                          .predicted = over(worst),
                          .decided = true});
  }
  return out;
}

/// Of each kernel the static policy with the smallest and the one with the largest median.
void add_best_and_worst(std::vector<Samples>& samples) {
  std::map<std::string, std::vector<const Samples*>> by_kernel;
  for (const Samples& each : samples) {
    if (each.name.find(" adaptive ") == std::string::npos && !each.values.empty())
      by_kernel[each.name.substr(0, each.name.find(' '))].push_back(&each);
  }
  std::vector<Samples> more;
  for (auto& [kernel, all] : by_kernel) {
    const auto [best, worst] = std::minmax_element(all.begin(), all.end(), [](const Samples* a, const Samples* b) {
      return base::median(a->values) < base::median(b->values);
    });
    more.push_back({kernel + " best static", (*best)->unit, false, (*best)->values});
    more.push_back({kernel + " worst static", (*worst)->unit, false, (*worst)->values});
  }
  samples.insert(samples.end(), more.begin(), more.end());
}

}  // namespace

constinit const Experiment adaptive{.name = "adaptive",
                                    .title = "The controller against static policies",
                                    .claim = "The adaptive controller reaches 95 % of the best static policy's speed.",
                                    .paper = "CHARM §4.2, §4.3",
                                    .published = "adapts to each workload; no figure",
                                    .needs = {.cores = 4, .chiplets = 2, .cores_per_chiplet = 2, .benchmark = "graph"},
                                    .plan = plan_adaptive,
                                    .derive = add_best_and_worst};

}  // namespace charm::evaluate
