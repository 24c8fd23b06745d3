// The default controller against the placements that never move (CHARM §4.2, §4.3): on programs that run long enough
// for it to try levels, it should come close to the best of them, whichever that is. Where it has not decided anything
// there is no verdict.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/base/quantile.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double close_to_best = 0.95;
const std::vector<std::string> statics = {"local", "distributed", "numa"};

/// The model's rate of the best or the worst static policy of those that the plan has.
Subject best_or_worst(const Plan& plan, std::string name, const std::string& kernel, int workers, bool best) {
  std::vector<Subject> all;
  for (const std::string& policy : statics) {
    const auto found = std::find_if(plan.subjects.begin(), plan.subjects.end(), [&](const Subject& each) {
      return each.name == row(kernel, "charm", policy, workers);
    });
    all.push_back(*found);
  }
  return {std::move(name), fmt::format("the {} of {}", best ? "best" : "worst", fmt::join(statics, ", ")),
          [=](const sim::Model& model, const sim::Scatter& scatter) {
            std::vector<double> rates;
            for (const Subject& each : all) rates.push_back(each.value(model, scatter));
            return best ? *std::max_element(rates.begin(), rates.end()) : *std::min_element(rates.begin(), rates.end());
          }};
}

Plan plan_adaptive(const Context& context) {
  // As many workers as a chiplet has cores: they may stand on one chiplet or on all.
  const int workers = chiplet_cores(context.machine());
  Plan out{.x = "workers", .y = "speed under the controller over that of a static policy"};
  BenchRows rows{.policies = {"adaptive"},
                 .workers = workers,
                 .trials = context.quick() ? 5 : 15,
                 .trial_seconds = context.quick() ? 3.0 : 10.0};
  rows.policies.insert(rows.policies.end(), statics.begin(), statics.end());
  out.notes = {"Each trial repeats its kernel for " + std::to_string(static_cast<int>(rows.trial_seconds)) +
               " s; the first half, in which the controller looks for the best level, does not count."};
  const double seconds = context.quick() ? 70 : 650;
  add_bench(out, context, "Graph500 under each policy", graph_input({"graph500"}, graph_scale(context)), rows, seconds);
  add_bench(out, context, "random access under each policy", gups_input(context), rows, seconds);
  for (const std::string name : {"graph500", "gups"}) {
    for (const bool best : {true, false}) {
      const std::string other = name + (best ? " best static" : " worst static");
      add_subject(out, best_or_worst(out, other, name, workers, best));
      out.points.push_back({.series = fmt::format("{}, over the {} static policy", name, best ? "best" : "worst"),
                            .x = static_cast<double>(workers),
                            .first = row(name, "charm", "adaptive", workers),
                            .second = other,
                            .expect = best ? Expect::at_least : Expect::nothing,
                            .bound = best ? close_to_best : 1,
                            .decided = true});
    }
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
                                    .machine = "epyc-7713-2s",
                                    .needs = {.cores = 4, .chiplets = 2, .cores_per_chiplet = 2, .benchmark = "graph"},
                                    .plan = plan_adaptive,
                                    .derive = add_best_and_worst};

}  // namespace charm::evaluate
