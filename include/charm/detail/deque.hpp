// The worker's deque of forked jobs: a split deque whose owner pushes and pops without a fence, an atomic
// read-modify-write or a lock, and whose thieves can still reach every job (docs/design/runtime.md compares the
// alternatives).
//
//      index:   top ........ bound ........ tail
//               [  public   )[   private   )
//
// - `public_` packs (top, count) in one word; bound = top + count. A thief takes the job at top by a compare-exchange
//   on that word; nothing else is needed, so thieves do not exclude each other and never touch the owner's line.
// - The owner pushes and pops at tail. A pop at index t is private, and done with plain accesses, if t >= guard.
//
// Invariants
// - The guard covers the public part: bound <= guard; guard changes only under `lock_`, and equals bound whenever the
//   lock is free.
// - Public slots stay: Slots in [top, bound) are not written: tail never drops below bound except inside pop_slow, and
//   a push that would reach top + capacity is undone. So what a thief reads at top is the job that its compare-exchange
//   claims: top only grows, and while it stands still and count > 0 the job at top stays the same, because the owner
//   leaves it there whenever it takes back a part of the public range (pop_slow), and takes the last one by advancing
//   top.
// - Guard, barrier, tail: A thief may raise bound (expose) only after the owner cannot miss it: it raises guard first,
//   then runs a barrier on the owner's core (os::heavy_barrier, membarrier(2)), then reads tail. An owner's pop stores
//   tail before it loads guard; so either that load sees the raised guard, and the pop goes to pop_slow and its lock,
//   or the store was visible to the thief, which keeps bound at or below it. The owner's side of that barrier is
//   compiler-only (light_barrier below).
//
// - Several under the lock: Several jobs at once are taken under the lock, so that the owner cannot take back, and push
//   anew, slots behind top that the thief has read already (for the slot at top itself "public slots stay" is enough).
//
// Requests cost the owner nothing: a thief that finds nothing public sets `limit_` to 0, and the owner's next push,
// which compares its index with the limit in any case because the ring is bounded, falls into push_slow and serves it.
// Source: split deques: van Dijk and van de Pol, "Lace", 2014; asymmetric fence: Dice et al. 2001; CHARM §4.4.
#pragma once

#include <charm/detail/job.hpp>

#include <atomic>
#include <cstdint>

namespace charm::detail {

/// Orders the owner's store before its next load, given that the other side runs a heavy barrier.
inline void light_barrier() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

class alignas(64) Deque {
 public:
  static constexpr std::int64_t capacity = 8192;

  Deque();
  ~Deque();
  Deque(const Deque&) = delete;
  Deque& operator=(const Deque&) = delete;

  /// A job that was taken out.
  struct Taken {
    Job* job = nullptr;  ///< null: there was none
    bool flat = false;   ///< as it was pushed
    bool lost = false;   ///< there was one, but another thief was faster
  };

  // ---- owner ----

  static constexpr std::int64_t full = -1;

  /// \param flat one of many small jobs beside each other (a task_group's), of which a thief may take several at once;
  /// a forked job is the root of a subtree and is stolen alone.
  /// \return the job's index, for take_back; or `full`: then the caller runs the job itself.
  std::int64_t push(Job* job, bool flat = false) noexcept {
    std::int64_t t = tail_.load(std::memory_order_relaxed);
    slots_[t & (capacity - 1)].store(tagged(job, flat), std::memory_order_relaxed);
    tail_.store(t + 1, std::memory_order_release);
    if (t >= limit_.load(std::memory_order_relaxed)) [[unlikely]]
      return push_slow(t);
    return t;
  }

