// Reasons to doubt a measurement: other work on the cpus while it ran, and results that no machine can have. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/probe/profile.hpp"

namespace charm::probe {

/// A clause each; empty where nothing does.
std::vector<std::string> doubts_about(const Profile& profile);

}  // namespace charm::probe
