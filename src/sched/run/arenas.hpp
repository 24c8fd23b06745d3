// Arenas (charm/arena.hpp): runtimes of their own beside that of the process, which is their `main`.
//
// Each arena is a Runtime with its own workers, queues, work flags and stacks, so nothing of what it forks can reach a
// worker of another, and all protocols within it are those of the process's runtime. This file has the rules between
// several runtimes; sched/control/core_turns.hpp decides who runs on a core that they share.
//
// - Tasks keep their runtime: A task belongs to the runtime that started it (Fiber::runtime), and only that runtime's
//   workers run it. A thread that wakes it from elsewhere puts it into that runtime's inbox, as a thread outside would
//   (make_ready).
// - The gate of an arena: `open` is the gate for threads outside, as the one in sched/run/gate.hpp is for the runtime:
//   a visitor counts itself and then reads it; the thread that ends the arena clears it and then reads the count. Tasks
//   of the family (the main runtime and its arenas) use `runtime`, which stays until none of them can run any more, or
//   until the arena is ended alone; they count themselves as well, so that it does not go while one of them is still
//   posting a job.
// - One of two ends an arena: An arena is ended once: by its object, when all its tasks have ended; or by finalize(),
//   together with the main runtime and all other arenas, when nothing is left to do in any of them, since a task of one
//   may be about to wake a task of another (sched/run/termination.cpp). Which of the two it is is settled under the
//   mutex of the list: finalize() marks those that are in it. An arena that is marked after its object has begun to
//   end it comes to its end as before, and is only destroyed by finalize(). So until finalize() has ended, arenas that
//   its last tasks open and close keep their threads and their numbers.
#pragma once

#include <charm/arena.hpp>
#include <charm/detail/completion.hpp>

#include <atomic>
#include <mutex>
#include <string>

#include "sched/run/runtime.hpp"

namespace charm::detail {

struct ArenaState {
  std::atomic<sched::Runtime*> open{nullptr};
  std::atomic<sched::Runtime*> runtime{nullptr};
  Completion over;                  // nothing is left to do in it
  std::atomic<bool> closed{false};  // somebody waits for that
  bool marked = false;              // finalize() ends it; under the list's mutex
  int workers = 0, first_number = 0;
  Priority priority = Priority::normal;
  std::string name;
};

}  // namespace charm::detail

namespace charm::sched {

/// Guards Family::arenas, and that none of these runtimes is destroyed.
std::mutex& arenas_mutex() noexcept;

/// Calls `function` for the main runtime and every arena.
template <class F>
void for_family(Runtime& any, F&& function) {
  Runtime& main = any.main;
  if (!main.shares_cores()) return function(main);
  const std::lock_guard lock(arenas_mutex());
  function(main);
  for (const auto& state : main.family.arenas) {
    if (Runtime* runtime = state->runtime.load(std::memory_order_acquire)) function(*runtime);
  }
}

/// In the child of a fork(), where no thread of the arenas is left.
void forget_arenas(Runtime& main) noexcept;

}  // namespace charm::sched
