// Decides who runs on a core if several runtimes have workers there: the process's own and its arenas
// (sched/run/arenas.hpp).
//
// Each runtime has a thread for each of its workers, so a core may have several. The kernel would divide the core among
// those that have work, whatever their priority. So each core has one turn: a worker takes the turn before it looks for
// work and gives it back when it parks. Then, or between two jobs, the turn goes to the waiting worker of the highest
// priority.
//
// - Turns only advise: No other protocol relies on them: a worker that has waited for its patience runs without the
//   turn, beside the worker that has it. So a long function, a low priority, or a task that a waiting worker would have
//   to end first delay others for a bounded time.
// - One holder, nobody waits for a free turn: the worker that gives a turn back hands it to the first worker that
//   waits, under the core's lock.
// - A hint without the lock: `first_waiting` may be read without the lock and is then a hint.
// - Waiting passes wake-ups on: A worker that waits here is neither asleep nor searching. It passes on the wake-up that
//   it received, so that a worker whose core is free comes in its place (Worker::take_turn).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "os/threads/futex.hpp"

namespace charm::sched {

class CoreTurns {
 public:
  /// 0 low, 1 normal, 2 high.
  using Rank = int;
  static constexpr int ranks = 3;
  /// How long a worker waits at most, by rank; and how long a holder keeps the turn from others of its rank.
  struct Times {
    std::array<std::chrono::nanoseconds, ranks> patience = {
        std::chrono::milliseconds(100), std::chrono::milliseconds(10), std::chrono::milliseconds(1)};
    std::chrono::nanoseconds slice = std::chrono::milliseconds(10);
  };

  /// A worker's part. Its fields belong to its thread, but for `granted` and, under the core's lock, `next`.
  struct Contender {
    Rank rank = 1;
    int cpu = -1;               // whose turn it has; -1: none
    std::int64_t since_ns = 0;  // it has it, or runs without
    std::int64_t waits_since_ns = 0;
    Contender* next = nullptr;  // who waits behind it
    os::FutexWord granted{0};
  };

  explicit CoreTurns(int cpus);

  /// Takes the turn of `cpu` if nobody has it. A cpu that is not known is always free.
  bool try_take(Contender& contender, int cpu) noexcept;
  /// Waits for it, for the rank's patience. \return whether it has it now.
  bool take(Contender& contender, int cpu) noexcept;
  /// Gives the turn that it has, if any, to the first who waits.
  void leave(Contender& contender) noexcept;
  /// Whether the contender is to leave its turn for a moment: somebody of higher rank waits, or one of the same rank
  /// and the slice is over. Without a turn: whether it is time to wait for one again.
  [[nodiscard]] bool should_yield(const Contender& contender) const noexcept;
  /// Whether somebody else has the turn.
  [[nodiscard]] bool taken(const Contender& contender, int cpu) const noexcept;
  /// How many wait for it.
  [[nodiscard]] int waiting(int cpu) const noexcept;

  Times times;  // changed by tests alone, before anybody contends

 private:
  struct alignas(64) Core {
    std::mutex mutex;
    std::atomic<const Contender*> holder{nullptr};
    Contender* first = nullptr;  // those who wait, the highest rank first, then in the order of arrival
    std::atomic<Rank> first_waiting{-1};
  };
  [[nodiscard]] bool has(int cpu) const noexcept { return cpu >= 0 && cpu < cpus_; }
  [[nodiscard]] Core& core(int cpu) const noexcept { return cores_[static_cast<std::size_t>(cpu)]; }
  static void note_first(Core& core) noexcept;

  const int cpus_;
  std::unique_ptr<Core[]> cores_;
};

}  // namespace charm::sched
