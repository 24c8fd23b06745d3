// What `charm deploy up` leaves for status, verify and down: a file in the deployment's folder that is replaced whole
// after every change, so that it can be read at any time, also after `up` was killed.
//
// A process is identified by its id, its start time and the boot; its children by an environment variable,
// CHARM_DEPLOYMENT=<id of the deployment>/<worker>/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/choice.hpp"
#include "os/processes/processes.hpp"
#include "tools/deploy/plan.hpp"

namespace charm::deploy {

enum class Phase { starting, running, waiting, finished, failed };
constexpr auto choices(Phase /*unused*/) {
  return std::array{base::Choice{Phase::starting, "starting"}, base::Choice{Phase::running, "running"},
                    base::Choice{Phase::waiting, "waiting"},  // for its next start
                    base::Choice{Phase::finished, "finished"}, base::Choice{Phase::failed, "failed"}};
}

struct WorkerState {
  Phase phase = Phase::starting;
  os::ProcessIdentity process;  ///< of its last start
  int restarts = 0;
  std::string last_end;  ///< "exit code 3", "signal 9"; empty: it has not ended yet
  bool listens = true;   ///< on its port or socket, as far as its command tells
};

struct State {
  std::string id;    ///< of the deployment, random
  std::string boot;  ///< the kernel's boot id: after another boot no process of it is left
  os::ProcessIdentity supervisor;
  bool supervised = true;  ///< false: the workers were left alone after their start
  std::string target;
  int stop_signal = 0;
  Plan plan;
  std::vector<WorkerState> workers;  ///< by the plan's workers
};

inline constexpr const char* marker = "CHARM_DEPLOYMENT";

std::string state_file(const std::string& directory);
std::string boot_id();

void write_state(const State& state);
/// Nothing if there is none. \throws Error (bad_input) if it is damaged or not this user's.
std::optional<State> read_state(const std::string& directory);
void remove_state(const std::string& directory);

/// The living processes of a worker: the one that was started, all with its marker, and their descendants.
std::vector<os::ProcessIdentity> processes_of(const State& state, std::size_t worker);
/// Of all workers.
std::vector<os::ProcessIdentity> processes_of(const State& state);
/// Whether the worker's own process lives.
bool lives(const State& state, std::size_t worker);
/// Whether a process of it is stopped, by SIGSTOP or a debugger.
bool stopped(const State& state, std::size_t worker);

}  // namespace charm::deploy
