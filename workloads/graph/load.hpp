// Graph files: edge lists (`u v` or `u v weight` a line, `#` and `%` begin comments, as SNAP has them), Matrix Market
// coordinate matrices, DIMACS's shortest-path files and METIS's, plain or gzip; and the GAP benchmark suite's binary
// files. METIS's are told by their name (.metis, .graph), binary ones, too (.sg, .wsg), all others by their content. No
// more is allocated than 64 MiB and 64 times the size of the (unpacked) file. A file is read once for its edges and a
// second time for its weights, when SSSP asks for them: a graph never holds weights that no kernel uses, and a weighted
// file costs no more than another.
#pragma once

#include <string>
#include <vector>

#include "workloads/executor/any.hpp"
#include "workloads/files/input_file.hpp"
#include "workloads/graph/csr.hpp"

namespace charm::workloads {

/// The properties of the weights column that the first reading has found.
struct WeightColumn {
  bool present = false;
  bool usable = false;  ///< all are whole numbers from 0 to 2^31 - 1
  double smallest = 0;
  double largest = 0;
};

struct Loaded {
  CsrGraph graph;
  WeightColumn weights;
  std::vector<Vertex> numbers;  ///< of the file's vertices, if the graph was numbered in another order; else empty
};

/// Edges are taken in both directions if `undirected` or if the file is a symmetric matrix. Errors: Errc::bad_input
/// with file, line and remedy.
Loaded load_graph(AnyExecutor e, const InputFile& input, bool undirected);

/// The weights of the file for the graph loaded from it: of repeated edges the smallest, as in GAPBS.
Weights load_weights(AnyExecutor e, const InputFile& input, const Loaded& loaded);

}  // namespace charm::workloads
