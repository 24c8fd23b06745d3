// Builds a CSR graph from a stream of edges, in the memory of the CSR alone: edges are asked for twice, once to count
// and once to place, each list is sorted and compacted in place, and the gaps are closed in place. A generator draws
// its edges again instead of keeping them, which halves the peak against building from an edge list. Invariant: the
// result does not depend on the number of workers, because each list ends up sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "workloads/executor/parts.hpp"
#include "workloads/graph/csr.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {

/// sums[0] = 0 and sums[i + 1] holds the i-th length: afterwards sums[i] is where list i starts and sums[size] the
/// total.
template <Executor E>
void prefix_sum(E& e, Array<Index>& sums) {
  constexpr Index block = Index{1} << 16;
  const Index n = sums.size();
  const Index blocks = (n + block - 1) / block;
  Array<Index> totals(blocks);
  e.parallel_for(0, blocks, 1, [&](Index lo, Index hi) {
    for (Index b = lo; b < hi; ++b) {
      Index total = 0;
      for (Index i = b * block; i < std::min(n, (b + 1) * block); ++i) sums[i] = total += sums[i];
      totals[b] = total;
    }
  });
  for (Index b = 0, before = 0; b < blocks; ++b) before += std::exchange(totals[b], before);
  e.parallel_for(0, blocks, 1, [&](Index lo, Index hi) {
    for (Index b = lo; b < hi; ++b) {
      for (Index i = b * block; i < std::min(n, (b + 1) * block); ++i) sums[i] += totals[b];
    }
  });
}

/// Where edges go, a batch at a time: counters and slots are spread over far more memory than the caches hold, so a
/// batch's lines are fetched together instead of one after the other.
template <class Touch, class Use>
class Batch {
 public:
  Batch(Touch touch, Use use) : touch_(touch), use_(use) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { flush(); }
  void add(Vertex from, Vertex to) {
    touch_(from);
    arcs_[count_++] = {from, to};
    if (count_ == arcs_.size()) flush();
  }

 private:
  void flush() {
    use_(arcs_.data(), count_);
    count_ = 0;
  }
  Touch touch_;
  Use use_;
  std::array<std::pair<Vertex, Vertex>, 128> arcs_;
  std::size_t count_ = 0;
};

/// The lists in an array of their own without gaps, in the parts that their vertices are in: on several nodes memory is
/// better spent on that for a moment than on lists that have slipped to the node before theirs.
template <Executor E>
Csr move_together(E& e, const Csr& gapped, const Array<Vertex>& lengths) {
  const Index vertices = lengths.size();
  Csr csr;
  csr.offsets = array_placement_of(e).template split<Index>(vertices + 1);
  csr.offsets[0] = 0;
  for_parts(e, vertices, Index{1} << 14, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) csr.offsets[v + 1] = lengths[v];
  });
  prefix_sum(e, csr.offsets);
  csr.neighbours = csr.along<Vertex>(array_placement_of(e));
  for_parts(e, vertices, 256, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v)
      std::copy_n(gapped.neighbours.data() + gapped.offsets[v], lengths[v], csr.neighbours.data() + csr.offsets[v]);
  });
  return csr;
}

/// `edges(block, emit)` calls emit(u, v) for the edges of one of `blocks` blocks, the same ones each time it is asked.
/// With `both`, an edge is put at both ends. `squeeze` drops loops and repeats.
/// \param first the vertex whose list is the first one, where the lists are a part of a graph's.
template <Executor E, class Edges>
Csr build_csr(E& e, Index vertices, Index blocks, bool both, bool squeeze, Edges&& edges, Vertex first = 0) {
  Csr csr;
  csr.offsets = array_placement_of(e).template split<Index>(vertices + 1);
  auto& offsets = csr.offsets;
  constexpr Index grain = 4096;
  for_parts(e, vertices + 1, grain * 16,
            [&](Index lo, Index hi) { std::fill(&offsets[lo], &offsets[lo] + (hi - lo), 0); });
  if (vertices == 0) return csr;

  auto touch = [&offsets](Vertex v) { __builtin_prefetch(&offsets[Index{v} + 1], 1); };
  auto each_arc = [&](auto use) {
    e.parallel_for(0, blocks, 1, [&](Index lo, Index hi) {
      Batch batch(touch, use);
      for (Index b = lo; b < hi; ++b) {
        edges(b, [&](Vertex u, Vertex v) {
          if (squeeze && u == v) return;
          batch.add(u - first, v);
          if (both) batch.add(v - first, u);
        });
      }
    });
  };
  each_arc([&offsets](const std::pair<Vertex, Vertex>* arcs, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) fetch_add(offsets[Index{arcs[i].first} + 1], Index{1});
  });
  prefix_sum(e, offsets);
  csr.neighbours = csr.along<Vertex>(array_placement_of(e));
  auto& neighbours = csr.neighbours;

  // offsets[v + 1] is the cursor of v while placing: it starts where v's list does and ends where the next one starts.
  constexpr Index block = Index{1} << 16;
  Array<Index> firsts((vertices + block - 1) / block);
  for (Index b = 0; b < firsts.size(); ++b) firsts[b] = offsets[b * block];
  e.parallel_for(0, firsts.size(), 1, [&](Index lo, Index hi) {
    for (Index b = lo; b < hi; ++b) {
      Index start = firsts[b];
      for (Index v = b * block; v < std::min(vertices, (b + 1) * block); ++v) std::swap(start, offsets[v + 1]);
    }
  });
  each_arc([&offsets, &neighbours](const std::pair<Vertex, Vertex>* arcs, std::size_t count) {
    std::array<Index, 128> slots;
    for (std::size_t i = 0; i < count; ++i) {
      slots[i] = fetch_add(offsets[Index{arcs[i].first} + 1], Index{1});
      __builtin_prefetch(&neighbours[slots[i]], 1);
    }
    for (std::size_t i = 0; i < count; ++i) neighbours[slots[i]] = arcs[i].second;
  });

  auto lengths = array_placement_of(e).template split<Vertex>(vertices);
  for_parts(e, vertices, 256, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      Vertex* begin = neighbours.data() + offsets[v];
      Vertex* end = neighbours.data() + offsets[v + 1];
      std::sort(begin, end);
      if (squeeze) end = std::unique(begin, end);
      lengths[v] = static_cast<Vertex>(end - begin);
    }
  });
  if (!squeeze) return csr;
  if (array_placement_of(e).in_parts()) return move_together(e, csr, lengths);
  // One worker closes the gaps: it moves memory from front to back at full bandwidth, and needs none.
  Index end = 0;
  for (Index v = 0; v < vertices; ++v) {
    Index start = std::exchange(offsets[v], end);
    if (start != end) std::copy_n(neighbours.data() + start, lengths[v], neighbours.data() + end);
    end += lengths[v];
  }
  offsets[vertices] = end;
  neighbours.shrink(end);
  return csr;
}

/// The lists of incoming neighbours.
template <Executor E>
Csr transpose(E& e, const Csr& csr, Index vertices) {
  constexpr Index block = 1024;
  return build_csr(e, vertices, (vertices + block - 1) / block, false, false, [&](Index b, auto&& emit) {
    for (Index v = b * block; v < std::min(vertices, (b + 1) * block); ++v) {
      for (Vertex to : csr.of(v)) emit(to, static_cast<Vertex>(v));
    }
  });
}

}  // namespace charm::workloads
