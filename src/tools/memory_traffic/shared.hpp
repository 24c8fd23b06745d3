// Weights for a block that the cpus of several domains read: TAPMM places it for the one that allocates it, which can
// be worse than plain interleaving (four readers on two Kunpeng 920: 82.5 against 120 GB/s).
//
// With x_i GB/s from memory i and the part a_s of every read by source s, the best is the linear program
//   maximise sum x_i,  x_i <= controller i,  for each bus and direction:
//   sum over s of a_s * (sum of the x_i that s reads through it) <= its bandwidth,
// and of its solutions one with the least latency.
#pragma once

#include <span>

#include "tools/memory_traffic/flow.hpp"
#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

struct Reader {
  int root = 0;      ///< index in Model::domains
  double share = 1;  ///< of all reads; those of all readers sum to 1
};

/// Every root reads alike.
std::vector<Reader> all_readers(const Model& model);

/// GB/s from each memory, at most `demand_gb_per_s` in all.
Weights shared_flow(const Model& model, const Bandwidths& left, std::span<const Reader> readers,
                    double demand_gb_per_s = unlimited);

/// GB/s at which the readers together read a block of these weights; 0 where their sum is 0.
double shared_rate(const Model& model, const Bandwidths& left, std::span<const Reader> readers, const Weights& weights);

}  // namespace charm::memory_traffic
