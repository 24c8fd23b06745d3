// Where searches start: vertices with out-edges, drawn evenly as GAPBS draws them (the same generator, seed and
// rejection), so that on the same graph the same trial of both suites starts at the same vertex.
#pragma once

#include <functional>
#include <vector>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

/// The first `count` sources. In a graph without edges: any vertices.
std::vector<Vertex> pick_sources(const CsrGraph& graph, int count);

/// The same for a graph that is not all here. \param usable whether a vertex has out-edges; some vertex must.
std::vector<Vertex> pick_sources(Index vertices, const std::function<bool(Vertex)>& usable, int count);

/// Graph500's: as above, but all different if there are as many.
std::vector<Vertex> pick_different_sources(const CsrGraph& graph, int count);
std::vector<Vertex> pick_different_sources(Index vertices, const std::function<bool(Vertex)>& usable, int count);

}  // namespace charm::workloads
