// The layers with the instructions that every processor of the architecture has.
#include "task_dag/gcn_layers.hpp"

namespace charm::task_dag {

void gcn_layers_plain(const GcnGraph& graph, const GcnWeights& weights, float* scratch, float* mean, float* most) {
  gcn_layers(graph, weights, scratch, mean, most);
}

}  // namespace charm::task_dag
