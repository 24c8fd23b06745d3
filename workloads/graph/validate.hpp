// Validators: what an answer must satisfy to be right, checked against the graph alone, without running the kernel
// again. Each returns an empty string for a right answer and otherwise one line that says what is wrong where. They are
// run after every trial of a benchmark, in parallel over the edges.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "workloads/executor/any.hpp"
#include "workloads/graph/csr.hpp"
#include "workloads/graph/pagerank.hpp"
#include "workloads/graph/sssp.hpp"

namespace charm::workloads {

/// What a search reached. An undirected edge counts once.
struct Reached {
  Index vertices = 0;
  Index edges = 0;
};

/// The five rules of Graph500 (specification, "Validation"): (1) the parents form a tree rooted in the source, (2) a
/// tree edge joins levels that differ by one, (3) an edge of the graph joins levels that differ by at most one, (4) the
/// tree spans the whole component, (5) tree edges are edges of the graph. In a directed graph (3) is: no edge leads
/// more than one level down, and (4): no edge leads out of the tree. Together they make every level the true distance.
std::string validate_bfs(AnyExecutor e, const CsrGraph& graph, Vertex source, const Array<Vertex>& parent,
                         Reached& reached);

/// The same for a rank that has the lists of some vertices of an undirected graph, from `first` on.
/// \param parent of all vertices. \param reached of the own vertices, and the arcs that leave them instead of edges.
std::string validate_bfs_part(AnyExecutor e, const CsrGraph& part, Vertex first, Vertex source,
                              const Array<Vertex>& parent, Reached& reached);

/// One more iteration, in double precision and without using new values early, changes less than `tolerance` in all.
std::string validate_pagerank(AnyExecutor e, const CsrGraph& graph, const Array<float>& scores, double tolerance);

/// Every edge joins equal labels, and there are as many labels as components.
std::string validate_components(AnyExecutor e, const CsrGraph& graph, const Array<Vertex>& label);

/// No edge offers a shorter way, and a chain of edges that are tight leads from the source to every vertex that is
/// reached.
std::string validate_sssp(AnyExecutor e, const CsrGraph& graph, const Weights& weights, Vertex source,
                          const Array<Distance>& distance, Reached& reached);

/// The scores of another implementation, sequential, within the rounding of single precision.
std::string validate_betweenness(const CsrGraph& graph, std::span<const Vertex> sources, const Array<float>& scores);

/// The number of triangles by another algorithm, sequential: what a count must be.
std::uint64_t count_triangles_forward(const CsrGraph& graph);

}  // namespace charm::workloads
