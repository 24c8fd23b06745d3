// What TAPMM's figures have in common: programs whose pages are spread over the nodes by weights, on a model's caches
// and buses. Weights come from src/tools/memory_traffic, the same code as the malloc's.
#pragma once

#include <string>
#include <vector>

#include "tools/memory_traffic/weight_policy.hpp"
#include "tools/sim/model.hpp"

namespace charm::sim {

/// The memories and buses of a simulated machine as src/tools/memory_traffic sees them.
memory_traffic::Model traffic_model(const Model& model);

/// Threads of one program on the first cores of a node, and where their memory lies.
struct Reading {
  int node = 0;
  int threads = 1;
  double read_gb_per_s = 0;     ///< of all threads, with local memory and nobody else; 0: as fast as a core can stream
  double written_gb_per_s = 0;  ///< the same
  memory_traffic::Weights weights;  ///< by node; their sum counts as 1
};

/// GB/s that each of the programs gets when all run at the same time. \param background taken from each memory by
/// others, GB/s by node, by cores of that node; empty: nothing.
std::vector<double> gb_per_s_of(const Model& model, const std::vector<Reading>& programs,
                                const std::vector<double>& background = {});

/// The weights of a policy for huge blocks of a node's threads.
memory_traffic::Weights weights_of(const memory_traffic::Model& model, std::string_view policy, int node,
                                   const memory_traffic::Bandwidths& left,
                                   double demand_gb_per_s = memory_traffic::unlimited);

/// All on one node.
memory_traffic::Weights only_on(std::size_t nodes, int node);

/// A program of TAPMM Tab. 1: what it reads and writes a second, and the memory of its huge and its normal blocks.
struct MappedProgram {
  std::string_view name;
  double read_gb_per_s, written_gb_per_s;
  double huge_mb, normal_mb;
};
const std::vector<MappedProgram>& mapped_programs();

/// How long a program takes with its huge and normal blocks spread so, on the first node's cores, relative to others of
/// the same function: smaller is faster.
double time_of(const Model& model, const MappedProgram& program, const memory_traffic::Weights& huge,
               const memory_traffic::Weights& normal, const std::vector<double>& background = {});

}  // namespace charm::sim
