#include "sched/debug/deadlock.hpp"

#include <charm/tasks.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "os/threads/threads.hpp"
#include "sched/debug/delays.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {
namespace {

/// Threads of the process that are neither workers nor threads of the blocking pool nor asleep in the runtime; the
/// thread that called init() is asleep in it while it has lent itself. \param asleep others that are.
int threads_outside(Runtime& runtime, int asleep) {
  int all = os::threads_of_process();
  if (all < 0) return 1;  // not known: assumes one, so that the program is not aborted
  for_family(runtime, [&](const Runtime& each) {
    all -= static_cast<int>(each.workers.size()) + static_cast<int>(each.waits.blocking->threads()) +
           (each.loan.guest_waits() ? 1 : 0);
  });
  return all - asleep;
}

int workers_of_family(Runtime& runtime) {
  int all = 0;
  for_family(runtime, [&](const Runtime& each) { all += static_cast<int>(each.workers.size()); });
  return all;
}

bool anybody_outside(Runtime& runtime) {
  bool any = false;
  for_family(runtime, [&](const Runtime& each) {
    any = any || each.waits.timers.pending() || each.waits.blocking->out() > each.waits.blocking->in_library();
  });
  return any;
}

std::string number_of(int count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

bool DeadlockWatch::is_on() const noexcept {
  return runtime_.settings.deadlock != base::Deadlock::off && !runtime_.ending.has_begun(std::memory_order_relaxed) &&
         !runtime_.main.waits.deadlock.certain_.load(std::memory_order_relaxed);
}

bool DeadlockWatch::watch(std::int64_t& limit_ns) noexcept {
  if (!is_on() || looked_.load(std::memory_order_seq_cst)) return false;
  if (!everybody_sleeps(runtime_)) return false;
  if (limit_ns >= 0 && limit_ns <= after_ns) return false;  // a time limit is pending
  limit_ns = after_ns;
  return true;
}

void DeadlockWatch::look_from_outside() noexcept {
  if (!is_on()) return;
  for_family(runtime_, [](Runtime& each) { each.waits.deadlock.looked_.store(false, std::memory_order_seq_cst); });
  look();
}

DeadlockWatch::Waits DeadlockWatch::read_waits() const {
  Waits all;
  const auto add = [&](const TaskInfo& info, int& count) {
    all.moves = all.moves || info.state == "ready" || info.seconds < 0.9e-9 * static_cast<double>(after_ns);
    all.lines += "charm:   " + describe(info) + "\n";
    ++count;
  };
  for (const TaskInfo& task : list_tasks(runtime_)) {
    if (task.state == "waiting") add(task, all.tasks);
  }
  for (const TaskInfo& wait : list_outside_waits(runtime_)) add(wait, wait.id == 0 ? all.threads : all.tasks);
  return all;
}

/// Whether nobody has been woken since `before` was read.
bool DeadlockWatch::is_still(const Waits& before) const {
  const Waits now = read_waits();
  return !now.moves && now.tasks == before.tasks && now.threads == before.threads && everybody_sleeps(runtime_) &&
         !anybody_outside(runtime_);
}

void DeadlockWatch::look() noexcept try {
  if (!everybody_sleeps(runtime_)) return;
  looked_.store(true, std::memory_order_relaxed);
  if (anybody_outside(runtime_)) return;
  const Waits waits = read_waits();
  if (waits.moves) return looked_.store(false, std::memory_order_relaxed);
  if (waits.tasks + waits.threads == 0) return;
  delay_between_steps();
  const int outside = threads_outside(runtime_, waits.threads);
  if (outside <= 0 && !is_still(waits)) return looked_.store(false, std::memory_order_relaxed);
  DeadlockWatch& all = runtime_.main.waits.deadlock;  // once for all arenas
  if (!is_on() || (outside > 0 ? all.suspected_ : all.certain_).exchange(true)) return;
  report(outside, waits);
} catch (const std::exception&) {
  // No memory for the text: a deadlock that cannot be reported does not end the program.
}

void DeadlockWatch::report(int outside, const Waits& waits) const {
  const int tasks = waits.tasks;
  const int threads = waits.threads;
  const bool both = tasks > 0 && threads > 0;
  const bool one = tasks + threads == 1;
  std::string head = "charm: all " + std::to_string(workers_of_family(runtime_)) + " workers sleep and " +
                     (tasks > 0 ? number_of(tasks, "task") : "") + (both ? " and " : "") +
                     (threads > 0 ? number_of(threads, "thread") : "") + (one ? " waits" : " wait");
  if (outside > 0) {
    head += std::string("; ") + (one ? "it" : "they") + " may be waiting for a thread outside, of which there " +
            (outside == 1 ? "is " : "are ") + std::to_string(outside) + " (setting deadlock=off silences this)\n";
  } else {
    head += ", and nobody is left who could wake anything: deadlock\n";
  }
  std::fputs((head + waits.lines).c_str(), stderr);
  if (outside <= 0 && runtime_.settings.deadlock == base::Deadlock::abort) std::abort();
}

}  // namespace charm::sched
