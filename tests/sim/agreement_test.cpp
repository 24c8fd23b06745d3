// The two back-ends are two ways to the same answer: on every generator and several placements their throughput differs
// by less than a tenth, and every source of fills by a share of what that source serves.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tools/sim/backend.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/simulated_policy.hpp"
#include "tools/sim/timing.hpp"

using namespace charm::sim;

namespace {

constexpr double within = 0.10;

/// By how much a source may differ: by a share of what it serves, or, where it serves little, by a share of all fills;
/// never by more than a tenth of all fills.
struct Tolerance {
  double relative, least;
  [[nodiscard]] double of(double a, double b) const {
    return std::min(within, std::max(least, relative * std::max(a, b)));
  }
};

/// Where few lines get most accesses the formulas find too many lines in other caches and too few in memory, also
/// beside a simulation of half of the lines: the error is theirs, and not the sample's.
Tolerance tolerance_of(const std::string& spec) {
  const bool skewed = spec.starts_with("zipf") || spec.starts_with("ycsb") || spec.starts_with("tpcc");
  return skewed ? Tolerance{0.55, 0.05} : Tolerance{0.2, 0.035};
}

struct Case {
  std::string machine, policy;
  int workers;
};

void check(const Case& c, const std::string& spec) {
  const Model machine = model(c.machine);
  const Workload work = workload(spec, c.workers);
  const SimulationPlan plan = plan_for(c.policy, machine, work, c.workers);
  for (const Phase& phase : work.phases) {
    const Job job{&machine, plan.placement.start(), &phase, plan.habits};
    LinesOptions options;
    options.most_accesses = 2500000;
    const LinesResult lines = line_mixes(job, options);
    const Rates a = rates_of(job, analytic_mixes(job)), b = rates_of(job, lines.mixes);
    const std::string name =
        spec + " on " + c.machine + ", " + c.policy + ", " + std::to_string(c.workers) + " workers";
    EXPECT_NEAR(a.operations_per_s / b.operations_per_s, 1, within) << name;
    double fills = 0;
    for (const double f : a.fills_per_s) fills += f / a.operations_per_s;
    for (std::size_t s = 0; s < sources; ++s) {
      // The sum of all accesses is the same for both.
      const double of_a = a.fills_per_s[s] / a.operations_per_s / fills,
                   of_b = b.fills_per_s[s] / b.operations_per_s / fills;
      EXPECT_NEAR(of_a, of_b, tolerance_of(spec).of(of_a, of_b)) << name << ": " << source_name(s);
    }
  }
}

class Agreement : public testing::TestWithParam<std::string> {};

TEST_P(Agreement, OfThroughputAndFills) {
  for (const Case& c : {Case{"epyc-7713", "local", 8}, Case{"epyc-7713", "distributed", 8},
                        Case{"epyc-7713-2s", "ring", 32}, Case{"kunpeng-920-128", "local", 48}}) {
    check(c, GetParam());
  }
}

std::vector<std::string> every_generator() {
  std::vector<std::string> specs;
  for (const Generator* generator : generators()) specs.emplace_back(generator->name);
  specs.insert(specs.end(), {"sweep:mb=2,writes=1", "sweep:mb=24", "uniform:total_mb=64,writes=0.5",
                             "zipf:total_mb=128", "pairs:mb=12", "pairs:kb=8192", "readonly:total_mb=200",
                             "copy:total_mb=1024", "bfs:scale=20", "hash-join:table_mb=16"});
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Generators, Agreement, testing::ValuesIn(every_generator()), [](const auto& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
