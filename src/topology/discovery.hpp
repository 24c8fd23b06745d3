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

/// \param topology the setting of that name; empty: this machine.
/// \param profile the setting of that name: "auto" or empty, "off", or a file.
/// \throws Error (bad_input) where a file that is named cannot be read.
Discovery discover_quietly(const std::string& topology, const std::string& profile);

/// The same, with the degraded modes reported (base/notices.hpp).
Machine discover(const std::string& topology, const std::string& profile);

/// The machine that a profile was measured on, with what was measured.
/// \throws Error (bad_input).
Machine machine_of_profile(const std::string& path);

}  // namespace charm::topology
