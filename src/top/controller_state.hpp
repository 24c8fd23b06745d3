// Reads what a CHARM program tells of its controller in its decision file (trace/decision_file.hpp). Nothing in the
// file is trusted: it must belong to this user and to this very process, and malformed lines are left out.
#pragma once

#include <optional>
#include <string>

#include "os/thread_list.hpp"
#include "top/snapshot.hpp"

namespace charm::top {

/// \param process as it is now. \param text of its decision file. \return nothing if this is not its decision file.
std::optional<ControllerState> parse_decision_file(const std::string& text, const os::ProcessView& process);

/// \param folder of the decision files; empty: the user's.
std::optional<ControllerState> read_controller_state(const os::ProcessView& process, const std::string& folder = "");

}  // namespace charm::top
