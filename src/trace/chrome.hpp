// The file: Chrome's trace format, which chrome://tracing and ui.perfetto.dev read, with the task graph in a section of
// its own that they pass over (docs/trace.md).
#pragma once

#include <cstdio>

#include "trace/recording.hpp"

namespace charm::trace {

/// \return false where the file could not be written; errno says why.
bool write_chrome(Recording& recording, std::FILE* file);

}  // namespace charm::trace
