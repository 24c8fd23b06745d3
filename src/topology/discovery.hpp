// Discovers the machine of this process: from the system, or from the description that the settings name, with the
// measured profile added (profile.hpp).
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <utility>
#include <vector>

namespace charm::topology {

struct Discovery {
  Machine machine;
  std::vector<std::pair<std::string, std::string>> notices;  ///< degraded modes: key and text for base::notice
};

/// Adds the measured profile to a machine that was read (description.hpp), and says what is degraded.
/// \param profile the setting of that name: "auto" or empty, "off", or a file.
/// \throws Error (bad_input) where a file that is named cannot be read.
Discovery with_profile(Machine machine, const std::string& profile);

/// \param topology the setting of that name; empty: this machine.
/// \param profile the setting of that name: "auto" or empty, "off", or a file.
/// \throws Error (bad_input) where a file that is named cannot be read.
Discovery discover_quietly(const std::string& topology, const std::string& profile);

/// The same for a command that a program waits for: this machine may be told as an earlier start of it has seen it
/// (remembered.hpp).
Discovery discover_at_start(const std::string& topology, const std::string& profile);

/// discover_quietly() with the degraded modes reported (base/notices.hpp).
Machine discover(const std::string& topology, const std::string& profile);

}  // namespace charm::topology
