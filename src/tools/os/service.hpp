// Long-lived programs that a supervisor starts, watches and ends: each in a session of its own, bound to cpus and
// memory before it runs (tools/os/child.hpp is for one program that stands in its caller's place).
//
// - Never another process: a process is only ever signalled after its start time was compared, by a descriptor of the
//   process (pidfd): a process id that was reused meanwhile is never hit.
// - A clean inheritance: what a service inherits: the environment with its own variables added, /dev/null as standard
//   input, the log as output; no other file, no blocked or ignored signal.
#pragma once

#include <charm/id_set.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id_sets.hpp"
#include "os/memory/memory_policy.hpp"
#include "os/processes/processes.hpp"

namespace charm::os {

/// This process becomes another user for good, with that user's groups, home and no runtime folders of root's: whatever
/// it opens and signals from now on is what that user may open and signal, whatever links lie in the way.
/// \throws Error (bad_input) if there is no such user, or this process is neither root's nor that user's.
void become_user(const std::string& name);
/// Root becomes the user who owns the folder (not through a link); others, and folders of root or of nobody, change
/// nothing.
void become_owner_of(const std::string& folder);

/// Name of the user who runs this process; its number where it has no name.
std::string user_name();

/// \throws Error (bad_input) where the folder is not one of this user that nobody else may write to.
void require_own_folder(const std::string& folder);

struct ServiceStart {
  std::vector<std::string> words;                              ///< program and arguments
  std::vector<std::pair<std::string, std::string>> variables;  ///< set in its environment
  std::string folder;                                          ///< where it runs
  std::string log;                                             ///< its output is added there
  CpuSet cpus;
  std::optional<MemoryPolicy> memory;  ///< nothing: as the caller has it
  OsNodeSet nodes;
};

/// Why a program was not started: "cannot be bound to cpus 0-3: Invalid argument".
struct ServiceNotStarted {
  std::string problem;
};

/// Starts a program. \throws ServiceNotStarted.
ProcessIdentity start_service(const ServiceStart& start);

struct ServiceEnded {
  int code = 0;
  int signal = 0;  ///< that ended it; 0: it exited
};

/// How a service that this process started has ended; nothing while it runs.
std::optional<ServiceEnded> service_ended(int pid);

/// Sends a signal. \returns false where that process is there no more (never another process), or belongs to another
/// user.
bool signal_process(const ProcessIdentity& process, int signal);

/// Processes in whose environment the variable has a value that begins with `value`. A program that overwrites its
/// environment is not found.
std::vector<ProcessIdentity> processes_with(const std::string& variable, const std::string& value);

/// Makes a folder and those above it. \throws Error (system).
void make_folder(const std::string& path);

}  // namespace charm::os
