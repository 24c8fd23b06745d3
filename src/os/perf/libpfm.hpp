// Encodes names of performance events with libpfm. The library is loaded when a name is first used, and not
// linked, so that CHARM does not depend on it. A build without its headers knows no names.
#pragma once

#include <optional>
#include <string>

#include "os/perf/perf_events.hpp"

namespace charm::os {

struct NamedPerfEvent {
  std::optional<PerfEvent> event;
  std::string problem;  ///< why there is no event: libpfm is missing, or its error
};

/// Encodes an event of this machine, or of any machine if LIBPFM_ENCODE_INACTIVE is set in the environment.
NamedPerfEvent encode_libpfm_event(const std::string& name);

/// Whether libpfm can be loaded.
bool libpfm_available();

}  // namespace charm::os
