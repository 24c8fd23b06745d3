// Jobs on their way to a worker: from a task, from a thread outside, to a place, and the root of run().
#include <charm/call.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/error.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/notices.hpp"
#include "os/threads/pause.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm::detail {

using fiber::Fiber;
using sched::Runtime;
using sched::Worker;

namespace {

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
    native_.card.since.store(worker_->looked_at_others(), std::memory_order_relaxed);
    worker_->current = &native_;
    worker_->runtime->loan.show_guest(native_);
  }
  ~Guest() {
    if (worker_ == nullptr) return;
    worker_->runtime->loan.hide_guest();
    worker_->runtime->give_back(*worker_);
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  /// No worker asked this one for jobs while it was parked: so if others sleep, its next push has to wake one.
  void notice_sleepers() const noexcept {
    if (worker_->runtime->places.flags.any(stealing::Flag::asleep)) worker_->deque.poke();
  }
  explicit operator bool() const noexcept { return worker_ != nullptr; }
  Worker& worker() const noexcept { return *worker_; }

 private:
  Worker* worker_ = nullptr;
  Fiber native_;
};

}  // namespace

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
      const int group = target.id < 0 ? -1 : runtime.places.group_of(target.id);
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
