// Collects all views of a machine (views.hpp): this one's system, processors and stored profile, or whatever a
// description contains.
#pragma once

#include <string>

#include "tools/machine_view/views.hpp"

namespace charm::machine_view {

/// \param description as Machine::from takes it; empty: this machine.
/// \param profile "auto", "off" or a file, as the setting.
/// \throws Error (bad_input).
Views gather(const std::string& description, const std::string& profile);

}  // namespace charm::machine_view
