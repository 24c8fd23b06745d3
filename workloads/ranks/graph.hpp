// A rank's part of a graph, and the kernels on it.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/executor/charm.hpp"
#include "workloads/graph/csr.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/ranks/division.hpp"
#include "workloads/ranks/rank_bench.hpp"

namespace charm::workloads {

constexpr Index word_of_bits = 64;

/// An undirected graph. Its vertices are divided into consecutive ranges, whose bounds are multiples of 64, so that a
/// word of a bitmap belongs to one rank. Labels of vertices tell nothing of their degrees, so the ranges have about as
/// many edges each.
struct RankGraph::Data {
  Division rows{0, 1, 1};
  Vertex first = 0;             ///< of this rank
  CsrGraph part;                ///< the lists of this rank's vertices; `vertices` is how many
  Array<std::uint64_t> usable;  ///< of all vertices, those with edges, as bits
  Index arcs = 0;               ///< of all ranks
  std::string name;

  [[nodiscard]] bool has_edges(Vertex v) const { return (usable[v / word_of_bits] >> (v % word_of_bits) & 1) != 0; }
};

/// Parents of all vertices; a rank fills in those of its own.
Array<Vertex> bfs_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, Vertex source);

struct RankScores {
  Array<float> scores;  ///< of this rank's vertices
  Array<float> gives;   ///< of all vertices: score divided by degree
  int iterations = 0;
  double change = 0;
};
RankScores pagerank_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, double tolerance, int most);

/// As validate_pagerank(), on all ranks together. \return the same on all ranks.
std::string validate_pagerank_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, const RankScores& result,
                                       double tolerance);

}  // namespace charm::workloads
