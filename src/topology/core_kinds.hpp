// Which kind a core is of, and how fast, from what the source of a survey tells: types of cores (Intel), the
// scheduler's capacities (Arm), highest frequencies (AMD), or the processor's model.
//
// Cores are of different kinds where the source tells types, or where some are slower than four fifths of the fastest.
// Favoured cores of one type (Intel's Turbo Boost Max, AMD's preferred cores) differ by less, and are of one kind.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "topology/survey.hpp"

namespace charm::topology {

struct CoreSpeed {
  CoreKind kind = CoreKind::performance;
  int capacity = 1024;
};

/// By the survey's cores. Pure.
std::vector<CoreSpeed> core_speeds(const Survey& survey);

/// Adds what Linux tells of the speed of each core in files below `root`.
void read_core_speeds(Survey& survey, const std::string& root);

}  // namespace charm::topology
