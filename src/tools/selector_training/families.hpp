// Generators of task graphs as values in one registry. A new family is a function and a line in families.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "tools/selector_training/graph_plan.hpp"

namespace charm::selector_training {

/// What the nodes of a generated graph cost.
struct Grain {
  double mean = 1000;    // elements of the kernel, mean over the nodes
  double variation = 0;  // standard deviation by mean, within a kind; normal (ABSS §4.2)
};

struct Family {
  std::string_view name;
  std::string_view summary;
  /// A graph of about `nodes` nodes, and no more. Only the shape: every node's work is its kind's weight, times 1,000.
  GraphPlan (*shape)(base::Random& random, std::size_t nodes);
};

std::span<const Family> families();

struct GenerateOptions {
  std::vector<std::string> families;  // names; each gets as many graphs
  std::size_t count = 400;
  std::size_t least_nodes = 16, most_nodes = 2048;  // ABSS §4.2 has at most 2,048
  double least_work = 100, most_work = 40'000;      // mean elements of a node
  double most_graph_work = 40e6;                    // elements of a graph: about 20 ms on one core
  std::uint64_t seed = 1;
};

/// One graph. Its size and its grain are drawn log-uniformly within the options, its variation uniformly from 0 to 1.
GraphPlan generate(const Family& family, const GenerateOptions& options, std::uint64_t number);
/// All of them, families in turns. \throws Error (bad_config) for a family that there is not.
std::vector<GraphPlan> generate(const GenerateOptions& options);

}  // namespace charm::selector_training
