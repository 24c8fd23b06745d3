// all_do and its barrier.
//
// The barrier is a tree over chiplets: arrivals are counted on the chiplet, and the last of each counts at the root, so
// that a line is written by the workers of one chiplet, or once a chiplet. The last at the root opens the next round by
// a store to every chiplet's line, where its workers spin, and wakes those who went to sleep. Who belongs to which
// chiplet is settled when the gang starts; a worker that moves meanwhile still counts where it did.
// A body that waits spins for a moment, because the others are usually near, and then suspends. Sleepers link
// themselves into `waiters_` after they have been left (see fiber.hpp); the opener takes the list after it has advanced
// the round, and a sleeper that finds the round advanced after linking takes the list itself: so nobody stays behind.
#include <charm/all_do.hpp>
#include <charm/error.hpp>

#include <mutex>
#include <utility>
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
  struct Leaf {
    int size = 0;
    alignas(64) std::atomic<int> arrived{0};
    alignas(64) std::atomic<std::uint32_t> round{0};
  };

 public:
  /// \param leaf of each worker, 0..leaves-1.
  GangBarrier(std::vector<int> leaf, int leaves)
      : leaf_of_(std::move(leaf)), leaves_(static_cast<std::size_t>(leaves)) {
    for (int l : leaf_of_) ++leaves_[static_cast<std::size_t>(l)].size;
  }

  void arrive_and_wait(int worker) {
    Leaf& leaf = leaves_[static_cast<std::size_t>(leaf_of_[static_cast<std::size_t>(worker)])];
    const std::uint32_t round = leaf.round.load(std::memory_order_acquire);
    if (leaf.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == leaf.size) {
      leaf.arrived.store(0, std::memory_order_relaxed);  // before anybody passes: they pass by way of the root
      if (leaves_.size() == 1 ||
          root_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int>(leaves_.size())) {
        root_.store(0, std::memory_order_relaxed);
        for (Leaf& each : leaves_) each.round.store(round + 1, std::memory_order_seq_cst);
        if (waiters_.load(std::memory_order_seq_cst) != nullptr) wake_all();
        return;
      }
    }
    for (int spin = sched::crowded() ? spins - 20 : 0; spin < spins; ++spin) {
      if (leaf.round.load(std::memory_order_acquire) != round) return;
      os::pause();
    }
    struct Wait {
      GangBarrier& barrier;
      Leaf& leaf;
      std::uint32_t round;
    } wait{*this, leaf, round};
    // A late opener may take the list of the next round with it, so a wake alone does not mean that the round is over.
    // The barrier outlives the action below: the body is bound to this worker and goes on only after it.
    while (leaf.round.load(std::memory_order_acquire) == round) {
      sched::this_worker()->suspend(
          [](Fiber* from, void* argument) noexcept {
            auto& left = *static_cast<Wait*>(argument);
            left.barrier.link(from);
            if (left.leaf.round.load(std::memory_order_seq_cst) != left.round) left.barrier.wake_all();
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

  const std::vector<int> leaf_of_;
  std::vector<Leaf> leaves_;
  alignas(64) std::atomic<int> root_{0};
  alignas(64) std::atomic<sched::ListedJob*> waiters_{nullptr};
};

/// The workers' chiplets as 0..n-1, in the order of their first worker.
std::vector<int> leaves_of(Runtime& runtime, int& count) {
  std::vector<int> number(runtime.groups.size(), -1);
  std::vector<int> leaf;
  count = 0;
  for (const auto& worker : runtime.workers) {
    int& of_group = number[static_cast<std::size_t>(worker->home_group.load(std::memory_order_relaxed))];
    if (of_group < 0) of_group = count++;
    leaf.push_back(of_group);
  }
  return leaf;
}

struct GangState {
  GangState(Gang::Body b, void* f, std::vector<int> leaf, int leaves)
      : body(b), function(f), left(static_cast<int>(leaf.size())), barrier(std::move(leaf), leaves) {}
  Gang::Body body;
  void* function;
  std::atomic<int> left;
  GangBarrier barrier;
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
  int leaves = 0;
  std::vector<int> leaf = leaves_of(runtime, leaves);
  GangState gang(body, function, std::move(leaf), leaves);
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
  static_cast<detail::GangState*>(gang)->barrier.arrive_and_wait(worker->id);
}

}  // namespace charm
