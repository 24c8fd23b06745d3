// Latency and bandwidth between two cpus. CHARM §2.1 and OLAP on chiplets §2.3–2.4.
//
// Latency: two threads hand one cache line to and fro by compare-and-swap; half a round trip is reported. The line is
// homed on the node of the first cpu where the kernel allows it, and where it really lies is reported, because a line
// that is homed on the other socket makes neighbours look remote. Bandwidth: one thread fills 8 KiB, aligned to cache
// lines, with random data, the other one times reading it.
#pragma once

#include <atomic>

#include "tools/probe/measuring/samples.hpp"

namespace charm::probe {

struct PairOptions {
  int samples = 25;
  int round_trips = 400;  ///< per sample
  double most_ms = 40;    ///< longest time for a pair; after it the samples so far count
  int node = -1;          ///< OS number of the node on which the line should lie
};

struct PairResult {
  Summary value;       ///< ns, or GB/s
  int home = -1;       ///< OS number of the node on which the line lies; -1 if the kernel does not say
  bool whole = false;  ///< all samples were taken, by bound threads
};

PairResult pair_latency(int cpu_a, int cpu_b, const PairOptions& options);
PairResult pair_bandwidth(int cpu_a, int cpu_b, const PairOptions& options);

}  // namespace charm::probe
