// One machine as several sources describe it: the system, its processors (CPUID), a measurement, the cpus that the
// process may use, and the machine that CHARM derives from them. Disagreements are always shown, with the likely
// reason. Pure: gathering.hpp asks the real sources.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/profile.hpp"
#include "topology/survey.hpp"

namespace charm::machine_view {

using CpuGroups = std::vector<CpuSet>;  ///< by first cpu

/// One view of the machine; levels that its source does not report are empty.
struct View {
  std::string source;  ///< "system", "cpuid", "measured"
  CpuGroups cores, chiplets, nodes, sockets;
};

struct Disagreement {
  std::string level;  ///< "cores", "chiplets", "nodes" or "sockets"
  std::string between;
  std::string text;  ///< what each says, and why that may be
};

struct Views {
  Machine machine;  ///< what CHARM works with
  std::vector<View> views;
  std::vector<Disagreement> disagreements;
  std::vector<topology::SurveyKind> kinds;
  std::vector<std::string> features;  ///< what is special about the machine, a sentence each
  std::string placed_by;              ///< what places threads besides CHARM; empty: of another machine
};

/// Further information, besides the machine itself.
struct Sources {
  std::optional<topology::Survey> system;
  std::optional<topology::Survey> processors;  ///< what they say of themselves (survey_processors())
  bool guest = false;                          ///< a hypervisor runs this system
  std::optional<topology::ProfilePicture> profile;
};

Views compare(Machine machine, const Sources& sources);

/// A table of the views, kinds, features and disagreements; lines as a terminal shows them.
std::string views_text(const Views& views, bool ascii, bool colour);

/// The groups of one view or, with an empty name, of all.
/// \throws Error (bad_config) where there is no such view.
std::string view_groups_text(const Views& views, const std::string& source);

/// The machine's JSON with `views`, `disagreements`, `kinds` and `features`.
std::string views_json(const Views& views);

}  // namespace charm::machine_view
