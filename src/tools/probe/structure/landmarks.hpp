// Chooses the pairs of cpus to measure: all pairs if there is time. On large machines it is a sample that still shows
// every chiplet: some cpus are landmarks, and each landmark is measured with every cpu.
#pragma once

#include <utility>
#include <vector>

#include "tools/probe/latency_matrix.hpp"

namespace charm::probe {

/// Pairs (i, j), i > j, of rows 0..n-1, in an order that spreads over the machine, so that an interrupted run has
/// measured a sample of it.
std::vector<std::pair<int, int>> pairs_to_measure(int n, bool sampled, int landmarks_of = 8);

/// Fills the blanks of a sampled matrix: the distance of two cpus is at most the larger of their distances to a
/// common third one, and if every chiplet has a landmark, the nearest such third one gives the right value.
LatencyMatrix completed(const LatencyMatrix& sampled);

}  // namespace charm::probe
