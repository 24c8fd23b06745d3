// The survey of this machine as an earlier start of the command has left it. hwloc reads some 40 files for each cpu:
// a millisecond on two cpus, tens of them on 256, which a program that is started under `charm run` would wait for.
//
// - While nothing has changed: a survey is used only as long as nothing has changed that could change it: the boot, the
//   mounts, the cpus and nodes online, the command itself, hwloc's variables; and for at most ten minutes, in case of
//   other causes.
// - What one process may use is never remembered: only a survey that no cgroup has narrowed is, and each process
//   applies its own restrictions (build.hpp).
// - The file lies in a folder that only this user can write to. A damaged file, or one of another user, is ignored.
#pragma once

#include <optional>
#include <string>

#include "os/machine/machine_state.hpp"
#include "topology/survey.hpp"

namespace charm::topology {

constexpr double most_remembered_s = 600;

/// Nothing unless `file` has a survey that was made in the same state and is recent enough (while nothing has changed).
/// \param now of the monotonic clock, in seconds.
std::optional<Survey> remembered(const std::string& file, const os::MachineState& state, double now);

/// Stores the survey, unless it is narrowed. If it cannot be written, the next start makes its own.
void remember(const std::string& file, const os::MachineState& state, const Survey& survey, double now);

/// This machine's survey, remembered or else made, and then remembered for the next.
Survey survey_live_or_remembered();

}  // namespace charm::topology
