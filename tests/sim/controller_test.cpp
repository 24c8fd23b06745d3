// The default controller over all workloads and machines: never below .95 of the best level it could have stood at; and
// chiplet-aware policies are ahead of the others where the papers say so.
#include <gtest/gtest.h>

#include "thorough.hpp"
#include "tools/sim/compare.hpp"
#include "tools/sim/generator.hpp"

using namespace charm::sim;

namespace {

TEST(Controller, IsNearTheBestStandingLevelEverywhere) {
  std::vector<std::string> machines, workloads;
  const auto known = models();
  for (std::size_t i = 0; i < known.size(); i += charm::tests::thorough() ? 1 : 3) machines.push_back(known[i].name);
  for (const auto* g : generators()) workloads.emplace_back(g->name);
  RunOptions options;
  options.warm_up = 180;
  options.seconds = 60;
  options.noise = 0.01;
  int choices = 0;
  for (const auto& c : compare_controller(machines, workloads, options, "charm", 0)) {
    EXPECT_GE(c.any, c.best) << "all policies contain its own levels";
    if (!c.choice()) continue;
    ++choices;
    EXPECT_GE(c.ratio(), 0.95) << c.workload << " on " << c.machine << " with " << c.workers << " workers; best at "
                               << c.best_level << " chiplets";
  }
  EXPECT_GT(choices, 50);
}

TEST(Controller, IsAheadOfNumaAwareBaselinesOnGraphsAt64Cores) {
  for (const char* machine : {"epyc-7713-2s", "epyc-7713"}) {
    const Model m = model(machine);
    for (const char* kernel : {"bfs", "cc", "sssp"}) {
      const double charm = run(m, kernel, "charm", 64).throughput;
      for (const char* baseline : {"numa", "ring", "asymsched", "sam", "os"}) {
        EXPECT_GT(charm, run(m, kernel, baseline, 64).throughput) << kernel << ", " << baseline << " on " << machine;
      }
    }
  }
}

}  // namespace
