// The generators that workloads.cpp registers; each is defined in the file of its name.
#pragma once

#include "tools/sim/generator.hpp"

namespace charm::sim {

extern const Generator sweep_generator, copy_generator, triad_generator, uniform_generator, zipf_generator,
    readonly_generator, pairs_generator, all_to_all_generator, contended_generator, hash_join_generator, bfs_generator,
    cc_generator, sssp_generator, pagerank_generator, graph500_generator, gups_generator, sgd_generator,
    streamcluster_generator, ycsb_generator, tpcc_generator, compute_generator;

inline constexpr double mib = 1048576;
inline constexpr double least_mib = 1e-6, largest_mib = 1e9;  // range of parameters that are sizes

/// How a step is divided, as a parameter of workloads with barriers.
inline constexpr Parameter parts_parameter = {
    "parts", 0, "a step's parts: 0 as workers are free, 1 equal, 2 by the capacity of cores", 0, 2};

inline Parts parts_of(const Arguments& a) { return static_cast<Parts>(static_cast<int>(a["parts"])); }

/// A workload of one phase that never ends.
inline Workload steady(std::string name, std::string unit, Phase phase) {
  phase.name = name;
  return {std::move(name), std::move(unit), {std::move(phase)}};
}

}  // namespace charm::sim
