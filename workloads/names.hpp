// The names of what can be run, without anything that runs: for a command line that offers them. A program that needs
// no more than these links none of the runtimes that are compared (OpenMP, oneTBB).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace charm::workloads {

inline constexpr std::array graph_kernel_names = {"bfs", "pr", "cc", "sssp", "bc", "tc", "graph500"};
inline constexpr std::array graph_kind_names = {"kronecker", "uniform", "grid", "web", "roads", "caterpillar"};
inline constexpr std::array vertex_order_names = {"given",       "reverse", "random",      "degree-up",
                                                  "degree-down", "bfs",     "cm",          "rcm",
                                                  "bfs-reverse", "dfs",     "dfs-reverse", "zigzag"};
inline constexpr std::array rank_graph_kernel_names = {"bfs", "pr", "graph500"};  // also on several processes
inline constexpr std::array sgd_kernel_names = {"loss",     "gradient",    "sgd-core",  "sgd-chiplet",
                                                "sgd-node", "sgd-machine", "sgd-column"};
inline constexpr std::array rank_sgd_kernel_names = {"sgd-core", "sgd-chiplet", "sgd-node", "sgd-machine"};
inline constexpr std::array sgd_update_names = {"hogwild", "locked", "averaged"};
inline constexpr std::array array_memory_names = {"touched", "near", "interleaved", "partitioned", "replicated"};

/// Kernels that run_kernel knows, in the order in which they are reported.
std::vector<std::string> graph_kernels();

/// Graphs that can be generated, in the order of GraphKind (kernel_run.hpp).
std::vector<std::string> graph_kinds();

/// Numberings of a graph's vertices, in the order of VertexOrder (kernel_run.hpp).
std::vector<std::string> vertex_orders();

/// Kernels that run_sgd knows (sgd/sgd_bench.hpp), in the order in which they are reported.
std::vector<std::string> sgd_kernels();

/// In the order of Update (sgd/sgd.hpp).
std::vector<std::string> sgd_updates();

/// Runtimes that this build has, CHARM first when it has it; "serial" is always there.
std::vector<std::string> runtimes();

/// Those of runtimes(), and "threads": threads of the program's own that meet at barriers, as PARSEC's program has
/// them.
std::vector<std::string> streamcluster_runtimes();

/// Those of runtimes(), and "async": a std::async for each block of a loop (CHARM §5.5).
std::vector<std::string> sgd_runtimes();

/// How much work a unit of rates stands for: 1e6 for "MTEPS". 1 for a unit that is not known.
double unit_size(std::string_view unit);

/// In the order of Memory (array_placement.hpp).
std::vector<std::string> memory_names();

}  // namespace charm::workloads
