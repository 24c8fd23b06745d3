// Measured matrices: the chiplets, siblings and dies of the real machines (docs/design/probe.md).
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tools/probe/structure/clustering.hpp"

using namespace charm::probe;

namespace {

Clustering golden(const std::string& name) {
  return cluster(read_latency_csv(CHARM_TEST_DATA "/c2c/" + name + ".csv"));
}

/// Groups of `size` neighbours, and with `second` the SMT siblings that Linux numbers `second` higher.
Partition neighbours(int groups, int size, int second = 0) {
  Partition all;
  for (int g = 0; g < groups; ++g) {
    std::vector<int> rows;
    for (int k = 0; k < size; ++k) rows.push_back(g * size + k);
    for (int k = 0; k < size && second > 0; ++k) rows.push_back(second + g * size + k);
    all.push_back(rows);
  }
  return all;
}

TEST(GoldenMatrix, Epyc7R13HasTwelveChipletsOfEightCoresInTwoSockets) {
  const auto seen = golden("epyc-7r13-2s");
  EXPECT_EQ(seen.smt, neighbours(96, 1, 96));
  EXPECT_EQ(seen.chiplets, neighbours(12, 8, 96));
  // One socket's lines were homed on the other one, so its chiplets look as far from each other as from the other
  // socket.
  EXPECT_EQ(seen.nodes, neighbours(2, 48, 96));
  EXPECT_EQ(seen.sockets, neighbours(2, 48, 96));
  EXPECT_LT(seen.confidence.sockets, 0.7);
  EXPECT_GT(seen.confidence.chiplets, 0.9);
}

TEST(GoldenMatrix, Ryzen7950XHasTwoChipletsOfEightCores) {
  const auto seen = golden("ryzen-7950x");
  Partition siblings;
  for (int core = 0; core < 16; ++core) siblings.push_back({2 * core, 2 * core + 1});
  EXPECT_EQ(seen.smt, siblings);
  EXPECT_EQ(seen.chiplets, neighbours(2, 16));
  EXPECT_EQ(seen.sockets.size(), 1U);
}

TEST(GoldenMatrix, Kunpeng920HasTwoChipletsOf32CoresAndNoSmt) {
  const auto seen = golden("kunpeng-920-6426");
  EXPECT_EQ(seen.smt, neighbours(64, 1));
  EXPECT_EQ(seen.chiplets, neighbours(2, 32));
}

TEST(GoldenMatrix, Threadripper1950XHasFourChipletsInTwoDies) {
  const auto seen = golden("threadripper-1950x");
  EXPECT_EQ(seen.smt, neighbours(16, 1, 16));
  EXPECT_EQ(seen.chiplets, neighbours(4, 4, 16));
  EXPECT_EQ(seen.nodes, neighbours(2, 8, 16));
  EXPECT_EQ(seen.sockets.size(), 1U);
}

TEST(GoldenMatrix, Xeon8275CLHasOneChipletASocket) {
  const auto seen = golden("xeon-8275cl-2s");
  EXPECT_EQ(seen.smt, neighbours(48, 1, 48));
  EXPECT_EQ(seen.chiplets, neighbours(2, 24, 48));
  EXPECT_EQ(seen.sockets, seen.chiplets);
}

TEST(GoldenMatrix, Graviton3IsASlopeWithoutAStep) {
  const auto seen = golden("graviton3");
  EXPECT_EQ(seen.smt, neighbours(64, 1));
  EXPECT_EQ(seen.chiplets.size(), 1U);
  EXPECT_EQ(seen.sockets.size(), 1U);
  EXPECT_GT(seen.confidence.chiplets, 0.9);
}

/// A processor as its maker describes it. \c second: what Linux adds to a core's number for its second thread; 1 where
/// siblings are neighbours, 0 where there is one thread a core.
struct Processor {
  const char* name;
  int chiplets, cores, second;
};

class FurtherMatrix : public testing::TestWithParam<Processor> {};
INSTANTIATE_TEST_SUITE_P(Processors, FurtherMatrix,
                         testing::Values(Processor{"epyc-7742-2s", 32, 4, 128}, Processor{"epyc-7773x", 8, 8, 64},
                                         Processor{"threadripper-3960x", 8, 3, 24}, Processor{"ryzen-2700x", 2, 4, 1},
                                         Processor{"ryzen-5700x", 1, 8, 8}, Processor{"ryzen-5900x", 2, 6, 1},
                                         Processor{"graviton2", 1, 64, 0}, Processor{"power7-2s", 2, 8, 0},
                                         Processor{"xeon-e5-2630v4-2s", 2, 10, 20}, Processor{"atom-d510", 1, 2, 2},
                                         Processor{"xeon-8375c-2s", 2, 32, 64}, Processor{"xeon-phi-7210", 32, 2, 0}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(FurtherMatrix, HasTheChipletsAndSiblingsOfTheProcessor) {
  const auto [name, chiplets, cores, second] = GetParam();
  const auto seen = golden(name);
  EXPECT_EQ(seen.smt, second == 1 ? neighbours(chiplets * cores, 2) : neighbours(chiplets * cores, 1, second));
  EXPECT_EQ(seen.chiplets, second == 1 ? neighbours(chiplets, 2 * cores) : neighbours(chiplets, cores, second));
}

TEST(GoldenMatrix, AppleM1ProHasClustersOfUnequalSize) {
  EXPECT_EQ(golden("apple-m1-pro").chiplets, (Partition{{0, 1}, {2, 3, 4}, {5, 6, 7}}));
}

TEST(GoldenMatrix, Core12900KHasSiblingsOnItsLargeCoresOnly) {
  const auto seen = golden("core-12900k");
  Partition expected = neighbours(8, 2);
  for (int small = 16; small < 24; ++small) expected.push_back({small});
  EXPECT_EQ(seen.smt, expected);
  EXPECT_EQ(seen.chiplets.size(), 1U);
}

TEST(GoldenMatrix, TheNumberingOfTheRowsDoesNotMatter) {
  for (const char* name : {"ryzen-7950x", "threadripper-1950x", "kunpeng-920-6426"}) {
    const auto matrix = read_latency_csv(std::string(CHARM_TEST_DATA "/c2c/") + name + ".csv");
    const auto straight = cluster(matrix);
    std::mt19937_64 random(5);
    std::vector<int> to(static_cast<std::size_t>(matrix.rows()));
    for (int i = 0; i < matrix.rows(); ++i) to[static_cast<std::size_t>(i)] = i;
    std::shuffle(to.begin(), to.end(), random);
    LatencyMatrix shuffled(matrix.rows());
    for (int i = 0; i < matrix.rows(); ++i) {
      for (int j = 0; j < i; ++j)
        shuffled.set(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)], matrix.at(i, j));
    }
    Partition expected = straight.chiplets;
    for (auto& group : expected) {
      for (int& row : group) row = to[static_cast<std::size_t>(row)];
      std::sort(group.begin(), group.end());
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(cluster(shuffled).chiplets, expected) << name;
  }
}

TEST(Clustering, TinyMachinesHaveNoStructure) {
  LatencyMatrix two(2);
  two.set(0, 1, 50);
  EXPECT_EQ(cluster(two).chiplets, (Partition{{0, 1}}));
  EXPECT_EQ(cluster(LatencyMatrix(1)).chiplets, (Partition{{0}}));
  EXPECT_EQ(cluster(LatencyMatrix(0)).chiplets, Partition{});
}

TEST(Clustering, RowsWithoutAMeasurementAreInNoGroup) {
  LatencyMatrix m(5);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) m.set(i, j, 40);
  }
  const auto seen = cluster(m);
  EXPECT_EQ(seen.unmeasured, std::vector<int>{4});
  EXPECT_EQ(seen.chiplets, (Partition{{0, 1, 2, 3}}));
}

}  // namespace
