// Validator of betweenness: Brandes's algorithm as in his paper, sequential, with numbers of any size. It shares
// nothing with the kernel, which pulls, goes by levels and changes direction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "workloads/graph/validate.hpp"

namespace charm::workloads {
namespace {

/// A number of paths, value * 2^exponent: there can be more than any built-in type holds.
struct Paths {
  double value = 0;
  int exponent = 0;

  void add(const Paths& other) {
    if (value == 0) exponent = other.exponent;
    const int up = std::max(exponent, other.exponent);
    int carried = 0;
    value = std::frexp(scaled(value, exponent - up) + scaled(other.value, other.exponent - up), &carried);
    exponent = up + carried;
  }
  /// This number over another.
  [[nodiscard]] double over(const Paths& other) const { return scaled(value / other.value, exponent - other.exponent); }

 private:
  static double scaled(double x, int by) { return std::scalbn(x, by); }
};

void add_dependencies(const CsrGraph& graph, Vertex source, std::vector<double>& scores) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  std::vector<Paths> paths(n);
  std::vector<double> dependency(n);
  std::vector<Vertex> distance(n, -1);
  std::vector<Vertex> found{source};
  auto at = [](Vertex v) { return static_cast<std::size_t>(v); };
  distance[at(source)] = 0;
  paths[at(source)].value = 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Vertex u = found[i];
    for (Vertex v : graph.out.of(u)) {
      if (distance[at(v)] < 0) {
        distance[at(v)] = distance[at(u)] + 1;
        found.push_back(v);
      }
      if (distance[at(v)] == distance[at(u)] + 1) paths[at(v)].add(paths[at(u)]);
    }
  }
  for (std::size_t i = found.size(); i-- > 0;) {
    const Vertex u = found[i];
    for (Vertex v : graph.out.of(u)) {
      if (distance[at(v)] == distance[at(u)] + 1)
        dependency[at(u)] += paths[at(u)].over(paths[at(v)]) * (1 + dependency[at(v)]);
    }
    scores[at(u)] += dependency[at(u)];
  }
}

}  // namespace

std::string validate_betweenness(const CsrGraph& graph, std::span<const Vertex> sources, const Array<float>& scores) {
  if (scores.size() != graph.vertices) return fmt::format("{} scores for {} vertices", scores.size(), graph.vertices);
  std::vector<double> expected(static_cast<std::size_t>(graph.vertices));
  for (Vertex source : sources) add_dependencies(graph, source, expected);
  const double largest = expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end());
  for (Index v = 0; v < graph.vertices; ++v) {
    const double wanted = largest > 0 ? expected[static_cast<std::size_t>(v)] / largest : 0;
    const auto score = static_cast<double>(scores[v]);
    if (!(std::fabs(score - wanted) <= 1e-5 * wanted + 1e-9))
      return fmt::format("vertex {} has score {:.9g} instead of {:.9g}", v, score, wanted);
  }
  return {};
}

}  // namespace charm::workloads
