// The layers with the instructions that every processor of the architecture has.
#include "batch/gcn_layers.hpp"

namespace charm::batch {

void gcn_layers_plain(const GcnGraph& graph, const GcnWeights& weights, float* scratch, float* mean, float* most) {
  gcn_layers(graph, weights, scratch, mean, most);
}

}  // namespace charm::batch
