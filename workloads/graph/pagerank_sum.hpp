// The inner loop of PageRank, for one process and for several.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/graph/csr.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {

/// Four sums at a time: one alone would wait for each addition before the next.
inline float sum_given(std::span<const Vertex> neighbours, const Array<float>& gives) {
  float a = 0;
  float b = 0;
  float c = 0;
  float d = 0;
  std::size_t i = 0;
  for (; i + 4 <= neighbours.size(); i += 4) {
    a += load(gives[neighbours[i]]);
    b += load(gives[neighbours[i + 1]]);
    c += load(gives[neighbours[i + 2]]);
    d += load(gives[neighbours[i + 3]]);
  }
  for (; i < neighbours.size(); ++i) a += load(gives[neighbours[i]]);
  return (a + b) + (c + d);
}

/// What a vertex gives to each of its out-neighbours.
inline float share(float score, Index out_degree) {
  return out_degree > 0 ? score / static_cast<float>(out_degree) : 0;
}

}  // namespace charm::workloads
