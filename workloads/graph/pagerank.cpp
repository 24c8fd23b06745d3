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
// What an iteration leaves longest is a sum of scores that is off, by some factor that depends on the order of
// vertices: it shrinks by damping squared only. So where that has become a good part of what an iteration changes, all
// scores are scaled by the one factor that puts their sum at rest (aggregation with a single aggregate), which costs a
// pass over the vertices and saves a third of the passes over the edges on Kronecker graphs.
//
// Encoding: `gives[v]` is score(v)/out-degree(v): one random read an edge instead of two and a division.
//
// L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the web", Stanford 1999.
// Aggregation: J. Koury, D. McAllister, W. Stewart, "Iterative methods for computing stationary distributions of nearly
// completely decomposable Markov chains", SIAM J. Alg. Disc. Meth. 5 (1984).
#include "workloads/graph/pagerank.hpp"

#include <cmath>
#include <cstddef>
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

/// What a sweep changed, and the sums that aggregation needs, over vertices with in-edges.
struct Sweep {
  double change = 0;
  double held = 0;   ///< sum of scores
  double given = 0;  ///< of those, what is given on to others (all but the scores of vertices without out-edges)
};

Sweep operator+(const Sweep& a, const Sweep& b) { return {a.change + b.change, a.held + b.held, a.given + b.given}; }

template <Executor E>
class Iteration {
 public:
  Iteration(E& e, const CsrGraph& graph)
      : e_(e),
        graph_(graph),
        n_(graph.vertices),
        scores_(array_placement_of(e).template split<float>(n_)),
        gives_(array_placement_of(e).template split<float>(n_)),
        base_((1.0F - pagerank_damping) / static_cast<float>(n_)) {
    const float first = 1.0F / static_cast<float>(n_);
    income_ = reduce_parts(
        e_, n_, pagerank_grain, 0.0,
        [&](Index lo, Index hi, double income) {
          const CsrGraph& near = graph_.near(e_);
          for (Index v = lo; v < hi; ++v) {
            // Without in-edges a score is the base from the start, and what it gives is income that no iteration
            // changes.
            const bool fed = near.in().degree(v) > 0;
            scores_[v] = fed ? first : base_;
            gives_[v] = share(scores_[v], near.out.degree(v));
            income += fed ? base_ : near.out.degree(v) > 0 ? pagerank_damping * base_ : 0.0F;
          }
          return income;
        },
        [](double a, double b) { return a + b; });
  }

  Sweep sweep() {
    return reduce_parts(
        e_, n_, pagerank_grain, Sweep{},
        [this](Index lo, Index hi, Sweep sums) {
          const CsrGraph& graph = graph_.near(e_);
          for (Index v = lo; v < hi; ++v) {
            auto in = graph.in().of(v);
            if (in.empty()) continue;
            const Index out_degree = graph.out.degree(v);
            const float score = base_ + pagerank_damping * sum_given(in, gives_);
            sums.change += std::fabs(static_cast<double>(score - scores_[v]));
            sums.held += static_cast<double>(score);
            sums.given += out_degree > 0 ? static_cast<double>(score) : 0;
            scores_[v] = score;
            store(gives_[v], share(score, out_degree));
          }
          return sums;
        },
        [](const Sweep& a, const Sweep& b) { return a + b; });
  }

  /// Scales scores so that their sum is at rest, held = income + damping * given, if that changes enough.
  void aggregate(const Sweep& sums) {
    const double rest = sums.held - static_cast<double>(pagerank_damping) * sums.given;
    if (scaled_ == most_scaled || !(rest > 0)) return;
    if (std::fabs(income_ / rest - 1) * sums.held < worth_scaling * sums.change) return;
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
  }

  Array<float> take() { return std::move(scores_); }

 private:
  E& e_;
  const CsrGraph& graph_;
  Index n_;
  Array<float> scores_;
  Array<float> gives_;
  float base_;
  double income_ = 0;  ///< what vertices with in-edges get from outside of them
  int scaled_ = 0;
};

}  // namespace

template <Executor E>
PageRank pagerank(E& e, const CsrGraph& graph, double tolerance, int most) {
  PageRank result;
  if (graph.vertices == 0) return result;
  Iteration<E> iteration(e, graph);
  while (result.iterations < most) {
    const Sweep sums = iteration.sweep();
    result.change = sums.change;
    ++result.iterations;
    if (result.change < tolerance) break;
    iteration.aggregate(sums);
  }
  result.scores = iteration.take();
  return result;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template PageRank pagerank<Type>(Type&, const CsrGraph&, double, int);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
