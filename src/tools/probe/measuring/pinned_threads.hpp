// Threads on given cpus that do a piece of work together, again and again, timed from the moment that all are ready.
//
// Each member is bound before its first work and spins between rounds, so that a round of a few nanoseconds is not
// hidden by the time of waking up. Since spinning takes the cpus from other programs, keep such threads for a short
// time only. If a cpu cannot be bound `bound()` is false.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace charm::probe {

/// Nanoseconds of a monotonic clock.
double now_ns();

class PinnedThreads {
 public:
  /// \param work is called as work(rank) by every member in every round.
  /// \param wait_for_others is called in the same way before it, when all members are there; its time does not count.
  PinnedThreads(const std::vector<int>& cpus, std::function<void(int)> work,
                std::function<void(int)> wait_for_others = {});
  ~PinnedThreads();
  PinnedThreads(const PinnedThreads&) = delete;
  PinnedThreads& operator=(const PinnedThreads&) = delete;

  /// Runs one round; returns the time from the first member's start to the last one's end, in ns.
  double round();

  /// When the last round began and ended, by the clock of now_ns(), which all processes of a machine share.
  [[nodiscard]] double begin_ns() const { return begin_; }
  [[nodiscard]] double end_ns() const { return end_; }
  [[nodiscard]] bool bound() const { return bound_.load(); }
  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }

 private:
  void live(int rank, int cpu);
  void wait_for(unsigned long generation) const;

  struct alignas(64) Times {
    double begin = 0;
    double end = 0;
  };
  double begin_ = 0;
  double end_ = 0;
  std::function<void(int)> work_;
  std::function<void(int)> wait_for_others_;
  std::vector<Times> times_;
  alignas(64) std::atomic<unsigned long> generation_{0};
  alignas(64) std::atomic<int> ready_{0};
  std::atomic<int> done_{0};
  std::atomic<bool> leave_{false};
  std::atomic<bool> bound_{true};
  std::vector<std::thread> members_;
};

}  // namespace charm::probe
