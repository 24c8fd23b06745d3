// Reading what a CHARM program publishes (trace/window.hpp). Nothing in the file is believed: it must be of this user
// and of this very process, and what is not as it should be is left out.
#pragma once

#include <optional>
#include <string>

#include "os/thread_list.hpp"
#include "top/snapshot.hpp"

namespace charm::top {

/// \param process as it is now. \param text of its window. \return nothing where this is no window of it.
std::optional<Published> parse_window(const std::string& text, const os::ProcessView& process);

/// \param folder of the windows; empty: the user's.
std::optional<Published> read_published(const os::ProcessView& process, const std::string& folder = "");

}  // namespace charm::top
