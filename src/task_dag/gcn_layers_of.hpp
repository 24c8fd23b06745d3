// What gcn.cpp gives to the layers, and the functions that compute them with one set of instructions each.
#pragma once

namespace charm::task_dag {

struct GcnGraph {
  unsigned nodes;
  const float* values;  // nodes × 8
  const unsigned* offsets;
  const unsigned* neighbours;
  const float* scales;    // D^-1/2, by node
  const unsigned* order;  // in which the nodes are gone through
};
struct GcnWeights {
  const float* convolution1;  // 8 × 16
  const float* convolution2;  // 16 × 16
  const float* mean;          // 8
  const float* one_by_scale;  // 8
};

/// \param scratch nodes × 24, aligned to 64 bytes. \param mean, most 16 each: of the columns of H2.
using GcnLayers = void(const GcnGraph& graph, const GcnWeights& weights, float* scratch, float* mean, float* most);
GcnLayers gcn_layers_plain;
#if defined(CHARM_GCN_X86)
GcnLayers gcn_layers_avx2;
GcnLayers gcn_layers_avx512;
#endif

}  // namespace charm::task_dag
