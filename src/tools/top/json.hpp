// A snapshot as one line of JSON. docs/top.md lists the keys; keys are added but never removed.
#pragma once

#include <string>

#include "tools/top/snapshot.hpp"

namespace charm::top {

/// The line, with its line break.
std::string json_line(const Snapshot& snapshot);

}  // namespace charm::top
