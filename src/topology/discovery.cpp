#include "topology/discovery.hpp"

#include <utility>

#include "base/notices.hpp"
#include "topology/description.hpp"
#include "topology/profile.hpp"
#include "topology/remembered.hpp"

namespace charm::topology {

Discovery with_profile(Machine bare, const std::string& profile) {
  Discovery found{std::move(bare), {}};
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
  if (!machine.measured.doubts.empty()) {
    found.notices.emplace_back("profile-doubts", "The measured profile " + machine.measured.profile +
                                                     " is doubtful: " + machine.measured.doubts.front() +
                                                     "; measure again with 'charm probe' when the machine is quiet.");
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

Discovery discover_quietly(const std::string& topology, const std::string& profile) {
  return with_profile(machine_of(read_description(topology)), profile);
}

Discovery discover_at_start(const std::string& topology, const std::string& profile) {
  if (!topology.empty()) return discover_quietly(topology, profile);
  return with_profile(machine_of({std::nullopt, survey_live_or_remembered()}), profile);
}

Machine discover(const std::string& topology, const std::string& profile) {
  Discovery found = discover_quietly(topology, profile);
  for (const auto& [key, text] : found.notices) base::notice(key, text);
  return std::move(found.machine);
}

}  // namespace charm::topology
