// The arenas of a process, and what they and its main runtime have in common.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "sched/control/core_turns.hpp"
#include "sched/run/sleepers_role.hpp"

namespace charm::detail {
struct ArenaState;
}

namespace charm::sched {

struct Family {
  explicit Family(int cpus) : core_turns(cpus) {}

  CoreTurns core_turns;
  std::vector<std::shared_ptr<detail::ArenaState>> arenas;  // under arenas_mutex(); also those that are being made
  std::atomic<int> count{0};                                // of arenas
  SleepersRole lookout;                                     // the sleeper that calls idle_look
};

}  // namespace charm::sched
