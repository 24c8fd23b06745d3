// Kernel: breadth-first search
//
// Returns a parent array (see bfs.hpp).
//
// Algorithm: direction-optimising search. A small frontier is a queue and looks at its out-neighbours (top-down); once
// the edges that leave it are more than 1/15 of those not yet looked at, every vertex without a parent looks for one
// among its in-neighbours instead and stops at the first (bottom-up), until the frontier has shrunk to 1/18 of the
// vertices again. Where fewer edges are left than there are vertices, to ask all vertices would take longer.
//
// A frontier with few edges is searched by one worker without atomic operations: on graphs with long paths, where there
// are thousands of them, to start a parallel loop takes longer than the loop.
//
// Encoding: a vertex without a parent holds -1. Bottom-up works on words of 64 vertices: a bitmap of the vertices that
// still lack a parent (and have in-edges at all), the frontier's, and the next one's; a word belongs to one worker, so
// none of these writes is atomic. What a loop over the vertices goes over is in parts as the loop is, so that bottom-up
// finds its own words on its own node; the queue and the bitmaps of frontiers are for all. Lists are fetched some
// vertices before their turn: a list is a cache miss, and the branches on what it holds keep the processor from running
// ahead.
//
// S. Beamer, K. Asanović, D. Patterson, "Direction-optimizing breadth-first search", SC 2012 (there alpha is 14 and
// beta 24; 15 and 18 are those of the GAP benchmark suite, with which this kernel is compared).
#include "workloads/graph/bfs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/found.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index alpha = 15;
constexpr Index beta = 18;
constexpr Index bfs_grain = 16384;
constexpr Index queue_grain = 64;
constexpr Index word_grain = 64;
constexpr Index word_bits = 64;
constexpr Index alone_below = 8192;  // a frontier with fewer edges is for one worker
constexpr Index lists_ahead = 8;     // how many vertices before its turn a list is fetched

using Bitmap = Array<std::uint64_t>;

template <Executor E>
class Search {
 public:
  Search(E& e, const CsrGraph& graph)
      : e_(e),
        graph_(graph),
        n_(graph.vertices),
        parent_(array_placement_of(e).template split<Vertex>(n_)),
        queue_(array_placement_of(e).template shared<Vertex>(n_ + 1)) {
    for_parts(e_, n_, bfs_grain,
              [this](Index lo, Index hi) { std::fill(parent_.data() + lo, parent_.data() + hi, Vertex{-1}); });
  }

  Array<Vertex> from(Vertex source) {
    Index unexplored = graph_.arcs();
    Index leaving = graph_.out.degree(source);  // edges that leave the frontier
    parent_[source] = source;
    queue_[0] = source;
    Index head = 0;
    Index tail = 1;
    while (head < tail) {
      if (unexplored > n_ && leaving > unexplored / alpha) {
        bottom_up(head, tail);
        leaving = 1;
        head = 0;
      } else {
        unexplored -= leaving;
        Index next = tail;
        leaving = leaving < alone_below ? top_down_alone(head, tail, next) : top_down(head, tail, next);
        head = tail;
        tail = next;
      }
    }
    return std::move(parent_);
  }

 private:
  /// A level on one worker: plain accesses, and what branches would ask is as good as random.
  Index top_down_alone(Index head, Index tail, Index& next) {
    const Csr& out = graph_.near(e_).out;
    Vertex* const parent = parent_.data();
    Vertex* const queue = queue_.data();
    Index end = tail;
    for (Index i = head; i < tail; ++i) {
      const Vertex u = queue[i];
      for (Vertex v : out.of(u)) {
        const Vertex before = parent[v];
        parent[v] = before < 0 ? u : before;
        queue[end] = v;
        end += before < 0 ? 1 : 0;
      }
    }
    Index leaving = 0;
    for (Index i = tail; i < end; ++i) {
      leaving += out.degree(queue[i]);
      __builtin_prefetch(out.neighbours.data() + out.offsets[queue[i]]);
    }
    next = end;
    return leaving;
  }

  /// Every vertex enters the queue at most once, so it never holds more than n_ and is never rewound.
  Index top_down(Index head, Index tail, Index& next) {
    return e_.parallel_reduce(
        head, tail, queue_grain, Index{0},
        [&](Index lo, Index hi, Index leaving) {
          Found found(queue_, next);
          const Csr& out = graph_.near(e_).out;
          for (Index i = lo; i < hi; ++i) {
            const Vertex u = queue_[i];
            __builtin_prefetch(out.neighbours.data() + out.offsets[queue_[std::min(i + lists_ahead, hi - 1)]]);
            for (Vertex v : out.of(u)) {
              Vertex seen = load(parent_[v]);
              if (seen < 0 && exchange_if(parent_[v], seen, u)) {
                found.add(v);
                leaving += out.degree(v);
              }
            }
          }
          return leaving;
        },
        [](Index a, Index b) { return a + b; });
  }

