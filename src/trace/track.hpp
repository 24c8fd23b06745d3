// The recording of one worker: a bounded buffer that its owner fills while any thread may read it.
//
// Invariant: events below `used_` never change. The owner writes an event, then advances `used_` (release); a reader
// loads `used_` (acquire) and reads below it. A full buffer keeps its events and counts those that it drops: the
// beginning of a run is then complete, so that its task graph can be replayed. The owner is the thread that has the
// worker (sched).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "os/machine/tick_clock.hpp"
#include "trace/event.hpp"

namespace charm::trace {

class Track {
 public:
  Track(int worker, std::size_t bytes, const os::TickClock& clock)
      : worker_(worker),
        capacity_(bytes / sizeof(Event) > 0 ? bytes / sizeof(Event) : 1),
        events_(new Raw[capacity_]),  // not touched: memory is used as events come
        clock_(clock),
        next_task_((static_cast<std::uint64_t>(worker) + 1) << 40) {}

  // ---- owner ----
  // Not inlined where the scheduler records: most runs are not recorded, and then pay for registers that are saved.

  [[gnu::noinline]] void spawned(const void* job) noexcept {
    add({.a = number(job), .b = task(), .kind = Kind::spawn});
  }

  /// A job of the scheduler begins as a new task.
  [[gnu::noinline]] void begin(const void* job, std::uint64_t function) noexcept {
    std::uint64_t id = ++next_task_;
    task_.store(id, std::memory_order_relaxed);
    add({.a = id, .b = number(job), .c = function, .d = forked_ ? origin_ : 0, .kind = Kind::begin});
    forked_ = false;
  }
  [[gnu::noinline]] void end() noexcept {
    add({.a = task(), .kind = Kind::end});
    leave();
  }

  /// \return the task that is suspended; pass it to resume(), perhaps on another track.
  [[gnu::noinline]] std::uint64_t suspend(const void* fiber) noexcept {
    std::uint64_t gone = task();
    if (gone != 0) add({.a = gone, .b = number(fiber), .kind = Kind::suspend});
    leave();
    return gone;
  }
  [[gnu::noinline]] void resume(std::uint64_t task, const void* fiber, int left) noexcept {
    task_.store(task, std::memory_order_relaxed);
    forked_ = false;
    if (task != 0) add({.a = task, .b = number(fiber), .number = left, .kind = Kind::resume});
  }
  [[gnu::noinline]] void ready(const void* fiber) noexcept {
    add({.b = number(fiber), .c = task(), .kind = Kind::ready});
  }

  /// \param from the victim's track: what was stolen probably belongs to the task that runs there.
  [[gnu::noinline]] void stole(const Track& from, Distance distance) noexcept {
    origin_ = from.task();
    forked_ = true;
    add({.number = from.worker_, .kind = Kind::steal, .detail = static_cast<std::uint8_t>(distance)});
  }
  /// Notes that the next job was in the worker's own deque: the task that ran here last probably made it.
  [[gnu::noinline]] void popped() noexcept { forked_ = true; }
  [[gnu::noinline]] void woke(int worker) noexcept { add({.number = worker, .kind = Kind::wake}); }
  void state(State next, std::uint64_t at) noexcept {
    put({.at = at, .kind = Kind::state, .detail = static_cast<std::uint8_t>(next)});
    if (next == State::parked) sample_memory(at);
  }
  /// Notes that the worker runs on this cpu from now on; -1 if something is not known.
  void moved(int cpu, int chiplet, int node) noexcept {
    add({.a = number(chiplet), .b = number(node), .number = cpu, .kind = Kind::move});
  }
  void sample(Gauge gauge, std::uint64_t value) noexcept {
    add({.a = value, .kind = Kind::sample, .detail = static_cast<std::uint8_t>(gauge)});
  }

  // ---- any thread ----

  [[nodiscard]] int worker() const noexcept { return worker_; }
  [[nodiscard]] std::size_t size() const noexcept { return used_.load(std::memory_order_acquire); }
  [[nodiscard]] Event event(std::size_t index) const noexcept { return std::bit_cast<Event>(events_[index]); }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t task() const noexcept { return task_.load(std::memory_order_relaxed); }

 private:
  struct Raw {
    alignas(Event) std::byte bytes[sizeof(Event)];
  };
  static std::uint64_t number(const void* pointer) noexcept { return std::bit_cast<std::uintptr_t>(pointer); }
  static std::uint64_t number(int value) noexcept { return static_cast<std::uint64_t>(std::int64_t{value}); }

  void add(Event event) noexcept {
    event.at = clock_.now();
    put(event);
  }
  void put(const Event& event) noexcept {
    std::size_t n = used_.load(std::memory_order_relaxed);
    if (n == capacity_) {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return;
    }
    events_[n] = std::bit_cast<Raw>(event);
    used_.store(n + 1, std::memory_order_release);
  }
  /// The task that ends or is suspended made the jobs that are left in the worker's deque.
  void leave() noexcept {
    origin_ = task();
    task_.store(0, std::memory_order_relaxed);
  }
  void sample_memory(std::uint64_t at) noexcept;

  const int worker_;
  const std::size_t capacity_;
  const std::unique_ptr<Raw[]> events_;
  const os::TickClock& clock_;
  std::uint64_t next_task_;   // unique over all tracks: the upper bits are the worker's number
  std::uint64_t origin_ = 0;  // the task that most likely made the jobs in the deque
  bool forked_ = false;       // the next job comes from a deque
  std::uint64_t next_memory_ = 0;
  std::atomic<std::uint64_t> task_{0};  // the task that runs; thieves read it
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace charm::trace
