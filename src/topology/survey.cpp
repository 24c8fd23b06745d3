#include "topology/survey.hpp"

#include <cstdlib>
#include <string_view>

#include "base/environment.hpp"
#include "topology/core_kinds.hpp"
#include "topology/foreign.hpp"
#include "topology/hwloc_handle.hpp"
#include "topology/survey_of.hpp"

namespace charm::topology {

Survey survey_live(Detail detail) {
  if (variables_name_a_machine()) {
    Survey survey = survey_of_variables(detail);
    const char* same = base::environment("HWLOC_THISSYSTEM");  // a user may keep what hwloc found out of this machine
    if (same != nullptr && std::string_view(same) == "1") survey.origin = "live";
    return survey;
  }
  const HwlocHandle topology = load_live(detail == Detail::kinds);
  const bool here = hwloc_topology_is_thissystem(topology.get()) != 0;
  Survey survey = survey_of(topology.get(), here ? "live" : "hwloc's environment variables");
  if (here) read_core_speeds(survey, "/");
  return survey;
}

Survey survey_processors(const std::string& dump) {
  const HwlocHandle topology = load_processors(dump);
  if (topology == nullptr) return {};
  Survey survey = survey_of(topology.get(), dump.empty() ? "cpuid" : "cpuid:" + dump);
  survey.nodes.clear();  // hwloc's, one over everything
  for (SurveyCore& core : survey.cores) core.node = -1;
  return survey;
}

}  // namespace charm::topology
