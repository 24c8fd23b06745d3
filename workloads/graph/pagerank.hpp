// Kernel: PageRank. Returns a score for every vertex, with damping .85.
#pragma once

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

constexpr float pagerank_damping = 0.85F;

struct PageRank {
  Array<float> scores;
  int iterations = 0;
  double change = 0;  ///< in all, at most, by one more iteration: a sum over vertices
};

/// Stops after the first iteration that changes less than `tolerance` in all, or after `most` iterations.
template <Executor E>
PageRank pagerank(E& e, const CsrGraph& graph, double tolerance, int most);

}  // namespace charm::workloads
