// Kernel: betweenness centrality
//
// Returns scores (see betweenness.hpp).
//
// Algorithm: Brandes's. A breadth-first search counts the shortest paths to each vertex, level by level; then the
// levels are gone through backwards, and each vertex collects what its successors depend on it. Both passes pull: a
// vertex sums over its neighbours what they have to give, and nobody else writes its sum, so no addition is atomic. A
// level from which many edges leave is searched bottom-up: every vertex not yet found sums up what the frontier gives,
// which finds it and counts its paths at once. A level with few edges is one worker's, who needs no second pass: it
// adds to the next level's paths as it finds them, and looks whether an edge leads there.
//
// Encoding: `gives[v]` is what v gives to the level being computed, and 0 for all vertices outside of the level before
// it: so a sum needs no test whether an edge leads from one level to the next. In the search v gives its number of
// paths; on the way back (1 + dependency) / paths, because
//   dependency(u) = sum over successors v of paths(u) / paths(v) * (1 + dependency(v)).
//
// In a grid there are more shortest paths than a double can hold. Only quotients of paths of two neighbouring levels
// matter, so the paths of a level are counted in a unit of its own: a level with large numbers gives them on divided by
// a power of two. A search in which the numbers of one level differ by more than a double's range is made again with
// long double.
//
// U. Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociol. 25 (2001). K. Madduri et al., "A faster
// parallel algorithm and efficient multithreaded implementations for evaluating betweenness centrality on massive
// datasets", MTAAP 2009.
#include "workloads/graph/betweenness.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/found.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index bottom_up_above = 15;  // bottom-up if more than 1/15 of the edges not yet looked at leave the frontier
constexpr Index level_grain = 64;
constexpr Index score_grain = 4096;
constexpr Index level_alone_below = 8192;  // a level with fewer edges is for one worker

/// Where the next level counts its paths in a larger unit, and where a number is too small beside others of its level.
/// On the way back `gives` is up to the number of vertices over the smallest number of paths: 2^64 keeps their sums
/// finite.
template <class Count>
struct Range {
  static constexpr int half = std::numeric_limits<Count>::max_exponent / 2;
  static inline const Count large = std::ldexp(Count{1}, half);
  static inline const Count larger_unit = std::ldexp(Count{1}, -half);
  static inline const Count small = std::ldexp(Count{1}, std::numeric_limits<Count>::min_exponent + 64);
};

template <Executor E, class Count>
class Brandes {
 public:
  Brandes(E& e, const CsrGraph& graph)
      : e_(e),
        graph_(graph),
        n_(graph.vertices),
        level_(array_placement_of(e).template split<Vertex>(n_)),
        paths_(array_placement_of(e).template split<Count>(n_)),
        gives_(array_placement_of(e).template shared<Count>(n_)),
        queue_(array_placement_of(e).template shared<Vertex>(n_ + 1)) {}

  /// Adds the scores that one source gives. Returns false, and adds none, if Count cannot hold the numbers of a level.
  bool add(Vertex source, Array<float>& scores) {
    for_parts(e_, n_, score_grain, [this](Index lo, Index hi) {
      std::fill(level_.data() + lo, level_.data() + hi, Vertex{-1});
      std::fill(gives_.data() + lo, gives_.data() + hi, Count{0});
    });
    if (!count_paths(source)) return false;
    depend(scores);
    return true;
  }

 private:
  struct Level {
    Index begin = 0;
    Index end = 0;
    Index leaving = 0;  ///< edges
    Count unit = 1;     ///< of this level's paths, in that of the next level's
  };

  /// What a level's numbers of paths turned out to be.
  struct Seen {
    bool large = false;
    bool small = false;
  };

  static void look_at(Count paths, Seen& seen) {
    if (paths > Range<Count>::large) store(seen.large, true);
    if (paths < Range<Count>::small) store(seen.small, true);
  }

