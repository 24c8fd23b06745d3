// Waiting without blocking a worker, and entering the runtime from outside.
#include <charm/call.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>
#include <charm/invoke.hpp>
#include <charm/runtime.hpp>
#include <charm/sleep.hpp>

#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/notices.hpp"
#include "os/threads/futex.hpp"
#include "os/threads/pause.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/dropping.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm::sched {

namespace {

/// Ends a wait early. \return the waiter to wake, if any.
std::uintptr_t end_early(std::atomic<std::uintptr_t>& state) noexcept {
  std::uintptr_t seen = state.load(std::memory_order_acquire);
  while (seen != detail::Completion::done_value && seen != detail::Completion::expired_value) {
    if (state.compare_exchange_weak(seen, detail::Completion::expired_value, std::memory_order_acq_rel,
                                    std::memory_order_acquire))
      return seen;
  }
  return 0;
}

}  // namespace

fiber::Fiber* expire(std::atomic<std::uintptr_t>& state) noexcept {
  return reinterpret_cast<fiber::Fiber*>(end_early(state));
}

}  // namespace charm::sched

namespace charm::detail {

using fiber::Fiber;
using sched::Runtime;
using sched::Worker;

namespace {

/// A thread that is no worker and waits; its address with bit 0 set stands for it in a Completion.
struct ForeignWaiter {
  alignas(8) os::FutexWord woken{0};
};
constexpr std::uintptr_t foreign_bit = 1;
constexpr std::uintptr_t expired = Completion::expired_value;

/// Counts the threads outside that wait for the runtime without a time limit: meanwhile they cannot wake a task.
class Outside {
 public:
  Outside() noexcept { Runtime::outside_waiting.fetch_add(1, std::memory_order_relaxed); }
  ~Outside() { Runtime::outside_waiting.fetch_sub(1, std::memory_order_relaxed); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
};

/// Stands for the thread that called init() where tasks are listed.
void guest_function(Job* /*unused*/) noexcept {}

/// Lets a thread that is no worker run as worker 0 for the time of one run(); see Runtime::borrow. Other waits do not
/// lend the thread: only it could finish a job that it runs meanwhile, so a time limit could pass unnoticed, and a task
/// could wait for a lock that the thread holds.
class Guest {
 public:
  Guest() noexcept {
    if (const sched::Visit runtime(std::nothrow); runtime) worker_ = runtime->borrow();
    if (worker_ == nullptr) return;
    fiber::attach_thread(native_);
    native_.bound = worker_->id;
    native_.runtime = worker_->runtime;
    native_.card.begin(guest_function);
    worker_->current = &native_;
    worker_->runtime->set_guest(&native_);
  }
  ~Guest() {
    if (worker_ == nullptr) return;
    worker_->runtime->set_guest(nullptr);
    worker_->runtime->give_back(*worker_);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  /// No worker asked this one for jobs while it was parked: so if others sleep, its next push has to wake one.
  void notice_sleepers() const noexcept {
    if (worker_->runtime->work_flags.any(stealing::Flag::asleep)) worker_->deque.poke();
  }
  explicit operator bool() const noexcept { return worker_ != nullptr; }
  Worker& worker() const noexcept { return *worker_; }

 private:
  Worker* worker_ = nullptr;
  Fiber native_;
};

/// After the switch away from `from`: leaves it as the waiter, or makes it ready at once if the end came meanwhile.
void leave_as_waiter(Fiber* from, void* state) noexcept {
  std::uintptr_t expected = 0;
  if (!static_cast<std::atomic<std::uintptr_t>*>(state)->compare_exchange_strong(
          expected, reinterpret_cast<std::uintptr_t>(from), std::memory_order_acq_rel)) {
    sched::make_ready(from, true);
  }
}

void wake_waiter(std::uintptr_t waiter, bool next) noexcept {
  if ((waiter & foreign_bit) == 0) return sched::make_ready(reinterpret_cast<Fiber*>(waiter), next);
  auto* foreign = reinterpret_cast<ForeignWaiter*>(waiter & ~foreign_bit);
  // The waiter may return, and its word be gone, as soon as it reads 1. Waking an address that is gone is harmless: at
  // worst another futex at this address sees a spurious wake, which every futex user must expect.
  foreign->woken.store(sched::BlockingPool::EndlessWait::rung, std::memory_order_release);
  os::futex_wake(foreign->woken, 1);
}

/// The callback of a wait's stop token. It lives beside the Completion on the waiter's stack, and the end of its
/// stop_callback waits for a call that is under way.
struct EndWait {
  std::atomic<std::uintptr_t>& state;
  void operator()() const noexcept {
    const sched::Visit runtime = sched::Visit::until_the_end();  // until the task is in a queue (L2)
    if (const std::uintptr_t waiter = sched::end_early(state); waiter != 0) wake_waiter(waiter, false);
  }
};
using StopWait = std::optional<std::stop_callback<EndWait>>;

void drop_stop(void* stop) noexcept { static_cast<StopWait*>(stop)->reset(); }

/// Called by the waiter, when nothing can end its wait any more. \return whether it was ended early.
bool ended_early(std::atomic<std::uintptr_t>& state) noexcept {
  std::uintptr_t seen = expired;
  return state.compare_exchange_strong(seen, 0, std::memory_order_acq_rel);
}

/// A wait of a thread of the blocking pool that has no time limit (B1 in sched/wait/blocking_pool.hpp).
struct EndlessWait {
  EndlessWait(sched::BlockingThreadWait& thread, std::atomic<std::uintptr_t>& state, ForeignWaiter& waiter,
              const WaitReason& wait_reason, StopWait* stop_callback) noexcept
      : in_pool(thread),
        reason(wait_reason),
        stop(stop_callback),
        entry{state, reinterpret_cast<std::uintptr_t>(&waiter) | foreign_bit, waiter.woken} {
    if (!in_pool->list(entry)) abandon();
  }
  ~EndlessWait() { in_pool->unlist(entry); }
  EndlessWait(const EndlessWait&) = delete;
  EndlessWait& operator=(const EndlessWait&) = delete;

