// Measuring a machine that is a model itself finds what limits its transfers.
#include "tools/memory_traffic/profiling.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/shared.hpp"

namespace charm::memory_traffic::test {
namespace {

constexpr double core = 5;
constexpr int cores = 16;

Prober prober_of(const Model& truth) {
  Prober prober;
  prober.gb_per_s = [&truth](const std::vector<int>& readers, const std::vector<int>& memories) {
    std::vector<Reader> shares;
    for (const int node : readers)
      shares.push_back({root_of_node(truth, node), 1.0 / static_cast<double>(readers.size())});
    Weights weights;
    for (const Memory& memory : truth.memories)
      weights.push_back(std::find(memories.begin(), memories.end(), memory.os_node) != memories.end() ? 1 : 0);
    return std::min(shared_rate(truth, capacities(truth), shares, weights),
                    core * cores * static_cast<double>(readers.size()));
  };
  prober.core_gb_per_s = [](int, int) { return core; };
  prober.latency_ns = [&truth](int reader, int memory) {
    for (const Memory& each : truth.memories) {
      if (each.os_node == memory) return read_latency(truth, root_of_node(truth, reader), each);
    }
    return 0.0;
  };
  prober.cores_of_a_node = cores;
  return prober;
}

/// The levels of a model, as a description of the machine has them.
Model levels_of(Model model) {
  for (Domain& domain : model.domains) domain.out_gb_per_s = domain.in_gb_per_s = unlimited;
  for (Memory& memory : model.memories) memory.gb_per_s = 20;
  return model;
}

}  // namespace

TEST(Profiling, FindsControllersTheNarrowBusAndTheLatencies) {
  Model truth = kunpeng(30);
  truth.memories[1].gb_per_s = 25;
  truth.memories.push_back({4, 1, 12, 250});
  const Model found = measured_model(levels_of(truth), prober_of(truth));
  check(found, "found");
  for (std::size_t m = 0; m < truth.memories.size(); ++m)
    EXPECT_NEAR(found.memories[m].gb_per_s, truth.memories[m].gb_per_s, 1e-6);
  EXPECT_NEAR(found.domains[1].out_gb_per_s, 30, 1e-6);
  EXPECT_NEAR(found.domains[2].out_gb_per_s, 30, 1e-6);
  EXPECT_EQ(found.domains[3].out_gb_per_s, unlimited);  // 100 behind a controller of 40: never the bottleneck
  EXPECT_EQ(found.core_gb_per_s, core);
  for (const int root : roots(truth)) {
    for (std::size_t m = 0; m < 4; ++m)
      EXPECT_NEAR(read_latency(found, root, found.memories[m]), read_latency(truth, root, truth.memories[m]), 1e-6);
    const AccessTree expected = access_tree(truth, root, capacities(truth));
    const AccessTree got = access_tree(found, root, capacities(found));
    EXPECT_NEAR(max_flow(got), max_flow(expected), 1e-6);
  }
}

TEST(Profiling, CoresThatCannotFillABusDoNotMakeItNarrow) {
  const Model truth = kunpeng(1000);
  Prober prober = prober_of(truth);
  const auto fast = prober.gb_per_s;
  prober.gb_per_s = [&](const std::vector<int>& readers, const std::vector<int>& memories) {
    return std::min(fast(readers, memories), 30.0 * static_cast<double>(readers.size()));
  };
  prober.core_gb_per_s = [](int, int) { return 30.0 / cores; };
  const Model found = measured_model(levels_of(truth), prober);
  for (const Domain& domain : found.domains) EXPECT_EQ(domain.out_gb_per_s, unlimited) << domain.name;
}

TEST(Profiling, OneMemoryIsMeasuredAndHasNoBus) {
  Model truth;
  truth.domains = {{.name = "machine", .level = Level::machine}, {.name = "node0", .parent = 0, .os_node = 0}};
  truth.memories = {{0, 1, 33, 88}};
  const Model found = measured_model(levels_of(truth), prober_of(truth));
  EXPECT_EQ(found.memories[0].gb_per_s, 33);
  EXPECT_EQ(found.memories[0].latency_ns, 88);
  EXPECT_EQ(found.domains[1].out_gb_per_s, unlimited);
}

}  // namespace charm::memory_traffic::test
