#include "topology/discovery.hpp"

#include <utility>

#include "base/notices.hpp"
#include "topology/description.hpp"
#include "topology/domains.hpp"
#include "topology/profile.hpp"
#include "topology/remembered.hpp"

namespace charm::topology {

MachineSource source_of(const base::Settings& settings) {
  return {settings.topology, settings.profile, settings.domains};
}

Discovery completed(Machine bare, const MachineSource& source) {
  const std::string& profile = source.profile;
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
  machine = with_domains(std::move(machine), source.domains);
  if (machine.chiplet_source == ChipletSource::socket || machine.chiplet_source == ChipletSource::numa_node) {
    found.notices.emplace_back(
        "topology-chiplets",
        "No usable L3 cache information on this machine: " +
            std::string(machine.chiplet_source == ChipletSource::socket ? "sockets" : "NUMA nodes") +
            " stand in for chiplets ('charm topo' shows what was found).");
  }
  return found;
}

Discovery discover_quietly(const MachineSource& source) {
  return completed(machine_of(read_description(source.topology)), source);
}

Discovery discover_at_start(const MachineSource& source) {
  if (!source.topology.empty()) return discover_quietly(source);
  return completed(machine_of({std::nullopt, survey_live_or_remembered()}), source);
}

Machine discover(const MachineSource& source) {
  Discovery found = discover_quietly(source);
  for (const auto& [key, text] : found.notices) base::notice(key, text);
  return std::move(found.machine);
}

}  // namespace charm::topology
