// A worker: one thread on one core, its queues, and the fiber that it runs at the moment.
//
// The worker is not the thread. Worker 0 is lent to the thread that called init() while that thread waits in the
// runtime (run, parallel_for ...): `slot` says who has it. Whoever has it is "the owner" in the comments of the queues.
// Both may sleep in it, each at its own bell: the worker's own thread while nobody or the guest has the slot, the guest
// while it has the slot and finds no work.
#pragma once

#include <charm/detail/worker.hpp>
#include <charm/placement.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "fiber/fiber.hpp"
#include "os/futex.hpp"
#include "sched/inbox.hpp"
#include "sched/ready_queue.hpp"

namespace charm::sched {

class Runtime;
struct Worker;

/// Workers that share a chiplet; they steal from each other first and sleep and wake as one.
struct Group {
  int chiplet = -1;
  std::vector<Worker*> members;
  LockedQueue inbox;
  alignas(64) std::atomic<int> searching{0};
  alignas(64) std::atomic<int> sleeping{0};
};

/// Plain counters of one worker; written by its owner, read by anyone.
struct Tally {
  using Count = std::atomic<std::uint64_t>;
  Count jobs{0}, steals_chiplet{0}, steals_node{0}, steals_far{0}, lost_races{0}, suspensions{0}, parks{0}, wakes{0},
      exposures{0};
  static void add(Count& count) noexcept {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

struct Worker : detail::WorkerCore {
  enum class Slot : std::uint8_t { parked, running, lent_parked, lent };

  Runtime* runtime = nullptr;
  Group* group = nullptr;
  Seat seat;

  // The owner's.
  fiber::Fiber native;              // the stack that the worker's own thread came with
  fiber::Fiber* current = nullptr;  // what runs
  fiber::Fiber* handoff = nullptr;  // to go on with next, before anything else
  fiber::Fiber* free_fibers = nullptr;
  int free_count = 0;
  std::uint32_t tick = 0;
  std::uint64_t last_timer_look = 0;
  std::uint32_t random = 0;
  struct Ring {
    std::vector<Worker*> victims;
    Tally::Count Tally::* steals;
  };
  std::vector<Ring> rings;  // the others, nearest first

  // Everybody's.
  Inbox inbox;
  ReadyQueue ready;
  alignas(64) std::atomic<Slot> slot{Slot::running};
  os::FutexWord bell{0};
  os::FutexWord guest_bell{0};
  std::atomic<bool> busy{false};  // runs a job: worth asking for work
  std::atomic<const fiber::Fiber*> shown{nullptr};  // `current`, for those who list tasks
  alignas(64) Tally tally;

  std::thread thread;

  /// What the thread does.
  void main() noexcept;

  /// The next thing to run; nullptr when the runtime stops.
  detail::Job* find_job() noexcept;

  /// Leaves the running fiber for a loop fiber; `after` decides when it becomes ready again. Without a reason it only
  /// lets others run.
  void suspend(fiber::After after, void* argument, detail::WaitReason reason = {detail::Wait::nothing}) noexcept;

  /// Makes `to` the running fiber's successor in the books; the switch follows.
  void enter(fiber::Fiber* to) noexcept;

  /// Puts a job behind those that can go on; what does not fit goes to the queue that the workers share by `bind`.
  void push_ready(ListedJob* job) noexcept;

  fiber::Fiber* take_fiber() noexcept;
  void give_fiber(fiber::Fiber* fiber) noexcept;

 private:
  friend class Runtime;
  detail::Job* own_job() noexcept;
  detail::Job* shared_job() noexcept;
  detail::Job* search() noexcept;
  detail::Job* steal(bool ready_too) noexcept;
  detail::Job* steal_from(Worker& victim, bool ready_too) noexcept;
  void ask_for_work(unsigned attempt) noexcept;
  bool work_in_sight() noexcept;
  bool stay_until_the_end() noexcept;
  void park(bool deep) noexcept;
  std::uint32_t next_random() noexcept {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
  }
};

inline Worker* this_worker() noexcept { return static_cast<Worker*>(detail::this_worker()); }

/// The function of every loop fiber: find a job, run it, for ever.
void loop() noexcept;

/// Puts a fiber that can go on where it will be found. `next`: the caller is about to return to its loop.
void make_ready(fiber::Fiber* fiber, bool next) noexcept;

}  // namespace charm::sched
