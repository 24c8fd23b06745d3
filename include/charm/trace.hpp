// Recording a run to a file (setting `trace`, CHARM_TRACE=file.json); docs/trace.md says what is in it.
#pragma once

namespace charm {

/// Writes what was recorded so far to the file that the setting `trace` names, in place of what it held, and goes on
/// recording. finalize() does the same. Does nothing where nothing is recorded. May be called while tasks run.
/// \throws Error (system) where the file cannot be written, (not_running).
void trace_flush();

}  // namespace charm
