// all_do and its barrier.
//
// The barrier counts arrivals per round; the last to arrive opens the next round and wakes those who went to sleep.
// A body that waits spins for a moment, because the others are usually near, and then suspends. Sleepers link
// themselves into `waiters_` after they have been left (see fiber.hpp); the opener takes the list after it has advanced
// the round, and a sleeper that finds the round advanced after linking takes the list itself: so nobody stays behind.
#include <charm/all_do.hpp>
#include <charm/error.hpp>

#include <mutex>
#include <vector>

#include "os/pause.hpp"
#include "sched/crowding.hpp"
#include "sched/runtime.hpp"

namespace charm::detail {

using fiber::Fiber;
using sched::Runtime;
using sched::Worker;

namespace {

class GangBarrier {
 public:
  explicit GangBarrier(int size) : size_(size) {}

  void arrive_and_wait() {
    std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_seq_cst);
      wake_all();
      return;
    }
    for (int spin = sched::crowded() ? spins - 20 : 0; spin < spins; ++spin) {
      if (round_.load(std::memory_order_acquire) != round) return;
      os::pause();
    }
    struct Wait {
      GangBarrier& barrier;
      std::uint32_t round;
    } wait{*this, round};
    // A late opener may take the list of the next round with it, so a wake alone does not mean that the round is over.
    // The barrier outlives the action below: the body is bound to this worker and goes on only after it.
    while (round_.load(std::memory_order_acquire) == round) {
      sched::this_worker()->suspend(
          [](Fiber* from, void* argument) noexcept {
            auto& left = *static_cast<Wait*>(argument);
            left.barrier.link(from);
            if (left.barrier.round_.load(std::memory_order_seq_cst) != left.round) left.barrier.wake_all();
          },
          &wait, {detail::Wait::barrier, this});
    }
  }

 private:
  static constexpr int spins = 4000;

  void link(Fiber* fiber) noexcept {
    sched::ListedJob* head = waiters_.load(std::memory_order_relaxed);
    do {
      fiber->next = head;
    } while (!waiters_.compare_exchange_weak(head, fiber, std::memory_order_seq_cst, std::memory_order_relaxed));
  }
  void wake_all() noexcept {
    sched::ListedJob* fiber = waiters_.exchange(nullptr, std::memory_order_seq_cst);
    while (fiber != nullptr) {
      sched::ListedJob* next = fiber->next;
      sched::make_ready(static_cast<Fiber*>(fiber), false);
      fiber = next;
    }
  }

  const int size_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  std::atomic<sched::ListedJob*> waiters_{nullptr};
};

struct GangState {
  GangState(Gang::Body b, void* f, int size) : body(b), function(f), barrier(size), left(size) {}
  Gang::Body body;
  void* function;
  GangBarrier barrier;
  std::atomic<int> left;
  Completion done;
  std::mutex mutex;
  std::exception_ptr error;

  void run(int worker) noexcept {
    Worker* here = sched::this_worker();
    Fiber* fiber = here->current;
    void* outer = std::exchange(fiber->gang, this);
    try {
      body(function, worker);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    fiber->gang = outer;
  }
};

struct Member : ListedJob {
  Member() noexcept : ListedJob(&Member::start) {}
  static void start(Job* job) noexcept {
    GangState& gang = *static_cast<Member*>(job)->gang;
    gang.run(sched::this_worker()->id);
    if (gang.left.fetch_sub(1, std::memory_order_acq_rel) == 1) gang.done.complete(true);
  }
  GangState* gang = nullptr;
};

}  // namespace

void Gang::run(Body body, void* function) {
  Runtime& runtime = Runtime::get();
  GangState gang(body, function, static_cast<int>(runtime.workers.size()));
  bool bound = bind_task();
  int self = sched::this_worker()->id;  // after binding: from here on the task stays
  std::vector<Member> members(runtime.workers.size());
  for (std::size_t w = 0; w < members.size(); ++w) {
    if (static_cast<int>(w) == self) continue;
    members[w].gang = &gang;
    runtime.post(*runtime.workers[w], &members[w]);
  }
  gang.run(self);
  if (gang.left.fetch_sub(1, std::memory_order_acq_rel) != 1) gang.done.wait();
  if (!bound) unbind_task();
  if (gang.error) std::rethrow_exception(gang.error);
}

}  // namespace charm::detail

namespace charm {

void barrier() {
  sched::Worker* worker = sched::this_worker();
  void* gang = worker == nullptr ? nullptr : worker->current->gang;
  if (gang == nullptr)
    throw Error(Errc::bad_input, "charm::barrier() outside of all_do", "call it in every body of an all_do");
  static_cast<detail::GangState*>(gang)->barrier.arrive_and_wait();
}

}  // namespace charm
