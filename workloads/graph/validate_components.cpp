// Validator of connected components. Equal labels across every edge say that no component is split; as many labels as
// there are components say that none are merged. The components are counted by a sequential union–find, which shares
// nothing with the kernel.
#include <utility>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/complaint.hpp"
#include "workloads/graph/validate.hpp"

namespace charm::workloads {
namespace {

Index count_components(const CsrGraph& graph) {
  Array<Vertex> above(graph.vertices);
  for (Index v = 0; v < graph.vertices; ++v) above[v] = static_cast<Vertex>(v);
  auto root = [&above](Vertex v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  Index components = graph.vertices;
  for (Index v = 0; v < graph.vertices; ++v) {
    Vertex mine = root(static_cast<Vertex>(v));
    for (Vertex to : graph.out.of(v)) {
      if (!graph.directed && to > v) break;  // the list ascends, and the edge is seen from its other end
      Vertex other = root(to);
      if (other == mine) continue;
      if (other < mine) std::swap(other, mine);
      above[other] = mine;
      --components;
    }
  }
  return components;
}

}  // namespace

std::string validate_components(AnyExecutor e, const CsrGraph& graph, const Array<Vertex>& label) {
  const Index n = graph.vertices;
  if (label.size() != n) return fmt::format("{} labels for {} vertices", label.size(), n);
  Complaint wrong;
  const Index labels = e.parallel_reduce(
      0, n, 1024, Index{0},
      [&](Index lo, Index hi, Index own) {
        for (Index v = lo; v < hi; ++v) {
          own += label[v] == v;
          if (label[v] < 0 || label[v] >= n || label[label[v]] != label[v]) {
            wrong.add(v, fmt::format("vertex {} has label {}, which is not a vertex of its own label", v, label[v]));
            continue;
          }
          for (Vertex to : graph.out.of(v)) {
            if (label[to] != label[v]) {
              wrong.add(v, fmt::format("the edge {} -> {} joins labels {} and {}", v, to, label[v], label[to]));
            }
          }
        }
        return own;
      },
      [](Index a, Index b) { return a + b; });
  if (wrong.any()) return wrong.text();
  const Index components = count_components(graph);
  if (labels == components) return {};
  return fmt::format("{} labels for {} components", labels, components);
}

}  // namespace charm::workloads
