// The layers for x86-64 processors with AVX2 and FMA; this file is compiled with these.
#include "task_dag/gcn_layers.hpp"

namespace charm::task_dag {

void gcn_layers_avx2(const GcnGraph& graph, const GcnWeights& weights, float* scratch, float* mean, float* most) {
  gcn_layers(graph, weights, scratch, mean, most);
}

}  // namespace charm::task_dag