  /// Goes on bottom-up from the frontier queue_[head, tail) while that pays; leaves the last frontier in queue_[0,
  /// tail).
  void bottom_up(Index head, Index& tail) {
    const Index words = (n_ + word_bits - 1) / word_bits;
    if (open_.size() == 0) {
      open_ = array_placement_of(e_).template split<std::uint64_t>(words);
      front_ = array_placement_of(e_).template shared<std::uint64_t>(words);
      next_ = array_placement_of(e_).template shared<std::uint64_t>(words);
    }
    for_parts(e_, words, word_grain, [this](Index lo, Index hi) {
      const Csr& in = graph_.near(e_).in();
      for (Index w = lo; w < hi; ++w) {
        std::uint64_t open = 0;
        for (Index v = w * word_bits; v < std::min(n_, (w + 1) * word_bits); ++v) {
          const auto lacks_parent =
              static_cast<std::uint64_t>(parent_[v] < 0) & static_cast<std::uint64_t>(in.degree(v) > 0);
          open |= lacks_parent << (v % word_bits);
        }
        open_[w] = open;
        front_[w] = 0;
      }
    });
    e_.parallel_for(head, tail, bfs_grain, [this](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) {
        Vertex v = queue_[i];
        std::atomic_ref<std::uint64_t>(front_[v / word_bits])
            .fetch_or(std::uint64_t{1} << (v % word_bits), std::memory_order_relaxed);
      }
    });
    Index awake = tail - head;
    Index before = 0;
    do {
      before = awake;
      awake = reduce_parts(
          e_, words, word_grain, Index{0},
          [this](Index lo, Index hi, Index found) {
            const Csr& in = graph_.near(e_).in();
            for (Index w = lo; w < hi; ++w) found += attach(w, in);
            return found;
          },
          [](Index a, Index b) { return a + b; });
      front_.swap(next_);
    } while (awake > 0 && (awake >= before || awake > n_ / beta));
    tail = 0;
    for_parts(e_, words, word_grain * 4, [this, &tail](Index lo, Index hi) {
      Found found(queue_, tail);
      for (Index w = lo; w < hi; ++w) {
        for (std::uint64_t left = front_[w]; left != 0; left &= left - 1) {
          found.add(static_cast<Vertex>(w * word_bits + std::countr_zero(left)));
        }
      }
    });
  }

  /// Finds parents in the frontier for the open vertices of word w; returns how many found one.
  Index attach(Index w, const Csr& in) {
    std::array<Vertex, word_bits + lists_ahead> open;
    Index count = 0;
    for (std::uint64_t left = open_[w]; left != 0; left &= left - 1)
      open[static_cast<std::size_t>(count++)] = static_cast<Vertex>(w * word_bits + std::countr_zero(left));
    if (count == 0) {
      next_[w] = 0;
      return 0;
    }
    std::fill_n(open.begin() + count, lists_ahead, open[0]);
    std::uint64_t attached = 0;
    auto fetch = [&](Index i) {
      __builtin_prefetch(in.neighbours.data() + in.offsets[open[static_cast<std::size_t>(i)]]);
    };
    for (Index i = 0; i < lists_ahead; ++i) fetch(i);
    for (Index i = 0; i < count; ++i) {
      fetch(i + lists_ahead);
      const Vertex v = open[static_cast<std::size_t>(i)];
      const std::uint64_t bit = std::uint64_t{1} << (v % word_bits);
      for (Vertex u : in.of(v)) {
        if ((front_[u / word_bits] >> (u % word_bits) & 1) != 0) {
          parent_[v] = u;
          attached |= bit;
          break;
        }
      }
    }
    open_[w] &= ~attached;
    next_[w] = attached;
    return std::popcount(attached);
  }

  E& e_;
  const CsrGraph& graph_;
  Index n_;
  Array<Vertex> parent_;
  Array<Vertex> queue_;
  Bitmap open_, front_, next_;
};

}  // namespace

template <Executor E>
Array<Vertex> bfs(E& e, const CsrGraph& graph, Vertex source) {
  return Search<E>(e, graph).from(source);
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Array<Vertex> bfs<Type>(Type&, const CsrGraph&, Vertex);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
