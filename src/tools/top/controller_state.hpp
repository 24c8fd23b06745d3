// Reads the decision file (trace/decision_file.hpp), in which a CHARM program writes the decisions of its controller.
// Nothing in the file is trusted: it must belong to this user and to the watched process, and malformed lines are left
// out.
#pragma once

#include <optional>
#include <string>

#include "os/threads/thread_list.hpp"
#include "tools/top/snapshot.hpp"

namespace charm::top {

/// \param process the process at present. \param text the text of its decision file. \return nothing if this is not its
/// decision file.
std::optional<ControllerState> parse_decision_file(const std::string& text, const os::ProcessView& process);

/// \param folder of the decision files; empty: the user's.
std::optional<ControllerState> read_controller_state(const os::ProcessView& process, const std::string& folder = "");

}  // namespace charm::top
