// Policies of the traffic-aware malloc as values in one registry: a name, what it does, the weights of huge blocks, and
// whether normal memory is placed. Adding one is one function and one row in weight_policy.cpp.
//
// TAPMM Fig. 11 has two of them under other names: TAPMM-static is `exact` with weights that are never refreshed,
// TAPMM-huge is `huge-only`.
#pragma once

#include <span>
#include <string_view>

#include "tools/memory_traffic/shared.hpp"

namespace charm::memory_traffic {

/// Who reads the block, and with which bandwidths.
struct Question {
  const Model* model = nullptr;
  Bandwidths left;                     ///< capacities(), or remaining()
  int root = 0;                        ///< the domain whose cpus allocate
  std::vector<Reader> readers = {};    ///< of a block that several domains read; empty: `root` alone
  double demand_gb_per_s = unlimited;  ///< what they can read at most
};

struct Policy {
  std::string_view name;
  std::string_view summary;
  Weights (*huge)(const Question& question);  ///< of a huge block; not normalised
  bool places_normal;                         ///< normal memory is kept in the socket; else the kernel's choice
};

/// All policies, in the order in which they are shown.
std::span<const Policy> policies();

/// \throws Error (bad_config) that names the policies there are.
const Policy& policy(std::string_view name);

/// The weights of a huge block, with the sum 1.
Weights huge_weights(const Policy& policy, const Question& question);

/// Index of the memory for normal blocks (TAPMM §3.3): of those in the root's socket, the one with the largest weight;
/// of those that differ by less than a tenth the nearest. -1: the kernel shall choose, because the policy does, or
/// because the socket has no memory.
int normal_memory(const Policy& policy, const Question& question);

}  // namespace charm::memory_traffic
