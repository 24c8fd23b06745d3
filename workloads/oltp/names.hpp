// The names that `charm bench oltp` offers, without anything that runs.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace charm::workloads {

/// YCSB's core workloads, the mix of the CHARM paper (45 % read, 55 % read-modify-write), and TPC-C.
inline constexpr std::array oltp_kernel_names = {"ycsb-a", "ycsb-b", "ycsb-c",     "ycsb-d",
                                                 "ycsb-e", "ycsb-f", "ycsb-paper", "tpcc"};
inline constexpr std::array oltp_engine_names = {"wiredtiger", "rocksdb"};
inline constexpr std::array oltp_distribution_names = {"zipfian", "uniform"};
inline constexpr std::array oltp_durability_names = {"none", "buffered", "written", "synced"};

std::vector<std::string> oltp_kernels();
/// "charm", and "threads": plain threads, one for each session, as programs of the engine have them.
std::vector<std::string> oltp_runtimes();
/// In the order of Distribution (oltp/zipfian.hpp), without the one that workload D alone has.
std::vector<std::string> oltp_distributions();
/// In the order of Durability (oltp/engine.hpp).
std::vector<std::string> oltp_durabilities();
std::vector<std::string> oltp_engines();

}  // namespace charm::workloads
