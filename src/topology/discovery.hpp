// Discovers the machine of this process: from the system, or from the description that the settings name, with the
// measured profile added (profile.hpp).
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <utility>
#include <vector>

#include "base/settings.hpp"

namespace charm::topology {

struct Discovery {
  Machine machine;
  std::vector<std::pair<std::string, std::string>> notices;  ///< degraded modes: key and text for base::notice
};

/// The settings of these names.
struct MachineSource {
  std::string topology;  ///< empty: this machine
  std::string profile;   ///< "auto" or empty, "off", or a file
  std::string domains;   ///< as with_domains() has it (domains.hpp)
};
MachineSource source_of(const base::Settings& settings);

/// Adds the measured profile and the domains to a machine that was read (description.hpp), and says what is degraded.
/// \param source its topology is not read.
/// \throws Error (bad_input) where a file that is named cannot be read, or domains do not fit.
Discovery completed(Machine machine, const MachineSource& source);

/// \throws Error (bad_input) where a file that is named cannot be read, or domains do not fit.
Discovery discover_quietly(const MachineSource& source);

/// The same for a command that a program waits for: the description may be that of an earlier start of this machine
/// (remembered.hpp).
Discovery discover_at_start(const MachineSource& source);

/// discover_quietly() with the degraded modes reported (base/notices.hpp).
Machine discover(const MachineSource& source);

}  // namespace charm::topology
