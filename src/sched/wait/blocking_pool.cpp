#include "sched/wait/blocking_pool.hpp"

#include <charm/blocking.hpp>
#include <charm/mutex.hpp>

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/notices.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/handed_on.hpp"
#include "os/threads/threads.hpp"
#include "sched/debug/delays.hpp"
#include "sched/debug/stack_overflow.hpp"
#include "sched/run/exceptions.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm::sched {
namespace {

using fiber::Fiber;

/// The data of one thread of the pool.
struct BlockingThread {
  Fiber native;
  Fiber* running = nullptr;
  Runtime* runtime = nullptr;
  BlockingPool* pool = nullptr;  // still there when the runtime's pointer to it is gone
  int number = -1;
};
constinit thread_local BlockingThread* blocking_thread = nullptr;

/// Not inlined: see this_worker().
[[gnu::noinline]] BlockingThread* this_blocking_thread() noexcept {
  asm volatile("");
  return blocking_thread;
}

}  // namespace

Fiber* running_fiber() noexcept {
  if (Worker* worker = this_worker()) return worker->current;
  BlockingThread* self = this_blocking_thread();
  return self == nullptr ? nullptr : self->running;
}

Runtime* runtime_of_this_thread() noexcept {
  if (Worker* worker = this_worker()) return worker->runtime;
  BlockingThread* self = this_blocking_thread();
  return self == nullptr ? nullptr : self->runtime;
}

int blocking_thread_number() noexcept {
  BlockingThread* self = this_blocking_thread();
  return self == nullptr ? -1 : self->number;
}

void forget_blocking_thread() noexcept { blocking_thread = nullptr; }

bool BlockingPool::reserve() {
  std::lock_guard lock(mutex_);
  ++promised_;
  if (!wants_thread() || make_thread() || !threads_.empty()) return true;
  --promised_;
  return false;
}

bool BlockingPool::make_thread() noexcept {
  try {
    threads_.emplace_back([this, number = threads_.size()] { main(number); });
    ++idle_;  // the thread is starting
    return true;
  } catch (const std::exception& error) {
    base::notice("blocking_pool",
                 std::string("no thread for blocking code: ") + error.what() +
                     "; it shares the threads of the blocking pool that there are, or else blocks its worker");
    return false;
  }
}

void BlockingPool::begin_wait() noexcept {
  std::lock_guard lock(mutex_);
  in_library_.fetch_add(1, std::memory_order_seq_cst);
  if (wants_thread()) make_thread();
}

void BlockingPool::end_wait() noexcept { in_library_.fetch_sub(1, std::memory_order_seq_cst); }

BlockingThreadWait::BlockingThreadWait() noexcept {
  BlockingThread* self = this_blocking_thread();
  pool_ = self == nullptr ? nullptr : self->pool;
  if (pool_ != nullptr) pool_->begin_wait();
}

BlockingThreadWait::~BlockingThreadWait() {
  if (pool_ != nullptr) pool_->end_wait();
}

bool BlockingPool::list(EndlessWait& wait) noexcept {
  std::lock_guard lock(mutex_);
  if (ending_) return false;
  ++endless_begun_;
  wait.next = endless_;
  wait.link = &endless_;
  if (endless_ != nullptr) endless_->link = &wait.next;
  endless_ = &wait;
  return true;
}

void BlockingPool::unlist(EndlessWait& wait) noexcept {
  std::lock_guard lock(mutex_);
  *wait.link = wait.next;
  if (wait.next != nullptr) wait.next->link = wait.link;
}

bool BlockingPool::may_go_on(std::uint64_t& begun) const noexcept {
  if (out() == 0) return false;
  std::lock_guard lock(mutex_);
  int vain = 0;
  for (const EndlessWait* wait = endless_; wait != nullptr; wait = wait->next) {
    if (wait->state.load(std::memory_order_seq_cst) != wait->waiter) return true;
    ++vain;
  }
  begun += endless_begun_;
  return vain != out();
}

void abandon_blocking_task() noexcept {
  BlockingThread* thread = this_blocking_thread();
  Fiber* self = thread->running;
  fiber::switch_to(
      *self, thread->native,
      [](Fiber* from, void* /*unused*/) noexcept {
        from->card.state.store(fiber::TaskCard::State::waiting, std::memory_order_release);
      },
      nullptr);
  std::terminate();  // nobody continues it
}

void BlockingPool::run(Fiber* fiber) noexcept {
  fiber->next = nullptr;
  delay_between_steps();
  {
    std::lock_guard lock(mutex_);
    (first_ == nullptr ? first_ : last_->next) = fiber;
    last_ = fiber;
  }
  come_.notify_one();
}

