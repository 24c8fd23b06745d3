// Checks whether the processes of a deployment are bound as planned, by the kernel's data: the mask of every thread,
// the memory policy of every mapping, and the node of every page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/deploy/state.hpp"

namespace charm::deploy {

struct Verified {
  std::string worker;
  std::size_t processes = 0;
  std::size_t threads = 0;
  CpuSet cpus;                                ///< the union of the masks of its threads
  std::map<int, std::uint64_t> bytes;         ///< its own memory (not files) by node
  std::map<std::string, std::size_t> policy;  ///< mappings by the policy that the kernel names
  std::vector<std::string> problems;          ///< empty: bound as planned
};

/// \param processes of the worker. \param root of /proc, for tests.
Verified verify_worker(const Worker& worker, const std::vector<os::ProcessIdentity>& processes,
                       const std::string& root = "/");

std::vector<Verified> verify(const State& state);

}  // namespace charm::deploy
