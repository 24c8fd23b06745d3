#include "sched/debug/deadlock.hpp"

#include <charm/tasks.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "os/threads/threads.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {
namespace {

constexpr std::int64_t second_ns = 1000000000;

/// Threads of the process that are neither workers nor threads of the blocking pool nor asleep in the runtime; the
/// thread that called init() is asleep in it while it has lent itself.
int threads_outside(Runtime& runtime) {
  int all = os::threads_of_process();
  if (all < 0) return 1;  // not known: assumes one, so that the program is not aborted
  for_family(runtime, [&](const Runtime& each) {
    all -= static_cast<int>(each.workers.size()) + static_cast<int>(each.blocking_pool->threads()) +
           (each.loan.guest_waits() ? 1 : 0);
  });
  return all - Runtime::outside_waiting.load(std::memory_order_relaxed);
}

int workers_of_family(Runtime& runtime) {
  int all = 0;
  for_family(runtime, [&](const Runtime& each) { all += static_cast<int>(each.workers.size()); });
  return all;
}

bool anybody_outside(Runtime& runtime) {
  bool any = false;
  for_family(runtime, [&](const Runtime& each) {
    any = any || each.timers.pending() || each.blocking_pool->out() > each.blocking_pool->in_library();
  });
  return any;
}

}  // namespace

bool DeadlockWatch::watch(std::int64_t& limit_ns) noexcept {
  if (runtime_.main.deadlock.reported_.load(std::memory_order_relaxed) || looked_.load(std::memory_order_relaxed))
    return false;
  if (runtime_.settings.deadlock == base::Deadlock::off || runtime_.ending.has_begun(std::memory_order_relaxed))
    return false;
  if (!everybody_sleeps(runtime_)) return false;
  if (limit_ns >= 0 && limit_ns <= second_ns) return false;  // a time limit is pending
  limit_ns = second_ns;
  return true;
}

void DeadlockWatch::look() noexcept try {
  if (!everybody_sleeps(runtime_)) return;
  looked_.store(true, std::memory_order_relaxed);
  if (anybody_outside(runtime_)) return;
  std::string lines;
  int waiting = 0;
  for (const TaskInfo& task : list_tasks(runtime_)) {
    if (task.state != "waiting") continue;
    if (task.seconds < 0.9) return looked_.store(false, std::memory_order_relaxed);  // a worker was awake meanwhile
    lines += "charm:   " + describe(task) + "\n";
    ++waiting;
  }
  if (waiting == 0 || runtime_.main.deadlock.reported_.exchange(true)) return;  // once for all arenas
  const int outside = threads_outside(runtime_);
  std::string head = "charm: all " + std::to_string(workers_of_family(runtime_)) + " workers sleep and " +
                     std::to_string(waiting) + (waiting == 1 ? " task waits" : " tasks wait");
  if (outside > 0) {
    head += "; it may be waiting for a thread outside, of which there " + std::string(outside == 1 ? "is " : "are ") +
            std::to_string(outside) + " (setting deadlock=off silences this)\n";
  } else {
    head += ", and nobody is left who could wake anything: deadlock\n";
  }
  std::fputs((head + lines).c_str(), stderr);
  if (outside <= 0 && runtime_.settings.deadlock == base::Deadlock::abort) std::abort();
} catch (const std::exception&) {
  // No memory for the text: a deadlock that cannot be reported does not end the program.
}

}  // namespace charm::sched
