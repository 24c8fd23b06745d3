// The inner loop of PageRank, for one process and for several.
#pragma once

#include <algorithm>
#include <span>

#include "workloads/graph/csr.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {

inline float sum_given(std::span<const Vertex> neighbours, const float* gives) {
  float sum = 0;
  for (const Vertex u : neighbours) sum += load(gives[u]);
  return sum;
}

/// What a vertex gives to each of its out-neighbours; where there are none nobody reads it.
inline float share(float score, Index out_degree) { return score / static_cast<float>(std::max<Index>(out_degree, 1)); }

}  // namespace charm::workloads
