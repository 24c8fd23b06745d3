// The pages of a graph and of a kernel's arrays on a real kernel with several nodes: where the choice says.
#include <charm/charm.hpp>

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/executor/charm.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/kernel_run.hpp"

namespace {

using namespace charm::workloads;

/// All cores of the machine, whichever sockets they are on.
struct Everywhere {
  Everywhere() {
    charm::Config config;
    config.workers = static_cast<int>(charm::Machine::discover().cores.size());
    config.policy = "distributed";
    config.sockets = "balance";
    charm::init(config);
  }
  ~Everywhere() { charm::finalize(); }
  Everywhere(const Everywhere&) = delete;
  Everywhere& operator=(const Everywhere&) = delete;
};

struct Pages {
  std::size_t known = 0, elsewhere = 0;  // elsewhere: not on the node that was asked for
};

/// What the kernel tells of every page of a run.
template <class T>
Pages look(const Array<T>& array, const std::vector<charm::PageRun>& runs) {
  Pages pages;
  for (const auto& run : runs) {
    const auto bytes = static_cast<std::size_t>(array.size()) * sizeof(T);
    if (run.offset >= bytes) continue;
    const auto census = charm::page_census(reinterpret_cast<const char*>(array.data()) + run.offset,
                                           std::min(run.bytes, bytes - run.offset));
    for (std::size_t node = 0; node < census.pages.size(); ++node) {
      pages.known += census.pages[node];
      if (static_cast<int>(node) != run.node) pages.elsewhere += census.pages[node];
    }
  }
  return pages;
}

constexpr int scale = 13;

TEST(GraphMemory, APartitionedGraphLiesWhereLoopsOverItsVerticesRun) {
  const Everywhere running;
  CharmExecutor executor;
  executor.place(Memory::partitioned);
  const ArrayPlacement& placement = executor.array_placement();
  if (!placement.in_parts()) GTEST_SKIP() << "workers on one node leave nothing to place";
  const auto whole = Graph::generate({.scale = scale, .degree = 40}, {"charm", 0, Memory::partitioned});
  const Csr& out = whole.data().loaded.graph.out;
  auto bounds = placement.bounds(out.offsets.size());
  auto found = look(out.offsets, placement.runs(bounds, sizeof(Index)));
  EXPECT_GT(found.known, 16U);
  EXPECT_EQ(found.elsewhere, 0U) << "of " << found.known << " pages of the offsets";
  bounds = placement.bounds(out.offsets.size() - 1);
  for (Index& bound : bounds) bound = out.offsets[bound];
  const auto runs = placement.runs(bounds, sizeof(Vertex));
  std::set<int> nodes;
  for (const auto& run : runs) nodes.insert(run.node);
  EXPECT_GT(nodes.size(), 1U) << "one node for all would prove nothing";
  found = look(out.neighbours, runs);
  EXPECT_GT(found.known, 256U);
  EXPECT_EQ(found.elsewhere, 0U) << "of " << found.known << " pages of the neighbours";
  EXPECT_TRUE(run_kernel("bfs", {"charm", 0}, whole).verified);
}

TEST(GraphMemory, TheOtherChoicesAreObeyed) {
  const Everywhere running;
  CharmExecutor executor;
  executor.place(Memory::replicated);
  const ArrayPlacement& placement = executor.array_placement();
  if (!placement.in_parts()) GTEST_SKIP() << "workers on one node leave nothing to place";
  const auto all_on = [](const auto& array, int node) {
    const auto census = charm::page_census(array.data(), static_cast<std::size_t>(array.size()) * sizeof(array[0]));
    std::size_t known = 0;
    for (const std::size_t pages : census.pages) known += pages;
    EXPECT_GT(known, 16U);
    EXPECT_EQ(census.pages[static_cast<std::size_t>(node)], known) << "node " << node;
  };
  const auto copies = Graph::generate({.scale = scale}, {"charm", 0, Memory::replicated});
  const CsrGraph& graph = copies.data().loaded.graph;
  ASSERT_EQ(graph.copies.size() + 1, placement.nodes().size());
  for (const int node : placement.nodes()) {
    EXPECT_EQ(graph.on(node).node, node);
    all_on(graph.on(node).out.offsets, node);
    all_on(graph.on(node).out.neighbours, node);
  }
  const auto near = Graph::generate({.scale = scale}, {"charm", 0, Memory::near});
  all_on(near.data().loaded.graph.out.neighbours, placement.node_of(0));
  const auto turns = Graph::generate({.scale = scale}, {"charm", 0, Memory::interleaved});
  const auto& neighbours = turns.data().loaded.graph.out.neighbours;
  const auto census =
      charm::page_census(neighbours.data(), static_cast<std::size_t>(neighbours.size()) * sizeof(Vertex));
  std::size_t most = 0, total = 0;
  for (const int node : placement.nodes()) {
    most = std::max(most, census.pages[static_cast<std::size_t>(node)]);
    total += census.pages[static_cast<std::size_t>(node)];
  }
  EXPECT_GT(total, 128U);
  // Transparent huge pages take turns as a whole, so the nodes may differ by one of them.
  EXPECT_LE(most, total / placement.nodes().size() + 512 + 1);
}

}  // namespace
