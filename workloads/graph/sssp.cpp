// Kernel: single-source shortest paths
//
// Returns distances (see sssp.hpp).
//
// Algorithm: delta-stepping with bucket fusion. Vertices whose distance has improved wait in buckets of width delta;
// the lowest bucket is relaxed in parallel, again and again until it stays empty, then the next. Bucket fusion: what a
// worker puts back into the current bucket it relaxes itself while that is little, instead of waiting for the others
// first; for graphs with long paths that saves most of the rounds.
//
// Encoding: each worker has its own buckets, in a ring: from bucket b nothing goes further than the heaviest weight, so
// largest/delta + 2 buckets are enough and reused. A vertex is not taken out of a bucket when it improves again: an
// entry whose distance is below its bucket is skipped. The number of workers changes the order of work, never the
// distances.
//
// U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49 (2003); fusion:
// Y. Zhang et al., "Optimizing ordered graph algorithms with GraphIt", CGO 2020.
#include "workloads/graph/sssp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index sssp_grain = 16384;
constexpr Index frontier_grain = 64;
constexpr Index alone_arcs = 4096;              // a frontier with fewer edges is for one worker
constexpr std::size_t fused_at_most = 1000;     // more than that is worth sharing
constexpr std::size_t copied_alone = 1U << 14;  // fewer are not worth a parallel loop
constexpr std::ptrdiff_t list_after = 4;        // how many vertices before its turn a list is fetched
constexpr std::uint32_t most_buckets = 1U << 16;

/// The degree of the vertex that an arc leads to: the median of a sample. Hubs count as often as they are met, so that
/// it is the mean in a grid or a uniform graph, and far above it in a Kronecker graph.
std::uint64_t usual_degree(const CsrGraph& graph) {
  std::array<Index, 255> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::uint64_t arc = random_at(0x64656c7461U, i) % static_cast<std::uint64_t>(graph.arcs());
    sample[i] = graph.out.degree(graph.out.neighbours[static_cast<Index>(arc)]);
  }
  const auto middle = sample.begin() + sample.size() / 2;
  std::nth_element(sample.begin(), middle, sample.end());
  return static_cast<std::uint64_t>(std::clamp<Index>(*middle, 1, 200));
}

}  // namespace

int bucket_shift(const CsrGraph& graph, const Weights& weights, int delta) {
  auto wanted = static_cast<std::uint64_t>(std::max(0, delta));
  if (wanted == 0) {
    const std::uint64_t degree = graph.arcs() == 0 ? 1 : usual_degree(graph);
    wanted = std::max<std::uint64_t>(1, 2 * std::uint64_t{weights.largest} / degree);
  }
  wanted = std::max<std::uint64_t>(wanted, weights.largest / most_buckets + 1);
  return static_cast<int>(std::bit_width(wanted)) - 1;
}

namespace {

template <Executor E, class Weight>
class Relaxation {
 public:
  Relaxation(E& e, const CsrGraph& graph, const Weights& weights, int shift)
      : e_(e),
        distance_(array_placement_of(e).template split<Distance>(graph.vertices)),
        alone_(std::max(frontier_grain, alone_arcs * graph.vertices / std::max<Index>(1, graph.arcs()))),
        shift_(shift),
        mask_(std::bit_ceil((weights.largest >> shift) + 2U) - 1),
        workers_(static_cast<std::size_t>(e.workers())),
        frontier_(array_placement_of(e).template shared<Vertex>(1024)) {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      workers_[w].ring.resize(mask_ + 1);
      const int node = array_placement_of(e).node_of(static_cast<int>(w));
      workers_[w].out = &graph.on(node).out;
      weights.on(node).visit([&](const auto* of_edges) {
        if constexpr (std::is_same_v<decltype(of_edges), const Weight*>) workers_[w].weights = of_edges;
      });
    }
    for_parts(e_, graph.vertices, sssp_grain,
              [this](Index lo, Index hi) { std::fill(distance_.data() + lo, distance_.data() + hi, unreached); });
  }

  Array<Distance> from(Vertex source) {
    distance_[source] = 0;
    frontier_[0] = source;
    waiting_ = 1;
    for (bucket_ = 0; waiting_ > 0;) {
      e_.parallel_for(0, waiting_, waiting_ <= alone_ ? waiting_ : frontier_grain,
                      [this](Index lo, Index hi) { relax_block(lo, hi); });
      gather();
    }
    return std::move(distance_);
  }

