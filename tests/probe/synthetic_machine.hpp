// Machines that never were, with the latency matrix that a measurement of them would give: any number of sockets,
// nodes, chiplets and cores, unequal chiplets, meshes inside chiplets and packages, and everything that goes wrong in
// practice: noise, disturbed pairs, coarse timers, missing rows and cells, lines homed on another socket, shuffled
// numbering.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tools/probe/structure/clustering.hpp"

namespace charm::probe::testing {

struct Synthetic {
  LatencyMatrix matrix;
  Partition smt, chiplets, nodes, sockets;  // without rows that were not measured
  std::string description;
};

struct Trouble {
  double noise = 0.05;    // sigma of log latencies
  double spikes = 0.005;  // share of pairs that were disturbed
  double blanks = 0.0;    // share of pairs that were not measured
  int missing_rows = 0;
  int homed_elsewhere = 0;  // 0 no; 1 pairs of chiplets in some sockets look remote; 2 all pairs in some are raised
  bool both_halves = false;
  bool shuffled = true;
  double tick_ns = 0;                        // resolution of the timer
  double least_spike = 1.5, most_spike = 6;  // what a disturbed pair's latency is multiplied by
  int slow_cores = 0;                        // cores with a low clock: all their latencies are raised ...
  double slow_factor = 1.5;                  // ... by this
  double asymmetry = 0;  // sigma of the log factor between what a row measures and what its partners measure with it
  double zeros = 0;      // share of pairs for which the tool printed 0 ns; counted as not measured
};

struct Shape {
  int sockets = 1, nodes = 1, chiplets = 1, cores = 8, threads = 1;  // each per the one before
  bool unequal = false;
  double smt_ns = 9, chiplet_ns = 25, node_ns = 90, socket_ns = 120, remote_ns = 200;  // cost within each level
  double mesh = 0.1;  // how much latencies inside a chiplet, and between chiplets, grow with distance
};

Synthetic make_machine(const Shape& shape, const Trouble& trouble, std::mt19937_64& random);

/// What machines are drawn from: the development of the clustering and its tests use different ones.
struct Choice {
  std::vector<int> sockets = {1, 1, 2, 2, 2, 4, 8};
  std::vector<int> nodes = {1, 1, 1, 2, 4};
  std::vector<int> chiplets = {1, 2, 2, 3, 4, 6, 8, 12};
  std::vector<int> cores = {2, 3, 4, 6, 8, 8, 10, 12, 16, 24, 32};
  std::vector<int> threads = {1, 1, 2, 2, 2, 4};
  int most_cpus = 576;
  double noise = 0.10;  // at most, of each trouble
  double spikes = 0.02;
  double blanks = 0.15;
  int missing_rows = 6;
};

/// A machine and troubles drawn from all that is plausible.
Synthetic any_machine(std::mt19937_64& random, const Choice& choice = {});

/// What makes a matrix hard to read, one kind at a time.
enum class Hardship {
  weak,
  slow_core,
  small,
  outliers,
  asymmetric,
  coarse_timer,
  slow_siblings,
  blanks,
  monolith,
  none
};
inline constexpr Hardship all_hardships[] = {
    Hardship::weak,         Hardship::slow_core,     Hardship::small,  Hardship::outliers, Hardship::asymmetric,
    Hardship::coarse_timer, Hardship::slow_siblings, Hardship::blanks, Hardship::monolith, Hardship::none};
const char* name_of(Hardship kind);

/// A machine of any shape of which the latencies are hard to read in the way that `kind` says.
Synthetic hard_machine(std::mt19937_64& random, Hardship kind);

/// One mesh or crossbar without chiplets.
Synthetic any_monolith(std::mt19937_64& random, const Choice& choice = {});

}  // namespace charm::probe::testing
