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
// Encoding: `gives[v]` is score(v)/out-degree(v): one random read an edge instead of two and a division.
//
// L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the web", Stanford 1999.
#include "workloads/graph/pagerank.hpp"

#include <cmath>
#include <cstddef>

#include "workloads/executor/all.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index grain = 4096;

/// Four sums at a time: one alone would wait for each addition before the next.
float sum_given(std::span<const Vertex> neighbours, const Array<float>& gives) {
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

float share(float score, Index out_degree) { return out_degree > 0 ? score / static_cast<float>(out_degree) : 0; }

}  // namespace

template <Executor E>
PageRank pagerank(E& e, const CsrGraph& graph, double tolerance, int most) {
  const Index n = graph.vertices;
  PageRank result{Array<float>(n), 0, 0};
  if (n == 0) return result;
  auto& scores = result.scores;
  Array<float> gives(n);
  const auto first = 1.0F / static_cast<float>(n);
  const auto base = (1.0F - pagerank_damping) / static_cast<float>(n);
  e.parallel_for(0, n, grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      scores[v] = first;
      gives[v] = share(first, graph.out.degree(v));
    }
  });
  while (result.iterations < most) {
    result.change = e.parallel_reduce(
        0, n, grain, 0.0,
        [&](Index lo, Index hi, double change) {
          for (Index v = lo; v < hi; ++v) {
            float score = base + pagerank_damping * sum_given(graph.in().of(v), gives);
            change += std::fabs(static_cast<double>(score - scores[v]));
            scores[v] = score;
            store(gives[v], share(score, graph.out.degree(v)));
          }
          return change;
        },
        [](double a, double b) { return a + b; });
    ++result.iterations;
    if (result.change < tolerance) break;
  }
  return result;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template PageRank pagerank<Type>(Type&, const CsrGraph&, double, int);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)

}  // namespace charm::workloads
