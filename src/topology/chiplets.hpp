// Decides which cores form a chiplet, and whether the L3 information is plausible (CHARM §2: a chiplet is the
// set of cores behind one last-level cache). Invariant: a chiplet lies in one socket and one NUMA node.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "topology/survey.hpp"

namespace charm::topology {

struct ChipletGroup {
  std::vector<int> cores;  // indices into Survey::cores, ascending
  std::uint64_t l3_bytes = 0;
  int node = 0;
  int socket = 0;
  int cache_level = 3;
};

struct ChipletGroups {
  std::vector<ChipletGroup> groups;  // by socket, node and first core
  ChipletSource source = ChipletSource::last_level_cache;
  std::vector<std::string> notes;
  std::vector<std::string> doubts;  // those of the notes that say what cannot be
};

/// \param survey every core in it has a socket and a node.
ChipletGroups group_chiplets(const Survey& survey);

}  // namespace charm::topology
