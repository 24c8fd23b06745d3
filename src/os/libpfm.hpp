// Names of performance events as libpfm knows them. The library is loaded when it is asked for the first time and not
// linked, so that CHARM does not depend on it. A build without its headers knows no names.
#pragma once

#include <optional>
#include <string>

#include "os/perf_events.hpp"

namespace charm::os {

struct NamedPerfEvent {
  std::optional<PerfEvent> event;
  std::string problem;  ///< why there is none: no libpfm here, or what libpfm says
};

/// Events of this machine, and of all others, too, where LIBPFM_ENCODE_INACTIVE is set in the environment.
NamedPerfEvent encode_libpfm_event(const std::string& name);

/// Whether libpfm can be loaded.
bool libpfm_available();

}  // namespace charm::os
