// all_do and its barrier.
//
// The barrier is a tree over chiplets: arrivals are counted on the chiplet, and the last of each counts at the root, so
// that a line is written by the workers of one chiplet, or once a chiplet. The last at the root opens the next round by
// a store to every chiplet's line, where its workers spin, and wakes those who went to sleep. Who belongs to which
// chiplet is settled when the team starts; a worker that moves meanwhile still counts where it did.
// A body that waits spins for a moment, because the others are usually near, and then suspends. Sleepers link
// themselves into `waiters_` after they have been left (see fiber.hpp); the opener takes the list after it has advanced
// the round, and a sleeper that finds the round advanced after linking takes the list itself: so nobody stays behind.
//
// A body that has ended does not come to the barrier any more. It stores the number of rounds that it has passed;
// bodies that wait in that round or a later one would wait for ever, so they throw. The number is announced as a new
// round is: it is stored, then the list of sleepers is taken. Rounds to which all bodies have come are not affected.
// (Modelled in tests/model/barrier.pml.)
#include <charm/all_do.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/error.hpp>

#include <mutex>
#include <utility>
#include <vector>

#include "os/threads/pause.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"

namespace charm::detail {

using fiber::Fiber;
using sched::Runtime;
using sched::Worker;

namespace {

class TeamBarrier {
  struct Leaf {
    int size = 0;
    alignas(64) std::atomic<int> arrived{0};
    alignas(64) std::atomic<std::uint64_t> round{0};
  };

 public:
  /// \param leaf of each worker, 0..leaves-1.
  TeamBarrier(std::vector<int> leaf, int leaves)
      : leaf_of_(std::move(leaf)), leaves_(static_cast<std::size_t>(leaves)) {
    for (int l : leaf_of_) ++leaves_[static_cast<std::size_t>(l)].size;
  }

  enum class Outcome { all_came, one_had_ended, one_had_thrown };

  Outcome arrive_and_wait(int worker) {
    Leaf& leaf = leaf_of(worker);
    const std::uint64_t round = leaf.round.load(std::memory_order_acquire);
    if (in_vain(round)) return why();  // also for a body that got this error already, and must not arrive twice
    if (leaf.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == leaf.size) {
      leaf.arrived.store(0, std::memory_order_relaxed);  // before any body passes, since all pass by way of the root
      if (leaves_.size() == 1 ||
          root_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int>(leaves_.size())) {
        root_.store(0, std::memory_order_relaxed);
        for (Leaf& each : leaves_) each.round.store(round + 1, std::memory_order_seq_cst);
        if (waiters_.load(std::memory_order_seq_cst) != nullptr) wake_all();
        return Outcome::all_came;
      }
    }
    for (int spin = sched::oversubscribed() ? spins - 20 : 0; spin < spins; ++spin) {
      if (leaf.round.load(std::memory_order_acquire) != round) return Outcome::all_came;
      os::pause();
    }
    struct Wait {
      TeamBarrier& barrier;
      Leaf& leaf;
      std::uint64_t round;
      [[nodiscard]] bool over() const noexcept {
        return leaf.round.load(std::memory_order_seq_cst) != round || barrier.in_vain(round);
      }
    } wait{*this, leaf, round};
    // A late opener may take the list of the next round with it, so a wake alone does not mean that the round is over.
    // The barrier outlives the action below: the body is bound to this worker and goes on only after it.
    while (!wait.over()) {
      sched::this_worker()->suspend(
          [](Fiber* from, void* argument) noexcept {
            auto& left = *static_cast<Wait*>(argument);
            left.barrier.link(from);
            if (left.over()) left.barrier.wake_all();
          },
          &wait, {detail::Wait::barrier, this});
    }
    return leaf.round.load(std::memory_order_acquire) != round ? Outcome::all_came : why();
  }

