// Waiting without blocking a worker, and entering the runtime from outside.
#include <charm/detail/completion.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/error.hpp>
#include <charm/invoke.hpp>
#include <charm/runtime.hpp>

#include <thread>

#include "os/futex.hpp"
#include "os/pause.hpp"
#include "sched/runtime.hpp"
#include "sched/tracing.hpp"

namespace charm::detail {

using fiber::Fiber;
using sched::Runtime;
using sched::Worker;

namespace {

/// A thread that is no worker and waits; its address with bit 1 set stands for it in a Completion.
struct ForeignWaiter {
  os::FutexWord woken{0};
};
constexpr std::uintptr_t foreign_bit = 2;

/// Lets a thread that is no worker run as worker 0 for the time of one wait; see Runtime::borrow.
class Guest {
 public:
  Guest() noexcept {
    Runtime* runtime = Runtime::instance();
    worker_ = runtime == nullptr ? nullptr : runtime->borrow();
    if (worker_ == nullptr) return;
    fiber::adopt_thread(native_);
    native_.bound = worker_->id;
    worker_->current = &native_;
  }
  ~Guest() {
    if (worker_ != nullptr) worker_->runtime->give_back(*worker_);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  explicit operator bool() const noexcept { return worker_ != nullptr; }
  Worker& worker() const noexcept { return *worker_; }

 private:
  Worker* worker_;
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

}  // namespace

void Completion::wait_slow() {
  if (Worker* worker = sched::this_worker()) return worker->suspend(leave_as_waiter, &state_);
  if (Guest guest; guest) return guest.worker().suspend(leave_as_waiter, &state_);
  for (int spin = 0; spin < 2000; ++spin) {
    if (done()) return;
    os::pause();
  }
  ForeignWaiter waiter;
  std::uintptr_t expected = 0;
  if (!state_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&waiter) | foreign_bit,
                                      std::memory_order_acq_rel))
    return;
  while (waiter.woken.load(std::memory_order_acquire) == 0) os::futex_wait(waiter.woken, 0);
}

void Completion::wake(std::uintptr_t waiter, bool next) noexcept {
  if ((waiter & foreign_bit) == 0) return sched::make_ready(reinterpret_cast<Fiber*>(waiter), next);
  auto* foreign = reinterpret_cast<ForeignWaiter*>(waiter & ~foreign_bit);
  // The waiter may return, and its word be gone, as soon as it reads 1. Waking an address that is gone is harmless: at
  // worst somebody else's futex sees a spurious wake, which every futex user must expect.
  foreign->woken.store(1, std::memory_order_release);
  os::futex_wake(foreign->woken, 1);
}

void submit(ListedJob& job) {
  if (Worker* worker = sched::this_worker()) {
    sched::tracing::spawned(worker, &job);
    if (worker->deque.push(&job) == detail::Deque::full) {
      worker->ready.push(&job);
      worker->runtime->notify(worker);
    }
    return;
  }
  Runtime& runtime = Runtime::get();
  runtime.post_anywhere(&job);
}

void post(Target target, ListedJob& job) {
  Runtime& runtime = Runtime::get();
  auto fail = [&](const char* what, std::size_t count) {
    throw Error(Errc::bad_input,
                "call to " + std::string(what) + " " + std::to_string(target.id) + ", where no worker sits",
                "this runtime has " + std::to_string(count) + " workers; charm::seats() tells their seats");
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
  Runtime& runtime = Runtime::get();
  if (Guest guest; guest) {
    if (guest.worker().deque.push(&root) != Deque::full) {
      done.wait();
      return;
    }
  }
  runtime.post_anywhere(&root);
  done.wait();
}

bool bind_task() noexcept {
  Worker* worker = sched::this_worker();
  bool before = worker->current->bound >= 0;
  worker->current->bound = worker->id;
  return before;
}

void unbind_task() noexcept { sched::this_worker()->current->bound = -1; }

void* take_job_memory(std::size_t bytes) {
  WorkerCore* worker = this_worker();
  return worker != nullptr ? worker->pool.take(bytes) : JobPool::take_outside(bytes);
}

void give_job_memory(void* block, std::size_t bytes) noexcept {
  if (WorkerCore* worker = this_worker())
    worker->pool.give(block, bytes);
  else
    ::operator delete(block);
}

void continue_on_new_stack(void (*function)(void*) noexcept, void* argument) {
  Worker* worker = sched::this_worker();
  fiber::Stack stack = fiber::allocate_stack(worker->runtime->settings.stack_bytes);
  const std::byte* limit = worker->stack_limit;
  const std::byte* top = worker->stack_top;
  worker->stack_top = stack.base + stack.bytes;
  worker->stack_limit = stack.base + stack.bytes / 4;
  fiber::call_on_stack(*worker->current, stack, function, argument);
  worker = sched::this_worker();
  worker->stack_limit = limit;
  worker->stack_top = top;
  fiber::free_stack(stack);
}

}  // namespace charm::detail

namespace charm {

void yield() {
  sched::Worker* worker = sched::this_worker();
  if (worker == nullptr) return std::this_thread::yield();
  bool alone = worker->ready.empty() && worker->deque.empty() && worker->inbox.empty();
  if (alone && worker->tick++ % 64 != 0) return;
  worker->suspend(
      [](fiber::Fiber* from, void*) noexcept {
        sched::Worker* here = sched::this_worker();
        if (from->bound >= 0)
          here->inbox.push(from);
        else
          here->ready.push(from);
      },
      nullptr);
}

}  // namespace charm
