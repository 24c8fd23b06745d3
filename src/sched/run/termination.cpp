// Termination: how the workers of a runtime that stops find out that nothing is left to do.
//
// An idle worker that finds the runtime stopping counts itself idle and from then on only looks for work; before it
// takes a job it leaves the count and then increments `stirred`. (The other way round, a worker that looks in between
// reads the new `stirred` and counts this one as idle all the same.) So at a moment when all workers are counted, none
// runs a job or is about to take one: all work is in queues, or outside, in a sleep or in blocking code, whose tokens
// (Timers::pending, BlockingPool::out) are given back only by the task when it goes on in a worker. If a worker sees
//   all counted, nothing outside, all queues empty, and then still all counted and `stirred` unchanged,
// nothing is left to do, and it tells the others. No work from threads outside can come later: no thread may visit a
// runtime that stops, and finalize() waits for threads that came before (sched/run/visit.hpp). A thread outside may
// still wake a task after the end; this task is dropped, as tasks are that wait (sched/run/dropping.hpp).
#include <chrono>
#include <thread>

#include "sched/run/runtime.hpp"

namespace charm::sched {

bool Runtime::nothing_left() noexcept {
  const auto all = static_cast<int>(workers.size());
  const std::uint64_t before = stirred.load(std::memory_order_seq_cst);
  if (visits.load(std::memory_order_seq_cst) != 0) return false;  // a thread is about to post (L1)
  if (timers.pending() || blocking_pool->out() != 0) return false;
  if (idle.load(std::memory_order_seq_cst) != all) return false;
  for (auto& worker : workers) {
    if (worker->inbox.arrived() || !worker->ready.empty() || worker->deque.public_count() > 0 ||
        worker->deque.has_private())
      return false;
  }
  for (auto& group : groups) {
    if (!group->inbox.empty()) return false;
  }
  for (auto& node : nodes) {
    if (!node->inbox.empty()) return false;
  }
  return inbox.empty() && idle.load(std::memory_order_seq_cst) == all &&
         stirred.load(std::memory_order_seq_cst) == before;
}

/// \return whether this is the end; if not, there is something to look for.
bool Worker::stay_until_the_end() noexcept {
  runtime->idle.fetch_add(1, std::memory_order_seq_cst);
  while (!runtime->over.load(std::memory_order_acquire)) {
    runtime->timers.fire_all(*this);
    if (has_work() || neighbours_show_work() || others_have_work()) {
      runtime->idle.fetch_sub(1, std::memory_order_seq_cst);
      runtime->stirred.fetch_add(1, std::memory_order_seq_cst);
      return false;
    }
    if (runtime->nothing_left()) {
      runtime->over.store(true, std::memory_order_release);
    } else if (runtime->timers.pending() || runtime->blocking_pool->out() != 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));  // this may take as long as a task sleeps
    } else {
      std::this_thread::yield();
    }
  }
  return true;
}

}  // namespace charm::sched