  /// The worker's body has ended and comes to no further round. Of several that end before the same round the first
  /// gives the reason: the others may have ended because of its error.
  void leave(int worker, bool thrown) noexcept {
    const std::uint64_t passed = leaf_of(worker).round.load(std::memory_order_relaxed);
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    while (passed < last / 2 && !last_.compare_exchange_weak(last, 2 * passed + (thrown ? 1 : 0))) {
    }
    if (waiters_.load(std::memory_order_seq_cst) != nullptr) wake_all();
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

  [[nodiscard]] bool in_vain(std::uint64_t round) const noexcept {
    return last_.load(std::memory_order_seq_cst) / 2 <= round;
  }
  [[nodiscard]] Outcome why() const noexcept {
    return last_.load(std::memory_order_relaxed) % 2 == 0 ? Outcome::one_had_ended : Outcome::one_had_thrown;
  }
  Leaf& leaf_of(int worker) noexcept {
    return leaves_[static_cast<std::size_t>(leaf_of_[static_cast<std::size_t>(worker)])];
  }

  const std::vector<int> leaf_of_;
  std::vector<Leaf> leaves_;
  alignas(64) std::atomic<int> root_{0};
  alignas(64) std::atomic<sched::ListedJob*> waiters_{nullptr};
  std::atomic<std::uint64_t> last_{UINT64_MAX};  // twice the first round that a body has ended before; odd: by throwing
};

/// The workers' chiplets as 0..n-1, in the order of their first worker.
std::vector<int> leaves_of(Runtime& runtime, int& count) {
  std::vector<int> number(runtime.places.groups.size(), -1);
  std::vector<int> leaf;
  count = 0;
  for (const auto& worker : runtime.workers) {
    int& of_group = number[static_cast<std::size_t>(worker->home_group())];
    if (of_group < 0) of_group = count++;
    leaf.push_back(of_group);
  }
  return leaf;
}

struct TeamState {
  TeamState(Team::Body b, void* f, const CancelScope* s, std::vector<int> leaf, int leaves)
      : body(b), function(f), scope(s), left(static_cast<int>(leaf.size())), barrier(std::move(leaf), leaves) {}
  Team::Body body;
  void* function;
  const CancelScope* scope;  // the scope of the task that called all_do
  std::atomic<int> left;
  TeamBarrier barrier;
  Completion done;
  std::mutex mutex;
  std::exception_ptr error;

  void run(int worker) noexcept {
    Worker* here = sched::this_worker();
    Fiber* fiber = here->current;
    void* outer = std::exchange(fiber->team, this);
    bool thrown = false;
    try {
      body(function, worker);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      thrown = true;
    }
    fiber->team = outer;
    barrier.leave(worker, thrown);
  }

  void arrive_and_wait(int worker) {
    switch (barrier.arrive_and_wait(worker)) {
      case TeamBarrier::Outcome::all_came:
        return;
      case TeamBarrier::Outcome::one_had_thrown:
        throw Error(Errc::cancelled, "a body of all_do has thrown an exception and comes to charm::barrier() no more",
                    "let this exception leave the body; all_do rethrows that of the other");
      case TeamBarrier::Outcome::one_had_ended:
        throw Error(Errc::bad_input, "a body of all_do has ended while another waits at charm::barrier()",
                    "call barrier() equally often in every body");
    }
  }
};

struct Member : ListedJob {
  Member() noexcept : ListedJob(&Member::start) {}
  static void start(Job* job) noexcept {
    TeamState& team = *static_cast<Member*>(job)->team;
    {
      WithScope within(team.scope);
      team.run(sched::this_worker()->id);
    }
    if (team.left.fetch_sub(1, std::memory_order_acq_rel) == 1) team.done.complete(true);
  }
  TeamState* team = nullptr;
};

}  // namespace

void Team::run(Body body, void* function) {
  Runtime& runtime = *sched::this_worker()->runtime;
  int leaves = 0;
  std::vector<int> leaf = leaves_of(runtime, leaves);
  TeamState team(body, function, sched::this_worker()->scope, std::move(leaf), leaves);
  bool bound = bind_task();
  int self = sched::this_worker()->id;  // after binding: from here on the task stays
  std::vector<Member> members(runtime.workers.size());
  for (std::size_t w = 0; w < members.size(); ++w) {
    if (static_cast<int>(w) == self) continue;
    members[w].team = &team;
    runtime.post(*runtime.workers[w], &members[w]);
  }
  team.run(self);
  if (team.left.fetch_sub(1, std::memory_order_acq_rel) != 1) team.done.wait();
  if (!bound) unbind_task();
  if (team.error) std::rethrow_exception(team.error);
}

}  // namespace charm::detail

namespace charm {

void barrier() {
  sched::Worker* worker = sched::this_worker();
  void* team = worker == nullptr ? nullptr : worker->current->team;
  if (team == nullptr)
    throw Error(Errc::bad_input, "charm::barrier() outside of all_do", "call it in every body of an all_do");
  static_cast<detail::TeamState*>(team)->arrive_and_wait(worker->id);
}

}  // namespace charm
