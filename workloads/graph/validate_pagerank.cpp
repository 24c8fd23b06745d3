// Validator of PageRank: the residual of one exact iteration (see validate.hpp).
#include <cmath>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/complaint.hpp"
#include "workloads/graph/validate.hpp"

namespace charm::workloads {

std::string validate_pagerank(AnyExecutor e, const CsrGraph& graph, const Array<float>& scores, double tolerance) {
  constexpr Index grain = 4096;
  constexpr double damping = 0.85;
  const Index n = graph.vertices;
  if (scores.size() != n) return fmt::format("{} scores for {} vertices", scores.size(), n);
  if (n == 0) return {};
  const double base = (1 - damping) / static_cast<double>(n);
  Array<double> gives(n);
  Complaint wrong;
  e.parallel_for(0, n, grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      // Nobody has less than the base, up to the rounding of single precision; NaN fails the comparison too.
      if (!(scores[v] >= base * (1 - 1e-5)) || !std::isfinite(scores[v])) {
        wrong.add(v, fmt::format("vertex {} has score {}, less than the {} that each starts with", v, scores[v], base));
      }
      gives[v] = graph.out.degree(v) > 0 ? scores[v] / static_cast<double>(graph.out.degree(v)) : 0;
    }
  });
  if (wrong.any()) return wrong.text();
  const double residual = e.parallel_reduce(
      0, n, grain, 0.0,
      [&](Index lo, Index hi, double sum) {
        for (Index v = lo; v < hi; ++v) {
          double given = 0;
          for (Vertex u : graph.in().of(v)) given += gives[u];
          sum += std::fabs(base + damping * given - static_cast<double>(scores[v]));
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
  if (residual < tolerance) return {};
  return fmt::format("another iteration changes the scores by {:.3g} in all, not by less than {:.3g}", residual,
                     tolerance);
}

}  // namespace charm::workloads