std::size_t BlockingPool::threads() const {
  std::lock_guard lock(mutex_);
  return threads_.size();
}

void BlockingPool::main(std::size_t number) {
  os::name_this_thread("charm-block" + std::to_string(number % 1000));
  BlockingThread self;
  self.number = static_cast<int>(number);
  self.runtime = &runtime_;
  self.pool = this;
  fiber::attach_thread(self.native);
  blocking_thread = &self;
  SignalStack signal_stack;
  os::hand_on(runtime_.main.came_with());  // it has been made by a worker, or by a thread that a worker has made
  const bool binds = runtime_.machine.is_live();
  CpuSet bound_to;
  std::unique_lock lock(mutex_);
  for (;;) {
    come_.wait(lock, [&] { return first_ != nullptr || ending_; });
    if (first_ == nullptr) break;
    auto* fiber = static_cast<Fiber*>(first_);
    first_ = fiber->next;
    --idle_;
    --promised_;
    lock.unlock();
    if (CpuSet allowed = binds ? runtime_.steering->allowed_cpus() : CpuSet(); allowed != bound_to) {
      os::bind_this_thread(allowed);
      bound_to = std::move(allowed);
    }
    self.running = fiber;
    fiber->card.state.store(fiber::TaskCard::State::running, std::memory_order_relaxed);
    watch_stack(fiber);
    fiber::switch_to(self.native, *fiber, nullptr, nullptr);
    watch_stack(nullptr);
    self.running = nullptr;
    lock.lock();
    ++idle_;
  }
  blocking_thread = nullptr;
}

BlockingPool::~BlockingPool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (EndlessWait* wait = endless_; wait != nullptr; wait = wait->next) {  // rung at the end
      std::uint32_t asleep = 0;
      if (wait->bell.compare_exchange_strong(asleep, EndlessWait::ended, std::memory_order_acq_rel))
        os::futex_wake(wait->bell, 1);
    }
  }
  come_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace charm::sched

namespace charm::detail {

using fiber::Fiber;
using sched::Handling;
using sched::Runtime;
using sched::Worker;

bool enter_blocking() {
  Worker* worker = sched::this_worker();
  sched::BlockingPool& blocking_pool = *worker->runtime->waits.blocking;
  if (!blocking_pool.reserve()) return false;
  Fiber* self = worker->current;
  self->away.chiplet = worker->worker_core().chiplet;
  self->away.stack_limit = worker->stack_limit;
  self->away.stack_top = worker->stack_top;
  blocking_pool.begin();
  worker->suspend([](Fiber* from, void* pool) noexcept { static_cast<sched::BlockingPool*>(pool)->run(from); },
                  &blocking_pool, {Wait::blocking, nullptr});
  return true;
}

void leave_blocking() noexcept {
  sched::BlockingThread* thread = sched::this_blocking_thread();
  Runtime* runtime = thread->runtime;
  Fiber* self = thread->running;
  const Handling handled = std::exchange(sched::handling_of_thread(), Handling{nullptr, 0});
  const int error = sched::error_number_of_thread();
  fiber::switch_to(
      *self, thread->native,
      [](Fiber* from, void* argument) noexcept {
        auto* to = static_cast<Runtime*>(argument);
        sched::delay_between_steps();
        if (to->ending.is_over())  // no worker is left: the task is dropped (rung at the end)
          from->card.state.store(fiber::TaskCard::State::waiting, std::memory_order_release);
        else if (from->bound >= 0)
          sched::make_ready(from, false);
        else
          to->post_near(from->away.chiplet, from);
      },
      runtime);
  if (handled.caught != nullptr || handled.uncaught != 0) sched::handling_of_thread() = handled;
  Worker* here = sched::this_worker();
  here->error_number() = error;
  self->card.wait.store(Wait::nothing, std::memory_order_relaxed);
  here->scope = self->away.scope;
  here->resumed(*self, self->away.stack_limit, self->away.stack_top, self->away.task, self->away.left);
  runtime->waits.blocking->end();
}

const CancelScope** scope_in_blocking_code() noexcept {
  Fiber* fiber = sched::this_worker() == nullptr ? sched::running_fiber() : nullptr;
  return fiber == nullptr ? nullptr : &fiber->away.scope;
}

std::uint64_t task_id() noexcept {
  Fiber* fiber = sched::running_fiber();
  return fiber == nullptr ? 0 : fiber->card.id;
}

}  // namespace charm::detail
