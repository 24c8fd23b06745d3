// The default controller over all workloads and machines: never below .95 of the best level it could have stood at; and
// chiplet-aware policies are ahead of the others where the papers say so.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

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

/// A workload of a size that nobody chose: sizes at the borders of caches are where controllers go to and fro.
std::string drawn_workload(std::mt19937_64& random) {
  auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  auto whole = [&](double low, double high) { return std::to_string(std::lround(between(low, high))); };
  switch (random() % 6) {
    case 0:
      return "uniform:total_mb=" + whole(1, 4000);
    case 1:
      return "streamcluster:points=" + whole(2000, 2e6) + ",dimensions=" + whole(16, 512);
    case 2:
      return std::string(random() % 2 == 0 ? "pagerank" : "bfs") + ":scale=" + std::to_string(16 + random() % 11);
    case 3:
      return std::array{"sgd", "zipf", "gups", "hash-join"}[random() % 4];
    default:
      return "sweep:mb=" + std::to_string(between(0.2, 200)) + ",writes=" + std::array{"0", "0.3", "1"}[random() % 3];
  }
}

TEST(Controller, SettlesNearTheBestLevelForWorkOfAnySize) {
  const auto known = models();
  std::mt19937_64 random(20260);
  int choices = 0, close = 0;
  for (int i = 0; i < (charm::tests::thorough() ? 4000 : 300); ++i) {
    const Model& machine = known[random() % known.size()];
    const std::string workload = drawn_workload(random);
    const int workers =
        std::min(std::array{4, 8, 16, 24, 32, 64}[random() % 6], static_cast<int>(machine.machine.cores.size()));
    RunOptions options;
    options.seconds = 120;
    options.noise = std::array{0.0, 0.01, 0.05}[random() % 3];
    options.seed = random();
    const RunResult result = run(machine, workload, "adaptive", workers, options);
    if (result.levels.size() < 2) continue;
    ++choices;
    const auto late = std::ranges::count_if(result.moves, [](const Move& move) { return move.time > 60; });
    const std::string which = workload + " on " + machine.name + ", " + std::to_string(workers) + " workers, noise " +
                              std::to_string(options.noise) + ", seed " + std::to_string(options.seed);
    EXPECT_LE(late, 4) << "moves in the second minute: " << which;
    EXPECT_GE(result.efficiency, 0.9) << which;
    close += result.efficiency >= 0.95 ? 1 : 0;
  }
  EXPECT_GT(choices, 100);
  EXPECT_GE(close, choices * 99 / 100);
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
