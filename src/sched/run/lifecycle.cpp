// init() and finalize(): the first init() starts the runtime, later ones join it, and it ends when finalize() was
// called as often. So two libraries of one program may both use it without knowing of each other.
//
// - One thread starts or ends: it does so alone, and says so in `busy`. Nobody joins meanwhile: init() waits for it.
//   Inside of a task of the runtime that is being ended it does not wait, since the end waits for the task.
// - Brief mutex: The mutex is held for a few instructions, never while the runtime starts or ends, so fork() may hold
//   it.
// - The last one ends it: `joined` counts those who use the runtime beside the one who started it. The runtime is ended
//   by the finalize() that finds 0 there, whoever calls it.
#include "sched/run/lifecycle.hpp"

#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include "os/threads/futex.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/same_build.hpp"
#include "sched/run/visit.hpp"

namespace charm {

using sched::Runtime;

namespace {

struct Lifecycle {
  std::mutex mutex;  // guards the two below
  bool busy = false;
  int joined = 0;
  os::FutexWord turns{0};  // times that `busy` has ended
};

constinit Lifecycle lifecycle;

/// Ends the time in which one thread alone starts or ends the runtime.
class Turn {
 public:
  Turn() = default;
  ~Turn() {
    {
      const std::lock_guard lock(lifecycle.mutex);
      lifecycle.busy = false;
    }
    lifecycle.turns.fetch_add(1, std::memory_order_release);
    os::futex_wake(lifecycle.turns, std::numeric_limits<int>::max());
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

/// Waits until the thread that is busy is done.
void wait_for_turn(std::unique_lock<std::mutex>& lock) {
  const std::uint32_t seen = lifecycle.turns.load(std::memory_order_acquire);
  lock.unlock();
  os::futex_wait(lifecycle.turns, seen);  // who calls looks again, also where it returns for nothing
  lock.lock();
}

/// Joins the runtime that runs, under the mutex.
void join(const Runtime& runtime, const Config& config) {
  const auto other = base::difference(runtime.settings, static_cast<int>(runtime.workers.size()), config);
  if (other) {
    throw Error(Errc::bad_config,
                "the runtime is running already, with " + other->name + " = '" + other->running + "' (from " +
                    other->from + "), and this init() asks for '" + other->wanted + "'",
                "leave " + other->name + " unset to use the runtime as it is, make this init() the first, or call " +
                    "charm::finalize() before it");
  }
  ++lifecycle.joined;
}

}  // namespace

void sched::lock_lifecycle() noexcept { lifecycle.mutex.lock(); }
void sched::unlock_lifecycle() noexcept { lifecycle.mutex.unlock(); }
void sched::forget_lifecycle() noexcept {
  lifecycle.busy = false;
  lifecycle.joined = 0;
}

void init(const Config& config) {
  for (std::unique_lock lock(lifecycle.mutex);;) {
    if (!lifecycle.busy) {
      if (const Runtime* runtime = Runtime::gate.running()) return join(*runtime, config);
      lifecycle.busy = true;
      lifecycle.joined = 0;
      break;
    }
    if (sched::runtime_of_this_thread() != nullptr && Runtime::gate.running() == nullptr)
      throw Error(Errc::not_running, "init() was called inside a task while another thread is in finalize()",
                  "call init() before the work starts, and finalize() after it has ended");
    wait_for_turn(lock);
  }
  const Turn turn;
  sched::require_same_build();
  new Runtime(config);  // owned by the gate until finalize()
}

void finalize() {
  Runtime* runtime = nullptr;
  {
    std::unique_lock lock(lifecycle.mutex);
    while (lifecycle.busy && Runtime::gate.running() != nullptr) wait_for_turn(lock);
    if (lifecycle.busy || Runtime::gate.running() == nullptr)
      throw Error(Errc::not_running, "the runtime is not running, or another thread is in finalize() already",
                  "call finalize() once for each init()");
    if (lifecycle.joined > 0) {
      --lifecycle.joined;
      return;
    }
    if (sched::runtime_of_this_thread() != nullptr)
      throw Error(Errc::not_running, "the last finalize() was called inside a task",
                  "call it from a thread that is no worker, such as the one that called init()");
    lifecycle.busy = true;
    runtime = Runtime::gate.close();
  }
  const Turn turn;
  delete runtime;
}

bool initialized() noexcept { return sched::runtime_of_this_thread() != nullptr || Runtime::gate.running() != nullptr; }

}  // namespace charm
