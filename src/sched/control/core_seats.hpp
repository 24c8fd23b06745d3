// Who runs on a core where several runtimes have workers: the process's own and its arenas (sched/run/arenas.hpp).
//
// Each runtime has a thread for each of its workers, so a core may have several. The kernel would let those that have
// work take turns, whatever their priority. So every core has a seat: a worker takes it before it looks for work and
// leaves it when it parks, and then, or between two jobs, it goes to the waiting worker of the highest priority.
//
//  E1  Seats only advise. No other protocol relies on them: a worker that has waited for its patience runs without a
//      seat, beside the one that has it. So a long function, a low priority, or a task that a waiting worker would have
//      to end first delay others for a bounded time.
//  E2  A seat has at most one holder, and nobody waits for a free seat: whoever leaves it hands it to the first of
//  those
//      who wait, under the seat's lock.
//  E3  `first_waiting` may be read without the lock and is then a hint.
//  E4  A worker that waits here is neither asleep nor searching. It passes the wake-up on that it came with, so a
//  worker
//      whose core is free comes in its place (Worker::sit_down).
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

class CoreSeats {
 public:
  /// 0 low, 1 normal, 2 high.
  using Rank = int;
  static constexpr int ranks = 3;
  /// How long a worker waits at most, by rank; and how long a holder keeps the seat from others of its rank.
  struct Times {
    std::array<std::chrono::nanoseconds, ranks> patience = {
        std::chrono::milliseconds(100), std::chrono::milliseconds(10), std::chrono::milliseconds(1)};
    std::chrono::nanoseconds slice = std::chrono::milliseconds(10);
  };

  /// A worker's part. Its fields belong to its thread, but for `granted` and, under the seat's lock, `next`.
  struct Sitter {
    Rank rank = 1;
    int cpu = -1;               // whose seat it has; -1: none
    std::int64_t since_ns = 0;  // it has it, or runs without
    std::int64_t waits_since_ns = 0;
    Sitter* next = nullptr;  // who waits behind it
    os::FutexWord granted{0};
  };

  explicit CoreSeats(int cpus);

  /// Takes the seat of `cpu` if it is free. A cpu that there is no seat for is always free.
  bool try_take(Sitter& sitter, int cpu) noexcept;
  /// Waits for it, for the rank's patience. \return whether it has it now.
  bool take(Sitter& sitter, int cpu) noexcept;
  /// Gives the seat that it has, if any, to the first who waits.
  void leave(Sitter& sitter) noexcept;
  /// Whether the sitter is to leave its seat for a moment: somebody of higher rank waits, or one of the same rank and
  /// the slice is over. Without a seat: whether it is time to wait for one again.
  [[nodiscard]] bool should_yield(const Sitter& sitter) const noexcept;
  /// Whether somebody else has the seat.
  [[nodiscard]] bool taken(const Sitter& sitter, int cpu) const noexcept;
  /// How many wait for it.
  [[nodiscard]] int waiting(int cpu) const noexcept;

  Times times;  // changed by tests alone, before anybody sits

 private:
  struct alignas(64) Seat {
    std::mutex mutex;
    std::atomic<const Sitter*> holder{nullptr};
    Sitter* first = nullptr;  // those who wait, the highest rank first, then in the order of arrival
    std::atomic<Rank> first_waiting{-1};
  };
  [[nodiscard]] bool has(int cpu) const noexcept { return cpu >= 0 && cpu < cpus_; }
  [[nodiscard]] Seat& seat(int cpu) const noexcept { return seats_[static_cast<std::size_t>(cpu)]; }
  static void note_first(Seat& seat) noexcept;

  const int cpus_;
  std::unique_ptr<Seat[]> seats_;
};

}  // namespace charm::sched
