// What hwloc says of a machine, as a plain value (survey.hpp).
#pragma once

#include <hwloc.h>
#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

/// \param topology loaded. \param origin as Machine::origin has it.
Survey survey_of(hwloc_topology_t topology, std::string origin);

/// Names memory without cpus that belongs to a GPU, where the system does not: POWER9's firmware numbers it downwards
/// from 255, and Grace has no other memory without cpus.
/// \param grace whether the processor is one: an Arm Neoverse V2 (part 0xd4f) is the whole of what some sources tell.
void name_gpu_memory(Survey& survey, bool grace);

}  // namespace charm::topology
