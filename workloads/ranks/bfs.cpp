// Kernel: breadth-first search on several ranks
//
// The algorithm is that of graph/bfs.cpp, level by level on all ranks together. Top-down, a rank sends an edge from the
// frontier to the rank that owns its far end, which takes the first one that comes as the parent; a vertex is sent once
// by each rank in a search. Bottom-up, the ranks tell each other the whole frontier as a bitmap, and each then finds
// parents for its own vertices without any message. Small frontiers cost as much as their edges, and large ones n/8
// bytes for each rank.
//
// A. Buluç, S. Beamer et al., "Distributed-memory breadth-first search on massive graphs", in Parallel Graph Algorithms
// (2017), 1D partition.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "workloads/ranks/graph.hpp"
#include "workloads/ranks/outbox.hpp"
#include "workloads/ranks/together.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index alpha = 15;
constexpr Index beta = 18;
constexpr Index queue_grain = 256;
constexpr Index word_grain = 64;
constexpr Vertex none = -1;
constexpr std::size_t most_waiting = 1024;

struct Arc {
  Vertex from;
  Vertex to;
};

struct Level {
  Index vertices = 0;
  Index leaving = 0;  // arcs that leave them
};
Level operator+(const Level& a, const Level& b) { return {a.vertices + b.vertices, a.leaving + b.leaving}; }

class Search {
 public:
  Search(CharmExecutor& e, const RankGraph::Data& graph)
      : e_(e),
        graph_(graph),
        me_(remote::rank()),
        first_(graph.first),
        end_(static_cast<Vertex>(graph.first + graph.part.vertices)),
        parent_(graph.rows.size()),
        queue_(std::max<Index>(1, graph.part.vertices)),
        sent_((graph.rows.size() + word_of_bits - 1) / word_of_bits),
        front_(sent_.size()),
        next_(sent_.size()),
        others_(*this) {
    e_.parallel_for(0, parent_.size(), 1 << 16,
                    [this](Index lo, Index hi) { std::fill(parent_.data() + lo, parent_.data() + hi, none); });
    std::fill(sent_.begin(), sent_.end(), 0U);
  }

  Array<Vertex> from(Vertex source) {
    remote::barrier();  // all ranks can take messages
    if (graph_.rows.owner(source) == me_) take({source, source});
    Index unexplored = graph_.arcs;
    for (Index head = 0;;) {
      const Index tail = tail_;
      const Level level = sum_of_ranks(Level{tail - head, arcs_of(head, tail)});
      if (level.vertices == 0) break;
      if (level.leaving > unexplored / alpha) {
        bottom_up(head, level.vertices);
        head = 0;
      } else {
        unexplored -= level.leaving;
        top_down(head, tail);
        head = tail;
      }
    }
    return std::move(parent_);
  }

  /// The far ends of arcs that another rank has sent.
  void receive(std::span<const Arc> arcs) {
    for (const Arc& arc : arcs) take(arc);
  }

 private:
  /// Of an own vertex.
  void take(const Arc& arc) {
    Vertex seen = load(parent_[arc.to]);
    if (seen != none || !exchange_if(parent_[arc.to], seen, arc.from)) return;
    store(queue_[fetch_add(tail_, Index{1})], arc.to);
  }

  Index arcs_of(Index head, Index tail) {
    return e_.parallel_reduce(
        head, tail, 4096, Index{0},
        [this](Index lo, Index hi, Index sum) {
          for (Index i = lo; i < hi; ++i) sum += graph_.part.out.degree(queue_[i] - first_);
          return sum;
        },
        [](Index a, Index b) { return a + b; });
  }

  void top_down(Index head, Index tail) {
    e_.parallel_for(head, tail, queue_grain, [this](Index lo, Index hi) {
      Outbox<Arc, Search> out(others_, most_waiting);
      for (Index i = lo; i < hi; ++i) {
        const Vertex u = load(queue_[i]);
        for (const Vertex v : graph_.part.out.of(u - first_)) {
          if (v >= first_ && v < end_)
            take({u, v});
          else if (first_time(v))
            out.add(graph_.rows.owner(v), {u, v});
        }
      }
      out.flush();
    });
    remote::barrier();
  }

  bool first_time(Vertex v) {
    const std::uint64_t bit = std::uint64_t{1} << (v % word_of_bits);
    std::uint64_t& word = sent_[v / word_of_bits];
    if ((load(word) & bit) != 0) return false;
    return (std::atomic_ref<std::uint64_t>(word).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

  /// As long as that pays; leaves the last frontier in the queue, from its beginning.
  void bottom_up(Index head, Index awake) {
    const Index first_word = first_ / word_of_bits;
    const Index end_word = (end_ + word_of_bits - 1) / word_of_bits;
    std::fill(front_.data() + first_word, front_.data() + end_word, 0U);
    for (Index i = head; i < tail_; ++i)
      front_[queue_[i] / word_of_bits] |= std::uint64_t{1} << (queue_[i] % word_of_bits);
    Index before = 0;
    do {
      before = awake;
      share_parts(front_, graph_.rows, word_of_bits);
      const Index found = e_.parallel_reduce(
          first_word, end_word, word_grain, Index{0},
          [this](Index lo, Index hi, Index sum) {
            for (Index w = lo; w < hi; ++w) sum += attach(w);
            return sum;
          },
          [](Index a, Index b) { return a + b; });
      awake = sum_of_ranks(found);
      std::swap(front_, next_);
    } while (awake > 0 && (awake >= before || awake > graph_.rows.size() / beta));
    tail_ = 0;
    for (Index w = first_word; w < end_word; ++w) {
      for (std::uint64_t left = front_[w]; left != 0; left &= left - 1)
        queue_[tail_++] = static_cast<Vertex>(w * word_of_bits + std::countr_zero(left));
    }
  }

  /// Finds parents in the frontier for the vertices of a word that have none. \return how many found one.
  Index attach(Index w) {
    std::uint64_t attached = 0;
    const Index begin = w * word_of_bits;
    const Index end = std::min<Index>(end_, begin + word_of_bits);
    for (Index v = begin; v < end; ++v) {
      if (parent_[v] != none) continue;
      for (const Vertex u : graph_.part.out.of(v - first_)) {
        if ((front_[u / word_of_bits] >> (u % word_of_bits) & 1) == 0) continue;
        parent_[v] = u;
        attached |= std::uint64_t{1} << (v - begin);
        break;
      }
    }
    next_[w] = attached;
    return std::popcount(attached);
  }

  CharmExecutor& e_;
  const RankGraph::Data& graph_;
  const int me_;
  const Vertex first_;
  const Vertex end_;
  Array<Vertex> parent_;
  Array<Vertex> queue_;  // own vertices; each enters once between two times that it begins anew
  Index tail_ = 0;
  Array<std::uint64_t> sent_;
  Array<std::uint64_t> front_;
  Array<std::uint64_t> next_;
  Everywhere<Search> others_;
};

}  // namespace

Array<Vertex> bfs_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, Vertex source) {
  return Search(e, graph).from(source);
}

}  // namespace charm::workloads
