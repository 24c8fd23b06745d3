// Runtimes and random graphs for the tests of task graphs.
#pragma once

#include <charm/task_graph.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

using charm::GraphSchedule;

inline constexpr GraphSchedule both_schedules[] = {GraphSchedule::stream, GraphSchedule::batch};

/// The edges of a random graph, in no order, none of them twice. No cycles; nodes are numbered in any order.
struct RandomGraph {
  RandomGraph(std::uint64_t seed, std::size_t nodes, double edges_per_node) : after(nodes) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> rank(nodes);
    for (std::size_t i = 0; i < nodes; ++i) rank[i] = i;
    if (seed % 2 == 0) std::shuffle(rank.begin(), rank.end(), random);  // else all edges lead forward
    const auto edges = static_cast<std::size_t>(edges_per_node * static_cast<double>(nodes));
    for (std::size_t e = 0; nodes > 1 && e < edges; ++e) {
      std::size_t a = random() % nodes, b = random() % nodes;
      if (a == b) continue;
      if (a > b) std::swap(a, b);
      after[rank[a]].push_back(rank[b]);
    }
  }
  std::vector<std::vector<std::size_t>> after;
  [[nodiscard]] std::size_t size() const { return after.size(); }
};

/// The text of the charm::Error that `function` throws; empty if it throws none.
template <class F>
std::string error_of(F&& function, charm::Errc code = charm::Errc::bad_input) {
  try {
    std::forward<F>(function)();
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "";
}
