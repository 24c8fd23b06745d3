// The graph convolutional network that chooses between the schedules: two convolutions over the nodes, a pool over the
// graph, and two dense layers.
//
//     X  = standardised node features                                      n × 8
//     H1 = relu(S X W1)      S = D^-1/2 (A + A^T + I) D^-1/2                n × 16
//     H2 = relu(S H1 W2)                                                   n × 16
//     p  = (mean of the rows of H2, their maximum, log(1 + n))              33
//     y  = relu(p V1 + b1) V2 + b2                                          3: batch, stream, both
//
// Source: T. N. Kipf and M. Welling, ICLR 2017; ABSS §3.2 has the classes but not the layers. 979 parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "task_dag/node_table.hpp"

namespace charm::task_dag {

struct Gcn {
  static constexpr std::size_t inputs = NodeTable::features, hidden = 16, pooled = 2 * hidden + 1, classes = 3;
  static constexpr std::size_t parameters =
      inputs * hidden + hidden * hidden + pooled * hidden + hidden + hidden * classes + classes;
  /// Graphs of more nodes than that are not looked at: the network was trained on far smaller ones, and its memory
  /// would be as large as theirs.
  static constexpr std::uint32_t most_nodes = std::uint32_t{1} << 20U;

  // Row by row, in the order of the formulas.
  alignas(64) std::array<float, inputs * hidden> convolution1{};
  alignas(64) std::array<float, hidden * hidden> convolution2{};
  alignas(64) std::array<float, pooled * hidden> dense1{};
  std::array<float, hidden> bias1{};
  std::array<float, hidden * classes> dense2{};
  std::array<float, classes> bias2{};
  std::array<float, inputs> mean{}, scale{};  // by which features are standardised: (x - mean) / scale

  /// y above. About 15 ns a node on one core. \param table has at least a node.
  [[nodiscard]] std::array<float, classes> logits(const NodeTable& table) const;
};
static_assert(Gcn::parameters == 979);

}  // namespace charm::task_dag
