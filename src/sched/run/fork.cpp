// A child of fork() has only the thread that called fork(). It has no workers, so nothing would serve the runtime's
// queues; and threads that do not exist in it may hold the runtime's locks. So the child has no runtime: calls that
// need one throw Error (not_running), and init() starts another. The memory of the parent's runtime stays as it is,
// since destroying it would touch its locks and wait for its threads.
//
// The handlers of pthread_atfork run on the thread that forks: prepare and parent in the parent, child in the child.
#include "sched/run/fork.hpp"

#include <atomic>

#include "base/notices.hpp"
#include "os/processes/forked.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/handed_on.hpp"
#include "sched/debug/stack_overflow.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/idle_look.hpp"
#include "sched/run/lifecycle.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/wait/blocking_pool.hpp"
#include "sched/wait/outside_waits.hpp"

namespace charm::sched {
namespace {

/// Takes the locks, so that in the child, too, the notices are complete and the locks are free.
void before_fork() noexcept {
  lock_lifecycle();
  arenas_mutex().lock();
  base::lock_notices();
  outside_waits.lock();
}
void in_parent() noexcept {
  outside_waits.unlock();
  base::unlock_notices();
  arenas_mutex().unlock();
  unlock_lifecycle();
}

void in_child() noexcept {
  outside_waits.forget();
  outside_waits.unlock();
  base::unlock_notices();
  arenas_mutex().unlock();
  unlock_lifecycle();
  forget_lifecycle();
  idle_look.store(nullptr, std::memory_order_relaxed);
  Runtime* parents = Runtime::abandon();
  if (parents == nullptr) return;
  // If the parent's runtime has bound the thread to one core, the child still gets all cpus, and the program's timer
  // slack and memory policy.
  const bool stays_bound = parents->settings.caller_mask == base::CallerMask::worker;
  const bool inside = this_worker() != nullptr || blocking_thread_number() >= 0;
  const bool bound = inside || (stays_bound && parents->loan.is_home_thread());
  detail::worker_of_thread = nullptr;
  forget_blocking_thread();
  watch_stack(nullptr);
  forget_oversubscription();
  if (bound && parents->settings.bind != Bind::none && parents->machine.is_live())
    os::bind_this_thread(parents->machine.allowed_cpus);
  if (inside) os::hand_on(parents->main.came_with());
}

}  // namespace

void follow_forks() noexcept {
  static std::atomic<bool> followed{false};
  if (!followed.exchange(true)) os::on_fork(before_fork, in_parent, in_child);
}

}  // namespace charm::sched
