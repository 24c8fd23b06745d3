// How far the ranks are from each other: the distance matrix by which ranks choose whom they steal from.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <vector>

namespace charm::remote {

/// Where a rank's first worker is, in terms that mean the same to all ranks of a host.
struct RankPlace {
  std::uint64_t host = 0;   ///< hash of its name
  std::uint64_t cache = 0;  ///< hash of the cpus that share the last-level cache; 0: unknown
  std::int32_t node = -1;   ///< the operating system's number of the NUMA node; -1: unknown
  std::int32_t unused = 0;
};

constexpr double other_host = 100;

/// This rank's. \param cpu of its first worker; -1: any cpu.
RankPlace place_of_rank(const Machine& machine, int cpu);

/// As Machine::distance() between cores: 1 on the same chiplet, 2 on the same node, 3 and up on others.
double distance_between(const Machine& machine, const RankPlace& a, const RankPlace& b);

/// From one of the ranks to all; 0 to itself.
std::vector<double> distances_from(const Machine& machine, const std::vector<RankPlace>& ranks, int from);

/// The other ranks, the nearest first, of equally near ones those that follow, so that not all begin with the same.
std::vector<int> order_by_distance(const std::vector<double>& distances, int from);

}  // namespace charm::remote
