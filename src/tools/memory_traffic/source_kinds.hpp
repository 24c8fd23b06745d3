// The functions that source.cpp's registry names, one a file.
#pragma once

#include <string_view>

#include "tools/memory_traffic/source.hpp"

namespace charm::memory_traffic {

/// Uncore counters of one maker: the rows of uncore_rows.hpp with this source.
SourceOrReason open_uncore(const Surroundings& around, std::string_view source);

/// The kernel's memory bandwidth monitoring (/sys/fs/resctrl), by last-level cache.
SourceOrReason open_resctrl(const Surroundings& around, const std::string& argument);

/// A recording (traffic_recording.hpp), over and over. \param file its path.
SourceOrReason open_recording(const Surroundings& around, const std::string& file);

}  // namespace charm::memory_traffic
