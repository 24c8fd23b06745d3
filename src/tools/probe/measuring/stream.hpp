// STREAM's kernels over arrays in memory: read, write, copy and triad, by any number of processes of any number of
// threads. OLAP on chiplets §2.5, Fig. 5 (copy by processes) and §4.4, Fig. 10 (local against mixed).
//
// Bytes are counted as STREAM counts them: what the kernel reads and writes, without the line fills that a write may
// cost. Each process has arrays of its own, touched first by the threads that use them; all processes of a trial start
// together, and a trial lasts from the first start to the last end.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tools/probe/measuring/deadline.hpp"
#include "tools/probe/measuring/samples.hpp"

namespace charm::probe {

inline constexpr std::array<std::string_view, 4> stream_kernels = {"read", "write", "copy", "triad"};

struct StreamResult {
  std::array<Summary, 4> gb_per_s;        ///< by kernel
  std::array<double, 4> best_gb_per_s{};  ///< by kernel: the fastest trial, which STREAM prints
  int threads = 0;
};

/// \param processes cpus of each process; one process runs inside this one, more are forked.
/// \param bytes of all three arrays of all processes together.
/// \param until ends it early: kernels that had not one whole trial have rates of 0.
/// \throws Error (system) where memory or processes cannot be had.
StreamResult stream(const std::vector<std::vector<int>>& processes, std::size_t bytes, int trials,
                    const Deadline& until = {});

}  // namespace charm::probe