 private:
  /// One worker's. Two cache lines apart from the next one's, for the prefetcher fetches lines in pairs.
  struct alignas(128) Buckets {
    const Csr* out = nullptr;  ///< the graph and its weights, in the nearest copy
    const Weight* weights = nullptr;
    std::vector<std::vector<Vertex>> ring;
    std::vector<Vertex> fused;
    Index at = 0;  ///< where in the frontier this worker's share begins
  };

  void relax_block(Index lo, Index hi) {
    auto& mine = workers_[static_cast<std::size_t>(e_.worker())];
    const auto low = static_cast<std::uint64_t>(bucket_) << shift_;
    relax_all(frontier_.data() + lo, frontier_.data() + hi, low, mine);
    auto& again = mine.ring[bucket_ & mask_];
    while (!again.empty() && again.size() < fused_at_most) {
      mine.fused.swap(again);
      relax_all(mine.fused.data(), mine.fused.data() + mine.fused.size(), low, mine);
      mine.fused.clear();
    }
  }

  void relax_all(const Vertex* first, const Vertex* last, std::uint64_t low, Buckets& mine) {
    const Csr& out = *mine.out;
    for (const Vertex* at = first; at < last; ++at) {
      if (last - at > 2 * list_after) {
        const Vertex* const later = at + 2 * list_after;
        __builtin_prefetch(&out.offsets[*later]);
        __builtin_prefetch(&distance_[*later]);
      }
      if (last - at > list_after) {
        const Index begin = out.offsets[at[list_after]];
        __builtin_prefetch(out.neighbours.data() + begin);
        __builtin_prefetch(mine.weights + begin);
      }
      if (load(distance_[*at]) >= low) relax(*at, mine);
    }
  }

  void relax(Vertex u, Buckets& mine) {
    const std::uint64_t here = load(distance_[u]);
    const Csr& out = *mine.out;
    const Weight* const weights = mine.weights;
    for (Index i = out.offsets[u]; i < out.offsets[Index{u} + 1]; ++i) {
      Vertex v = out.neighbours[i];
      const std::uint64_t there = here + weights[i];  // in 64 bits: what does not fit is never below a distance
      Distance seen = load(distance_[v]);
      while (there < seen) {
        if (exchange_if(distance_[v], seen, static_cast<Distance>(there))) {
          mine.ring[(there >> shift_) & mask_].push_back(v);
          break;
        }
      }
    }
  }

  /// Collects the lowest bucket that any worker has into the frontier; an empty frontier ends the search.
  void gather() {
    waiting_ = 0;
    for (std::uint32_t ahead = 0; ahead <= mask_; ++ahead) {
      const std::size_t slot = (bucket_ + ahead) & mask_;
      std::size_t total = 0;
      for (const auto& worker : workers_) total += worker.ring[slot].size();
      if (total == 0) continue;
      bucket_ += ahead;
      if (total > static_cast<std::size_t>(frontier_.size())) {
        frontier_ = array_placement_of(e_).template shared<Vertex>(static_cast<Index>(2 * total));
      }
      waiting_ = static_cast<Index>(total);
      Index at = 0;
      for (auto& worker : workers_) {
        worker.at = at;
        at += static_cast<Index>(worker.ring[slot].size());
      }
      const Index grain = total < copied_alone ? static_cast<Index>(workers_.size()) : 1;
      e_.parallel_for(0, static_cast<Index>(workers_.size()), grain, [this, slot](Index lo, Index hi) {
        for (Index w = lo; w < hi; ++w) {
          auto& worker = workers_[static_cast<std::size_t>(w)];
          std::copy(worker.ring[slot].begin(), worker.ring[slot].end(), frontier_.data() + worker.at);
          worker.ring[slot].clear();
        }
      });
      return;
    }
  }

  E& e_;
  Array<Distance> distance_;
  Index alone_;  ///< so many vertices are for one worker
  int shift_;
  std::uint32_t mask_;
  std::uint32_t bucket_ = 0;
  std::vector<Buckets> workers_;
  Array<Vertex> frontier_;
  Index waiting_ = 0;  ///< vertices in the frontier
};

}  // namespace

template <Executor E>
Array<Distance> sssp(E& e, const CsrGraph& graph, const Weights& weights, Vertex source, int delta) {
  const int shift = bucket_shift(graph, weights, delta);
  return weights.visit(
      [&]<class Weight>(const Weight*) { return Relaxation<E, Weight>(e, graph, weights, shift).from(source); });
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) \
  template Array<Distance> sssp<Type>(Type&, const CsrGraph&, const Weights&, Vertex, int);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
