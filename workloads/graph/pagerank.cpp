// Kernel: PageRank
//
// Returns scores (see pagerank.hpp) that solve score(v) = (1 - d)/n + d * sum over in-neighbours u of
// score(u)/out-degree(u). As in the GAP benchmark suite, vertices without out-edges give their score to nobody, so that
// scores need not sum to 1.
//
// Algorithm: pull. Every vertex sums what its in-neighbours give; nobody else writes its score, so no addition is
// atomic. New values are used in the same iteration as soon as they are there (Gauss–Seidel), which takes fewer
// iterations than exchanging two arrays. Which of them a neighbour sees depends on timing: results differ within the
// tolerance from run to run.
//
// Three things save iterations:
// - Start: a vertex with k in-edges gets base + c k, where c makes the sum of scores right. That is about
//   what the first iteration would make of equal scores, where vertices' neighbours are alike. A sample of vertices
//   shows which of the two starts a first iteration changes less.
// - Sum: What an iteration leaves longest is a sum of scores that is off, by some factor that depends on the order of
//   vertices: it shrinks by damping squared only. So where that has become a good part of what an iteration changes,
//   all scores are scaled by the one factor that puts their sum at rest (aggregation with a single aggregate), which
//   costs a pass over the vertices and saves a third of the passes over the edges on Kronecker graphs.
// - Over-relaxation: Where changes shrink slowly, as on road networks, each score goes further than to its new value.
//   How far is best follows from the rate at which changes have shrunk (Young), for undirected graphs. There, where
//   vertices take turns, any multiple below 2 of the way converges; in all graphs and in any order one below
//   2 / (1 + damping) does. Once changes have grown no score goes further than to its new value.
//
// Encoding: `gives[v]` is score(v)/out-degree(v): one random read an edge instead of two and a division.
//
// L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the web", Stanford 1999.
// Aggregation: J. Koury, D. McAllister, W. Stewart, "Iterative methods for computing stationary distributions of nearly
// completely decomposable Markov chains", SIAM J. Alg. Disc. Meth. 5 (1984).
// Over-relaxation: L. Hageman, D. Young, "Applied iterative methods", Academic Press 1981, chapter 9.
#include "workloads/graph/pagerank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/pagerank_sum.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index pagerank_grain = 4096;
constexpr double worth_scaling = .1;  // of the last iteration's change
constexpr int most_scaled = 4;        // times; from then on plain iteration is sure to converge

constexpr double furthest = 1.25;           // that scores go, as a multiple of the way to the new value
constexpr double furthest_directed = 1.08;  // just below 2 / (1 + damping)
constexpr double worth_guessing = 4;        // by how much less a first iteration has to change than from equal scores
constexpr Index most_sampled = 256;         // vertices
constexpr Index most_read = 8192;           // arcs of these

/// What a sweep changed, and the sums that aggregation needs, over vertices with in-edges.
struct Sweep {
  double change = 0;
  double held = 0;  ///< sum of scores
  double kept = 0;  ///< of those, the scores of vertices without out-edges, who give them to nobody
};

Sweep operator+(const Sweep& a, const Sweep& b) { return {a.change + b.change, a.held + b.held, a.kept + b.kept}; }

/// Vertices by whether there are arcs from them, and to them.
struct Degrees {
  Index givers = 0;
  Index fed = 0;
  Index unfed_givers = 0;
  Index arcs_to_givers = 0;
};

Degrees operator+(const Degrees& a, const Degrees& b) {
  return {a.givers + b.givers, a.fed + b.fed, a.unfed_givers + b.unfed_givers, a.arcs_to_givers + b.arcs_to_givers};
}

/// The relaxation that suits best where changes have shrunk by `rate` in an iteration with relaxation `now`: from the
/// rate follows the square of the largest eigenvalue, below damping squared, and from that the best relaxation.
double best_relaxation(double rate, double now) {
  const double root = rate + now - 1;
  const double damping = pagerank_damping;
  const double eigenvalue2 = std::min(root * root / (rate * now * now), damping * damping);
  return 2 / (1 + std::sqrt(1 - eigenvalue2));
}