  /// The runtime has ended, and nothing names the waiter any more.
  [[noreturn]] void abandon() noexcept {
    sched::leave_lists(reason.listed);
    if (stop != nullptr) drop_stop(stop);
    sched::abandon_blocking_task();
  }

  sched::BlockingThreadWait& in_pool;
  const WaitReason& reason;
  StopWait* stop;
  sched::BlockingPool::EndlessWait entry;
};

/// Sleeps as a thread. \param endless of a thread of the pool without a time limit; else null. \return false where the
/// time was over first, or the wait was ended; then it is no longer the waiter, but its state may still say that it was
/// ended.
bool wait_outside(std::atomic<std::uintptr_t>& state, std::int64_t deadline, ForeignWaiter& waiter,
                  EndlessWait* endless = nullptr) {
  const bool alone = charm::num_workers() == 1;  // the only worker may need this very cpu
  const int spins = alone || sched::oversubscribed() ? 20 : 2000;
  for (int spin = 0; spin < spins; ++spin) {
    if (state.load(std::memory_order_acquire) != 0) break;
    os::pause();
  }
  const std::uintptr_t self = reinterpret_cast<std::uintptr_t>(&waiter) | foreign_bit;
  std::uintptr_t expected = 0;
  if (!state.compare_exchange_strong(expected, self, std::memory_order_acq_rel)) return expected != expired;
  using Entry = sched::BlockingPool::EndlessWait;
  for (std::uint32_t seen = 0; (seen = waiter.woken.load(std::memory_order_acquire)) != Entry::rung;) {
    if (seen == Entry::ended) {
      expected = self;
      if (state.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) endless->abandon();
      os::futex_wait(waiter.woken, seen);  // it is done, and we are about to be woken
      continue;
    }
    std::int64_t left = -1;
    if (deadline != Completion::never) {
      left = deadline - steady_now();
      expected = self;
      if (left <= 0 && state.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return false;
      if (left <= 0) left = -1;  // it is done, and we are about to be woken
    }
    os::futex_wait(waiter.woken, 0, std::chrono::nanoseconds(left));
  }
  return state.load(std::memory_order_acquire) != expired;
}

/// \param stop of a wait with a stop token: where the task is dropped the token must forget the wait.
void wait_in(Worker& worker, std::atomic<std::uintptr_t>& state, const WaitReason& reason, StopWait* stop = nullptr) {
  auto& waits = worker.current->waits;
  waits = {&state, reason.listed, stop == nullptr ? nullptr : drop_stop, stop};
  worker.suspend(leave_as_waiter, &state, reason);
  waits = {};
}

/// \param within what the task belongs to, where its cancellation ends the wait; else null.
/// \return false where the time was over first, or the wait was ended.
bool wait_in(Worker& worker, std::atomic<std::uintptr_t>& state, std::int64_t deadline, const WaitReason& reason,
             const CancelScope* within, StopWait* stop) {
  sched::Runtime& runtime = *worker.runtime;
  const bool limited = deadline != Completion::never;
  sched::Timer timer;
  timer.deadline_ns = deadline;
  timer.state = &state;
  if (limited) runtime.timers.add(timer, worker);
  sched::CancellableWait cancellable;
  if (within != nullptr) {
    cancellable.scope = within;
    cancellable.state = &state;
    runtime.cancellable_waits.add(cancellable, worker);
    if (within->cancelled_before_wait()) sched::end_early(state);
  }
  const bool bound = limited && worker.current->bound >= 0;  // then it comes back to this worker
  if (bound) ++worker.bound_limits;
  wait_in(worker, state, reason, stop);
  if (bound) --worker.bound_limits;
  if (within != nullptr) runtime.cancellable_waits.remove(cancellable);
  if (limited) runtime.timers.remove(timer);
  return state.load(std::memory_order_acquire) != expired;
}

// Two waits of threads that are no workers. They are calls: a worker's task runs others on its stack while it waits,
// level upon level, and a frame there has no room for what only these need.

[[gnu::noinline]] void wait_in_thread(std::atomic<std::uintptr_t>& state, const WaitReason& reason) {
  ForeignWaiter waiter;
  if (sched::BlockingThreadWait in_pool; in_pool) {
    EndlessWait endless(in_pool, state, waiter, reason, nullptr);
    wait_outside(state, Completion::never, waiter, &endless);
    return;
  }
  Outside outside;
  wait_outside(state, Completion::never, waiter);
}

[[gnu::noinline]] bool wait_in_thread(std::atomic<std::uintptr_t>& state, std::int64_t deadline,
                                      const WaitReason& reason, StopWait* stop) {
  ForeignWaiter waiter;
  sched::BlockingThreadWait in_pool;
  std::optional<EndlessWait> endless;
  if (in_pool && deadline == Completion::never) endless.emplace(in_pool, state, waiter, reason, stop);
  return wait_outside(state, deadline, waiter, endless ? &*endless : nullptr);
}

}  // namespace

void Completion::wait_slow(const WaitReason& reason) {
  if (Worker* worker = sched::this_worker()) return wait_in(*worker, state_, reason);
  wait_in_thread(state_, reason);
}

bool Completion::wait_until_slow(std::int64_t deadline_ns, const WaitReason& reason) {
  if (deadline_ns != never && deadline_ns <= steady_now()) {  // a query: a task that repeats it has to let others run
    charm::yield();
    return done();
  }
  if (reason.stop != nullptr && reason.stop->stop_requested()) return done();
  Worker* worker = sched::this_worker();
  const bool may_be_cancelled =
      reason.cancellable && worker != nullptr && worker->scope != nullptr && std::uncaught_exceptions() == 0;
  const CancelScope* within = may_be_cancelled ? worker->scope : nullptr;
  if (deadline_ns == never && within == nullptr && reason.stop == nullptr) {
    wait_slow(reason);
    return true;
  }
  bool whole = true;
  {
    StopWait stop;
    if (reason.stop != nullptr) stop.emplace(*reason.stop, EndWait{state_});
    if (worker != nullptr) {
      whole = wait_in(*worker, state_, deadline_ns, reason, within, reason.stop != nullptr ? &stop : nullptr);
    } else {
      whole = wait_in_thread(state_, deadline_ns, reason, reason.stop != nullptr ? &stop : nullptr);
    }
  }
  return !ended_early(state_) && whole;
}

bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop) {
  if (sched::this_worker() == nullptr && stop == nullptr) {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
    return true;
  }
  Completion nobody;
  nobody.wait_until(deadline, {Wait::sleep, nullptr, nullptr, true, stop});
  check_ended_wait();
  return stop == nullptr || !stop->stop_requested();
}

void Completion::wake(std::uintptr_t waiter, bool next) noexcept {
  if ((waiter & watcher_bit) == 0) return wake_waiter(waiter, next);
  auto* watcher = reinterpret_cast<Watcher*>(waiter & ~watcher_bit);
  watcher->notify(watcher);
}

void submit(ListedJob& job) {
  if (Worker* worker = sched::this_worker()) {
    sched::tracing::spawned(worker, &job);
    if (worker->deque.push(&job) == detail::Deque::full) {
      worker->push_ready(&job);
      worker->runtime->notify(worker);
    }
    return;
  }
  sched::Visit()->post_anywhere(&job);
}

void submit_where_bound(ListedJob& job) {
  Worker* worker = sched::this_worker();
  if (worker != nullptr && worker->current->bound >= 0) return worker->inbox.push(&job);
  submit(job);
}

void run_own_child(ListedJob& job) noexcept {
  Worker* worker = sched::this_worker();
  // In a recorded run the child gets a fiber of its own, so that the recording distinguishes it from its parent.
  if (worker == nullptr || worker->track != nullptr || stack_here() < worker->stack_limit) return;
  if (!worker->deque.pop_this(&job)) return;
  sched::Tally::add(worker->tally.jobs);
  Fiber& self = *worker->current;
  const fiber::TaskCard::Saved card = self.card.lend(job.run);
  void* const team = std::exchange(self.team, nullptr);
  {
    WithScope within(nullptr);
    job.run(&job);
  }
  self.team = team;
  self.card.take_again(card);
}

void spin_for_reply(const Completion& done) noexcept {
  Worker* worker = sched::this_worker();
  if (worker == nullptr || sched::oversubscribed()) return;
  constexpr int spins = 24;  // about a microsecond where a pause takes 40 ns
  for (int spin = 0; spin < spins && !done.done(); ++spin) {
    if (worker->inbox.arrived() || !worker->ready.empty() || !worker->deque.empty()) return;
    os::pause();
  }
}

void post(Target target, ListedJob& job) {
  const sched::Visit visit;
  Runtime& runtime = *visit;
  auto fail = [&](const char* what, std::size_t count) {
    throw Error(Errc::bad_input,
                "call to " + std::string(what) + " " + std::to_string(target.id) + ", where no worker runs",
                "this runtime has " + std::to_string(count) + " workers; charm::cores() tells their cores");
  };
  sched::tracing::spawned(sched::this_worker(), &job);
  switch (target.kind) {
    case Target::Kind::worker:
      if (target.id < 0 || static_cast<std::size_t>(target.id) >= runtime.workers.size())
        fail("worker", runtime.workers.size());
      return runtime.post(*runtime.workers[static_cast<std::size_t>(target.id)], &job);
    case Target::Kind::chiplet: {
      const int group = target.id < 0 ? -1 : runtime.group_of(target.id);
      if (group < 0 || !runtime.post_group(group, &job)) fail("chiplet", runtime.workers.size());
      return;
    }
    case Target::Kind::node:
      if (!runtime.post_node(target.id, &job)) fail("node", runtime.workers.size());
  }
}

void run_root(ListedJob& root, Completion& done) {
  bool pushed = false;
  if (Guest guest; guest) {
    pushed = guest.worker().deque.push(&root) != Deque::full;
    if (pushed) {
      guest.notice_sleepers();  // not before: an empty root task is not worth a wake-up
      done.wait();
      if (done.done()) return;  // else the runtime has sent it back
    }
  }
  if (!pushed) sched::Visit()->post_anywhere(&root);
  done.wait();
}

void detached_task_failed(std::string_view name) noexcept {
  const std::string notice = "an exception left a detached task, " + sched::running_task(name) + ": ";
  try {
    throw;
  } catch (const std::exception& error) {
    base::notice("detached", notice + error.what());
  } catch (...) {
    base::notice("detached", notice + "something that is not a std::exception");
  }
  std::terminate();
}

bool bind_task() noexcept {
  Worker* worker = sched::this_worker();
  bool before = worker->current->bound >= 0;
  worker->current->bound = worker->id;
  return before;
}

void unbind_task() noexcept { sched::this_worker()->current->bound = -1; }

void continue_on_new_stack(void (*function)(void*) noexcept, void* argument) {
  Worker* worker = sched::this_worker();
  const fiber::Stack stack = worker->further_stacks.take(worker->runtime->settings.stack_bytes);
  const std::byte* limit = worker->stack_limit;
  const std::byte* top = worker->stack_top;
  worker->stack_top = stack.base + stack.bytes;
  worker->stack_limit = stack.base + stack.bytes / 4;
  fiber::call_on_stack(*worker->current, stack, function, argument);
  worker = sched::this_worker();
  worker->stack_limit = limit;
  worker->stack_top = top;
  worker->further_stacks.give(stack);
}

}  // namespace charm::detail
