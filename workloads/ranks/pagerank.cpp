// Kernel: PageRank on several ranks
//
// The algorithm is that of graph/pagerank.cpp without aggregation. Within a rank new values are used in the same
// iteration; those of the other ranks are exchanged after each one. So an iteration still shrinks what is left by the
// damping at least, and takes 4 bytes for each vertex and rank.
#include "workloads/graph/pagerank.hpp"

#include <charm/remote.hpp>

#include <cmath>

#include <fmt/format.h>

#include "workloads/graph/complaint.hpp"
#include "workloads/graph/pagerank_sum.hpp"
#include "workloads/ranks/graph.hpp"
#include "workloads/ranks/together.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index grain = 4096;

double sum(double a, double b) { return a + b; }

}  // namespace

RankScores pagerank_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, double tolerance, int most) {
  const Csr& lists = graph.part.out;
  const Index own = graph.part.vertices;
  const auto all = static_cast<float>(graph.rows.size());
  const float base = (1.0F - pagerank_damping) / all;
  RankScores result;
  result.scores = Array<float>(own);
  result.gives = Array<float>(graph.rows.size());
  e.parallel_for(0, own, grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      result.scores[v] = lists.degree(v) > 0 ? 1.0F / all : base;
      result.gives[graph.first + v] = share(result.scores[v], lists.degree(v));
    }
  });
  share_parts(result.gives, graph.rows);
  do {
    const double change = e.parallel_reduce(
        0, own, grain, 0.0,
        [&](Index lo, Index hi, double changed) {
          for (Index v = lo; v < hi; ++v) {
            const Index degree = lists.degree(v);
            if (degree == 0) continue;
            const float score = base + pagerank_damping * sum_given(lists.of(v), result.gives.data());
            changed += std::fabs(static_cast<double>(score - result.scores[v]));
            result.scores[v] = score;
            store(result.gives[graph.first + v], share(score, degree));
          }
          return changed;
        },
        sum);
    share_parts(result.gives, graph.rows);
    result.change = sum_of_ranks(change);
    ++result.iterations;
  } while (result.change >= tolerance && result.iterations < most);
  return result;
}

std::string validate_pagerank_on_ranks(CharmExecutor& e, const RankGraph::Data& graph, const RankScores& result,
                                       double tolerance) {
  constexpr double damping = 0.85;
  const Csr& lists = graph.part.out;
  const double base = (1 - damping) / static_cast<double>(graph.rows.size());
  Complaint wrong;
  const double residual = e.parallel_reduce(
      0, graph.part.vertices, grain, 0.0,
      [&](Index lo, Index hi, double total) {
        for (Index v = lo; v < hi; ++v) {
          const auto score = static_cast<double>(result.scores[v]);
          const auto degree = static_cast<double>(lists.degree(v));
          // NaN fails these comparisons, too.
          if (!(score >= base * (1 - 1e-5)) || !std::isfinite(score))
            wrong.add(v, fmt::format("vertex {} has score {}, less than the {} that each starts with", graph.first + v,
                                     score, base));
          const auto gives = static_cast<double>(result.gives[graph.first + v]);
          if (degree > 0 && !(std::fabs(gives * degree - score) <= 1e-6 * score))
            wrong.add(v, fmt::format("vertex {} gives {} and has score {}", graph.first + v, gives, score));
          double given = 0;
          for (const Vertex u : lists.of(v)) given += static_cast<double>(result.gives[u]);
          total += std::fabs(base + damping * given - score);
        }
        return total;
      },
      sum);
  const double all = sum_of_ranks(residual);
  std::string text = wrong.text();
  if (text.empty() && !(all < tolerance))
    text =
        fmt::format("another iteration changes the scores by {:.3g} in all, not by less than {:.3g}", all, tolerance);
  return first_complaint(text);
}

}  // namespace charm::workloads