template <Executor E>
class Iteration {
 public:
  Iteration(E& e, const CsrGraph& graph)
      : e_(e),
        graph_(graph),
        n_(graph.vertices),
        scores_(array_placement_of(e).template split<float>(n_)),
        gives_(array_placement_of(e).template split<float>(n_)),
        base_((1.0F - pagerank_damping) / static_cast<float>(n_)),
        equal_(1.0F / static_cast<float>(n_)) {
    const Degrees degrees = count_degrees();
    const double base = base_;
    const double damping = pagerank_damping;
    // Without in-edges a score is the base from the start, and what it gives is income that no iteration changes.
    income_ = base * static_cast<double>(degrees.fed) + damping * base * static_cast<double>(degrees.unfed_givers);
    // So that what all hold, base for each and `per_arc` for each arc that leads to it, is what all give.
    const double arcs = static_cast<double>(graph.arcs());
    if (graph.arcs() > 0)
      per_arc_ = static_cast<float>(damping * base * static_cast<double>(degrees.givers) /
                                    (arcs - damping * static_cast<double>(degrees.arcs_to_givers)));
    by_degree_ = degrees_are_the_better_start();
    for_parts(e_, n_, pagerank_grain, [this](Index lo, Index hi) {
      const CsrGraph& near = graph_.near(e_);
      for (Index v = lo; v < hi; ++v) {
        scores_[v] = first(near.in().degree(v), by_degree_);
        gives_[v] = share(scores_[v], near.out.degree(v));
      }
    });
  }

  Sweep sweep() {
    return reduce_parts(
        e_, n_, pagerank_grain, Sweep{},
        [this](Index lo, Index hi, Sweep sums) {
          const CsrGraph& graph = graph_.near(e_);
          // The compiler reads again after each atomic access whatever is not a variable of its own.
          const Csr::View in = graph.in().view();
          const Index* const out = graph.out.offsets.data();
          float* const scores = scores_.data();
          float* const gives = gives_.data();
          const float base = base_;
          const auto relaxation = static_cast<float>(relaxation_);
          for (Index v = lo; v < hi; ++v) {
            const auto neighbours = in.of(v);
            if (neighbours.empty()) continue;
            const Index out_degree = out[v + 1] - out[v];
            const float old = scores[v];
            const float unmoved = relaxation * base + (1 - relaxation) * old;
            const float part = share(1, out_degree);
            // A neighbour may have had its score just before: from that to this one's gift there is little to wait for.
            const float given = pagerank_damping * sum_given(neighbours, gives);
            const float score = unmoved + relaxation * given;
            store(gives[v], score * part);
            scores[v] = score;
            sums.change += static_cast<double>(std::fabs(base + given - old));
            sums.held += static_cast<double>(score);
            if (out_degree == 0) sums.kept += static_cast<double>(score);
          }
          return sums;
        },
        [](const Sweep& a, const Sweep& b) { return a + b; });
  }

  /// At most what an exact iteration would change after a sweep: scores that went too far, and neighbours that were
  /// read before they changed.
  [[nodiscard]] double residual(const Sweep& sums) const {
    return sums.change * std::max(1.0, relaxation_ - 1 + static_cast<double>(pagerank_damping) * relaxation_);
  }

  /// What the next sweep is to do other than this one. If it is likely to be the last, scores do not go too far.
  void adapt(const Sweep& sums, double tolerance) {
    const bool scaled = aggregate(sums);
    const double before = std::exchange(last_change_, sums.change);
    if (scaled || !(before > 0) || !(sums.change > 0)) return;
    const double rate = sums.change / before;
    if (rate >= 1) {
      best_ = furthest_ = 1;
    } else {
      best_ = std::min(std::max(best_, best_relaxation(rate, relaxation_)), furthest_);
    }
    relaxation_ = sums.change * rate < tolerance ? 1 : best_;
  }

  /// Scores that went too far may be below what all have; the base is nearer to where they belong.
  Array<float> take() {
    for_parts(e_, n_, pagerank_grain, [this](Index lo, Index hi) {
      for (Index v = lo; v < hi; ++v) scores_[v] = std::max(scores_[v], base_);
    });
    return std::move(scores_);
  }