  template <class F>
  void for_level(const Level& level, F&& f) {
    e_.parallel_for(level.begin, level.end, level_grain, [&](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) f(queue_[i]);
    });
  }

  Count sum_given(std::span<const Vertex> neighbours) const {
    Count a = 0;
    Count b = 0;
    std::size_t i = 0;
    for (; i + 2 <= neighbours.size(); i += 2) {
      a += gives_[neighbours[i]];
      b += gives_[neighbours[i + 1]];
    }
    if (i < neighbours.size()) a += gives_[neighbours[i]];
    return a + b;
  }

  bool count_paths(Vertex source) {
    level_[source] = 0;
    paths_[source] = 1;
    queue_[0] = source;
    levels_ = {{0, 1, graph_.out.degree(source)}};
    Index unexplored = graph_.arcs();
    while (levels_.back().begin < levels_.back().end) {
      const Level here = levels_.back();
      const auto depth = static_cast<Vertex>(levels_.size());
      Level next{here.end, here.end, 0};
      Seen seen;
      if (here.leaving < level_alone_below) {
        search_alone(here, depth, next, seen);
      } else {
        for_level(here, [this, &here](Vertex v) { gives_[v] = paths_[v] * here.unit; });
        if (here.leaving > unexplored / bottom_up_above)
          bottom_up(depth, next, seen);
        else
          top_down(here, depth, next, seen);
        for_level(here, [this](Vertex v) { gives_[v] = 0; });
      }
      if (seen.small) return false;
      if (seen.large) next.unit = Range<Count>::larger_unit;
      unexplored -= here.leaving;
      levels_.push_back(next);
    }
    levels_.pop_back();
    return true;
  }

  /// On one worker, with plain accesses.
  void search_alone(const Level& here, Vertex depth, Level& next, Seen& seen) {
    const Csr& out = graph_.near(e_).out;
    for (Index i = here.begin; i < here.end; ++i) {
      const Vertex u = queue_[i];
      const Count paths = paths_[u] * here.unit;
      for (Vertex v : out.of(u)) {
        if (level_[v] == depth) {
          paths_[v] += paths;
        } else if (level_[v] < 0) {
          level_[v] = depth;
          paths_[v] = paths;
          queue_[next.end++] = v;
          next.leaving += out.degree(v);
        }
      }
    }
    for (Index i = next.begin; i < next.end; ++i) look_at(paths_[queue_[i]], seen);
  }

  void top_down(const Level& here, Vertex depth, Level& next, Seen& seen) {
    Index end = next.end;
    next.leaving = e_.parallel_reduce(
        here.begin, here.end, level_grain, Index{0},
        [&](Index lo, Index hi, Index leaving) {
          Found found(queue_, end);
          const Csr& out = graph_.near(e_).out;
          for (Index i = lo; i < hi; ++i) {
            for (Vertex v : out.of(queue_[i])) {
              Vertex level = load(level_[v]);
              if (level >= 0 || !exchange_if(level_[v], level, depth)) continue;
              found.add(v);
              leaving += out.degree(v);
            }
          }
          return leaving;
        },
        [](Index a, Index b) { return a + b; });
    next.end = end;
    for_level(next, [this, &seen](Vertex v) {
      paths_[v] = sum_given(graph_.near(e_).in().of(v));
      look_at(paths_[v], seen);
    });
  }

  void bottom_up(Vertex depth, Level& next, Seen& seen) {
    Index end = next.end;
    next.leaving = reduce_parts(
        e_, n_, level_grain, Index{0},
        [&](Index lo, Index hi, Index leaving) {
          Found found(queue_, end);
          const CsrGraph& graph = graph_.near(e_);
          for (Index v = lo; v < hi; ++v) {
            if (level_[v] >= 0) continue;
            const Count paths = sum_given(graph.in().of(v));
            if (!(paths > 0)) continue;
            look_at(paths, seen);
            level_[v] = depth;
            paths_[v] = paths;
            found.add(static_cast<Vertex>(v));
            leaving += graph.out.degree(v);
          }
          return leaving;
        },
        [](Index a, Index b) { return a + b; });
    next.end = end;
  }

  /// From the last level to the first. paths_ of the levels that are done hold what they give.
  void depend(Array<float>& scores) {
    for (std::size_t i = levels_.size(); i-- > 0;) {
      const Level& here = levels_[i];
      if (here.leaving < level_alone_below) {
        depend_alone(here, static_cast<Vertex>(i) + 1, scores);
        continue;
      }
      const Level next = i + 1 < levels_.size() ? levels_[i + 1] : Level{};
      for_level(next, [this](Vertex v) { gives_[v] = paths_[v]; });
      for_level(here, [&](Vertex v) { settle(v, sum_given(graph_.near(e_).out.of(v)) * here.unit, scores); });
      for_level(next, [this](Vertex v) { gives_[v] = 0; });
    }
  }

  void depend_alone(const Level& here, Vertex depth, Array<float>& scores) {
    const Csr& out = graph_.near(e_).out;
    for (Index i = here.begin; i < here.end; ++i) {
      Count given = 0;
      for (Vertex v : out.of(queue_[i])) given += level_[v] == depth ? paths_[v] : 0;
      settle(queue_[i], given * here.unit, scores);
    }
  }

  /// Sets a vertex's score and, for the level before it, what it gives.
  void settle(Vertex v, Count given, Array<float>& scores) {
    const Count dependency = paths_[v] * given;
    scores[v] += static_cast<float>(dependency);
    paths_[v] = (1 + dependency) / paths_[v];
  }

  E& e_;
  const CsrGraph& graph_;
  Index n_;
  Array<Vertex> level_;
  Array<Count> paths_;
  Array<Count> gives_;
  Array<Vertex> queue_;  ///< vertices found, level by level
  std::vector<Level> levels_;
};

}  // namespace

template <Executor E>
Array<float> betweenness(E& e, const CsrGraph& graph, std::span<const Vertex> sources) {
  const Index n = graph.vertices;
  auto scores = array_placement_of(e).template split<float>(n);
  for_parts(e, n, score_grain, [&](Index lo, Index hi) { std::fill(scores.data() + lo, scores.data() + hi, 0.0F); });
  if (n == 0) return scores;
  {
    Brandes<E, double> brandes(e, graph);
    std::size_t done = 0;
    while (done < sources.size() && brandes.add(sources[done], scores)) ++done;
    sources = sources.subspan(done);
  }
  if (!sources.empty()) {
    Brandes<E, long double> brandes(e, graph);
    for (Vertex source : sources) {
      if (brandes.add(source, scores)) continue;
      throw Error(Errc::bad_input,
                  "the numbers of shortest paths to vertices equally far from a source differ too widely to count them",
                  "leave out betweenness (bc)");
    }
  }
  const float largest = reduce_parts(
      e, n, score_grain, 0.0F,
      [&](Index lo, Index hi, float most) {
        return std::max(most, *std::max_element(&scores[lo], &scores[lo] + (hi - lo)));
      },
      [](float a, float b) { return std::max(a, b); });
  if (largest > 0) {
    for_parts(e, n, score_grain, [&](Index lo, Index hi) {
      for (Index v = lo; v < hi; ++v) scores[v] /= largest;
    });
  }
  return scores;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) \
  template Array<float> betweenness<Type>(Type&, const CsrGraph&, std::span<const Vertex>);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
