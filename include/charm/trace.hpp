// Recording a run to a file (setting `trace`, CHARM_TRACE=file.json); docs/trace.md says what is in it.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm {

/// Writes the recording so far to the file that the setting `trace` names, whose contents it replaces, and goes on
/// recording. finalize() writes the file, too. Does nothing if the run is not recorded. May be called while tasks run.
/// \throws Error (system) if the file cannot be written, (not_running).
void trace_flush();

}  // namespace charm