 private:
  [[nodiscard]] float first(Index in_degree, bool by_degree) const {
    return by_degree ? base_ + per_arc_ * static_cast<float>(in_degree) : in_degree > 0 ? equal_ : base_;
  }

  [[nodiscard]] Degrees count_degrees() const {
    return reduce_parts(
        e_, n_, pagerank_grain, Degrees{},
        [this](Index lo, Index hi, Degrees sum) {
          const CsrGraph& near = graph_.near(e_);
          for (Index v = lo; v < hi; ++v) {  // without branches, which could not be foreseen
            const Index in_degree = near.in().degree(v);
            const Index gives = near.out.degree(v) > 0 ? 1 : 0;
            const Index fed = in_degree > 0 ? 1 : 0;
            sum = sum + Degrees{gives, fed, gives & ~fed, gives * in_degree};
          }
          return sum;
        },
        [](const Degrees& a, const Degrees& b) { return a + b; });
  }

  /// What a first iteration would change in some vertices.
  [[nodiscard]] bool degrees_are_the_better_start() const {
    const CsrGraph& graph = graph_.near(e_);
    const Index step = std::max<Index>(1, n_ / most_sampled);
    double from_equal = 0;
    double from_degrees = 0;
    Index read = 0;
    for (Index v = 0; v < n_ && read < most_read; v += step) {
      const auto in = graph.in().of(v);
      if (in.empty()) continue;
      read += static_cast<Index>(in.size());
      float equal = 0;
      float degrees = 0;
      for (const Vertex u : in) {
        const Index of_neighbour = graph.in().degree(u);
        equal += share(first(of_neighbour, false), graph.out.degree(u));
        degrees += share(first(of_neighbour, true), graph.out.degree(u));
      }
      const auto in_degree = static_cast<Index>(in.size());
      from_equal += static_cast<double>(std::fabs(base_ + pagerank_damping * equal - first(in_degree, false)));
      from_degrees += static_cast<double>(std::fabs(base_ + pagerank_damping * degrees - first(in_degree, true)));
    }
    return from_degrees * worth_guessing < from_equal;
  }

  /// Scales scores so that their sum is at rest, held = income + damping * given, if that changes enough.
  bool aggregate(const Sweep& sums) {
    const double rest = sums.held - static_cast<double>(pagerank_damping) * (sums.held - sums.kept);
    if (scaled_ == most_scaled || !(rest > 0)) return false;
    if (std::fabs(income_ / rest - 1) * sums.held < worth_scaling * sums.change) return false;
    ++scaled_;
    const auto factor = static_cast<float>(income_ / rest);
    for_parts(e_, n_, pagerank_grain, [this, factor](Index lo, Index hi) {
      const Csr& in = graph_.near(e_).in();
      for (Index v = lo; v < hi; ++v) {
        if (in.degree(v) == 0) continue;
        scores_[v] *= factor;
        gives_[v] *= factor;
      }
    });
    return true;
  }

  E& e_;
  const CsrGraph& graph_;
  Index n_;
  Array<float> scores_;
  Array<float> gives_;
  float base_;
  float equal_;        ///< the score of each if all had the same
  float per_arc_ = 0;  ///< what an arc brings at the start
  bool by_degree_ = false;
  double income_ = 0;  ///< what vertices with in-edges get from outside of them
  int scaled_ = 0;
  double last_change_ = 0;
  double relaxation_ = 1;  ///< of the next sweep
  double best_ = 1;        ///< the relaxation that has turned out best so far
  double furthest_ = graph_.directed ? furthest_directed : furthest;
};

}  // namespace

template <Executor E>
PageRank pagerank(E& e, const CsrGraph& graph, double tolerance, int most) {
  PageRank result;
  if (graph.vertices == 0) return result;
  Iteration<E> iteration(e, graph);
  while (result.iterations < most) {
    const Sweep sums = iteration.sweep();
    result.change = iteration.residual(sums);
    ++result.iterations;
    if (result.change < tolerance) break;
    iteration.adapt(sums, tolerance);
  }
  result.scores = iteration.take();
  return result;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template PageRank pagerank<Type>(Type&, const CsrGraph&, double, int);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
