// The memory access tree of TAPMM §3.2: a domain with cpus is the root, the memories are the leaves, and every edge is
// a bus or a memory controller with a bandwidth.
//
// Vertices stand in depth-first order, so that what is behind a vertex is the range [v, end). Edges that limit nothing
// are left out: their children hang on the vertex above. Algorithm 1 as printed depends on that, the exact answers do
// not. So are domains behind which there is no memory, which the print counts as a leaf (`Max(d, 1)`).
#pragma once

#include <cstddef>
#include <vector>

#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

struct Vertex {
  double gb_per_s = unlimited;  ///< of the edge towards the root
  int parent = -1;
  int end = 0;            ///< one behind the last vertex of its subtree
  int memory = -1;        ///< index in Model::memories; -1: an inner vertex
  double latency_ns = 0;  ///< of a leaf, from the root
};

struct AccessTree {
  int root = 0;                  ///< index in Model::domains
  std::size_t memories = 0;      ///< of the model
  std::vector<Vertex> vertices;  ///< the first is the root
};

/// \param left the bandwidths that can be had: capacities(), or remaining().
AccessTree access_tree(const Model& model, int root, const Bandwidths& left);

/// A tree for every root of the model.
std::vector<AccessTree> access_forest(const Model& model, const Bandwidths& left);

}  // namespace charm::memory_traffic
