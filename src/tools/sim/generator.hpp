// Workloads as values in one registry: a name, a description, the parameters, and a function that describes the
// workload for a number of workers. A new one is one file in workloads/ and one line in workloads.cpp; both back-ends
// then run it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/sim/spec.hpp"
#include "tools/sim/workload.hpp"

namespace charm::sim {

struct Generator {
  std::string_view name;
  std::string_view summary;
  std::span<const Parameter> parameters;
  Workload (*make)(const Arguments& arguments, int workers);
};

/// All generators, in the order in which they are shown.
std::span<const Generator* const> generators();

/// A workload by "name:parameter=value,...", or several that take turns: "bfs@10+sweep:mb=24@2" (seconds of each).
/// \throws Error (bad_config).
Workload workload(std::string_view spec, int workers);

}  // namespace charm::sim
