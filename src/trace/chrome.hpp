// Writes a recording in Chrome's trace format, which chrome://tracing and ui.perfetto.dev read. The task graph is in a
// section of its own that these viewers ignore (docs/trace.md).
#pragma once

#include <cstdio>

#include "trace/recording.hpp"

namespace charm::trace {

/// \return false if the file could not be written; errno says why.
bool write_chrome(Recording& recording, std::FILE* file);

}  // namespace charm::trace