  /// Takes back the job that push put at `index` if it is still there and the newest. \return false if a thief has it,
  /// or other jobs lie above it. (That tail is compared with a known value and overwritten with another, instead of
  /// being read and decremented, keeps two store-to-load forwards out of the chain that a recursion hangs on.)
  bool take_back(std::int64_t index, const Job* job) noexcept {
    if (tail_.load(std::memory_order_relaxed) != index + 1) [[unlikely]]
      return false;
    if (slots_[index & (capacity - 1)].load(std::memory_order_relaxed) != tagged(job, false)) [[unlikely]]
      return false;
    tail_.store(index, std::memory_order_relaxed);
    light_barrier();
    if (index >= guard_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    return pop_slow(index);
  }

  /// Serves a request that came since the last push. Call it where the owner pops or computes for long without a push.
  void answer() noexcept {
    if (limit_.load(std::memory_order_relaxed) == 0) [[unlikely]]
      answer_slow();
  }

  /// Takes the newest job. \return false if there is none.
  bool pop() noexcept {
    std::int64_t t = tail_.load(std::memory_order_relaxed) - 1;
    tail_.store(t, std::memory_order_relaxed);
    light_barrier();
    if (t >= guard_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    return pop_slow(t);
  }

  /// Takes `job` if it is the newest. \return whether it was. (A thief may have taken it and left its address in the
  /// slot: pop() knows.)
  bool pop_this(const Job* job) noexcept {
    const std::int64_t newest = tail_.load(std::memory_order_relaxed) - 1;
    return slots_[newest & (capacity - 1)].load(std::memory_order_relaxed) == tagged(job, false) && pop();
  }

  /// pop() for an owner that does not know which job it will get.
  Taken pop_any() noexcept {
    std::uintptr_t slot =
        slots_[(tail_.load(std::memory_order_relaxed) - 1) & (capacity - 1)].load(std::memory_order_relaxed);
    if (!pop()) return {};
    return taken(slot);
  }

  /// Exact for the owner except for steals in progress. (It is not computed from guard, which an exposure raises before
  /// it knows the jobs.)
  [[nodiscard]] bool empty() const noexcept {
    return tail_.load(std::memory_order_relaxed) <= top_of(public_.load(std::memory_order_relaxed));
  }

  /// Makes the older half of the private jobs public. \return how many are public now.
  std::int64_t publish() noexcept;

  /// From now on every push goes through push_slow, and a pop makes nothing private. For machines without a heavy
  /// barrier, where thieves cannot reach private jobs.
  void always_publish() noexcept {
    eager_ = true;
    limit_.store(0, std::memory_order_relaxed);
  }

  // ---- thieves ----

  /// Takes the oldest public job.
  Taken steal() noexcept {
    std::uint64_t word = public_.load(std::memory_order_acquire);
    if (count_of(word) == 0) return {};
    std::uintptr_t slot = slots_[top_of(word) & (capacity - 1)].load(std::memory_order_relaxed);
    if (public_.compare_exchange_strong(word, pack(top_of(word) + 1, count_of(word) - 1), std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
      return taken(slot);
    return {.lost = true};
  }

  /// Takes up to half of the public jobs, at most `most`, oldest first, as long as they are flat. \return how many.
  std::int64_t steal_flat(Job** jobs, std::int64_t most) noexcept;

  [[nodiscard]] std::int64_t public_count() const noexcept { return count_of(public_.load(std::memory_order_acquire)); }

  /// Asks the owner to publish at its next push, and to wake sleepers. If the limit is lowered already nothing is
  /// written to the owner's line: the exchange that will serve the earlier request comes after this read, so it sees
  /// everything that was written before the read.
  void poke() noexcept {
    if (limit_.load(std::memory_order_seq_cst) != 0) limit_.store(0, std::memory_order_seq_cst);
  }

  /// Whether a request has not been answered yet.
  [[nodiscard]] bool asked() const noexcept { return limit_.load(std::memory_order_relaxed) == 0; }

  /// Evidence of jobs that the owner keeps private. Touches the owner's line: ask rarely.
  [[nodiscard]] bool has_private() const noexcept {
    return tail_.load(std::memory_order_acquire) > bound_of(public_.load(std::memory_order_acquire));
  }

  /// Makes all private jobs public without the owner's help, at the price of a heavy barrier.
  /// \return how many are public now; 0 also if another thread is doing the same.
  std::int64_t expose() noexcept;

 private:
  friend struct DequeTest;
  static constexpr int count_bits = 20;  // top has 44 bits: reset() starts anew long before they are used up
  static constexpr std::int64_t reset_at = std::int64_t{1} << 43;
  static std::uintptr_t tagged(const Job* job, bool flat) noexcept {
    return reinterpret_cast<std::uintptr_t>(job) | static_cast<std::uintptr_t>(flat);
  }
  static Taken taken(std::uintptr_t slot) noexcept {
    return {.job = reinterpret_cast<Job*>(slot & ~std::uintptr_t{1}), .flat = (slot & 1) != 0};
  }
  static constexpr std::uint64_t pack(std::int64_t top, std::int64_t count) noexcept {
    return (static_cast<std::uint64_t>(top) << count_bits) | static_cast<std::uint64_t>(count);
  }
  static constexpr std::int64_t top_of(std::uint64_t word) noexcept {
    return static_cast<std::int64_t>(word >> count_bits);
  }
  static constexpr std::int64_t count_of(std::uint64_t word) noexcept {
    return static_cast<std::int64_t>(word & ((std::uint64_t{1} << count_bits) - 1));
  }
  static constexpr std::int64_t bound_of(std::uint64_t word) noexcept { return top_of(word) + count_of(word); }

  std::int64_t push_slow(std::int64_t t) noexcept;
  bool pop_slow(std::int64_t t) noexcept;
  void answer_slow() noexcept;
  void add_public(std::int64_t count) noexcept;
  void lock() noexcept;
  bool try_lock() noexcept { return !lock_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { lock_.store(false, std::memory_order_release); }

  // The owner's line.
  std::atomic<std::int64_t> tail_{0};
  std::atomic<std::int64_t> guard_{0};
  std::atomic<std::int64_t> limit_{capacity - 1};
  std::atomic<std::uintptr_t>* slots_;  // job, bit 0: flat
  bool eager_ = false;

  // The thieves' line.
  alignas(64) std::atomic<std::uint64_t> public_{0};
  alignas(64) std::atomic<bool> lock_{false};
};

/// Called by the owner when a push found the limit lowered: sched serves the request (publishes, wakes sleepers).
void deque_poked(Deque& deque) noexcept;

}  // namespace charm::detail
