#include "topology/discovery.hpp"

#include <charm/error.hpp>

#include "base/notices.hpp"
#include "topology/build.hpp"
#include "topology/profile.hpp"
#include "topology/survey.hpp"

namespace charm::topology {
namespace {

Machine without_profile(const std::string& topology) {
  if (!topology.empty()) return Machine::from(topology);
  Survey survey = survey_live();
  const bool here = survey.origin == "live";
  return build(std::move(survey), here ? restrictions_here() : Restrictions{});
}

}  // namespace

Discovery discover_quietly(const std::string& topology, const std::string& profile) {
  Discovery found{without_profile(topology), {}};
  Machine& machine = found.machine;
  const auto refuse = [&](const std::string& why) {
    const std::string text = "A measured profile is not used: " + why + "; measure again with 'charm probe'.";
    machine.notes.push_back(text);
    found.notices.emplace_back("profile", text);
  };
  const bool automatic = profile.empty() || profile == "auto";
  if (profile != "off" && !automatic) {
    const ProfilePicture picture = read_profile_picture(profile);
    if (const std::string why = mismatch(picture.key, machine); !why.empty()) {
      refuse(profile + ": " + why);
    } else {
      machine = apply_profile(std::move(machine), picture);
    }
  } else if (automatic && machine.is_live()) {  // a machine on paper is what its description says
    const StoredProfile stored = find_stored_profile(machine);
    if (stored.picture) machine = apply_profile(std::move(machine), *stored.picture);
    if (!stored.refusal.empty()) refuse(stored.refusal);
  }
  if (machine.chiplet_source == ChipletSource::socket || machine.chiplet_source == ChipletSource::numa_node) {
    found.notices.emplace_back(
        "topology-chiplets",
        "No usable L3 cache information on this machine: " +
            std::string(machine.chiplet_source == ChipletSource::socket ? "sockets" : "NUMA nodes") +
            " stand in for chiplets ('charm topo' shows what was found).");
  }
  return found;
}

Machine discover(const std::string& topology, const std::string& profile) {
  Discovery found = discover_quietly(topology, profile);
  for (const auto& [key, text] : found.notices) base::notice(key, text);
  return std::move(found.machine);
}

Machine machine_of_profile(const std::string& path) {
  ProfilePicture picture = read_profile_picture(path);
  if (!picture.machine) {
    throw Error(Errc::bad_input, "profile '" + path + "' does not say what the system showed",
                "measure again with 'charm probe'");
  }
  Machine machine = std::move(*picture.machine);
  machine.origin = "profile:" + path;
  return apply_profile(std::move(machine), picture);
}

}  // namespace charm::topology
