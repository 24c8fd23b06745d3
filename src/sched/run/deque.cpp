// The slow half of the deque: publishing, taking back, exposing. The invariants are in charm/detail/deque.hpp.
#include <charm/detail/deque.hpp>

#include <thread>

#include "os/threads/membarrier.hpp"
#include "os/threads/pause.hpp"
#include "sched/debug/delays.hpp"

namespace charm::detail {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

Deque::Deque() : slots_(new std::atomic<std::uintptr_t>[capacity]) {}
Deque::~Deque() { delete[] slots_; }

void Deque::lock() noexcept {
  for (int tries = 0; !try_lock(); ++tries) {
    os::pause();
    // The holder may have lost its core; on a machine with more threads than cores spinning on would keep it away.
    if (tries > 1000) std::this_thread::yield();
  }
}

void Deque::add_public(std::int64_t count) noexcept {
  std::uint64_t word = public_.load(memory_order_relaxed);
  while (!public_.compare_exchange_weak(word, pack(top_of(word), count_of(word) + count), memory_order_acq_rel,
                                        memory_order_relaxed)) {
  }
}

std::int64_t Deque::publish() noexcept {
  // A thief that holds the lock exposes the jobs itself, or asks again. If every push publishes, thieves do neither.
  const bool mine = eager_ ? (lock(), true) : try_lock();
  if (mine) {
    std::int64_t bound = bound_of(public_.load(memory_order_relaxed));
    std::int64_t hidden = tail_.load(memory_order_relaxed) - bound;
    std::int64_t give = eager_ ? hidden : (hidden + 1) / 2;
    if (give > 0) {
      sched::delay_between_steps();
      guard_.store(bound + give, memory_order_relaxed);
      add_public(give);
    }
    unlock();
  }
  return public_count();
}

std::int64_t Deque::push_slow(std::int64_t t) noexcept {
  std::int64_t top = top_of(public_.load(memory_order_acquire));
  // A poke that arrives from here on must not be lost: the limit is restored before the request is served. Where the
  // deque is full, and was at the last push, the limit is right already: this is then a push that nobody has asked.
  const std::int64_t limit = eager_ ? 0 : top + capacity - 1;
  const bool poked =
      (eager_ || limit_.load(memory_order_relaxed) != limit) && limit_.exchange(limit, memory_order_seq_cst) == 0;
  if (poked) {
    deque_poked(*this);
    top = top_of(public_.load(memory_order_acquire));
  }
  if (t < top + capacity - 1) return t;
  return pop() ? full : t;  // if a thief has taken the job by now there is nothing left to refuse
}

void Deque::answer_slow() noexcept {
  // As in push_slow: first the limit, then the answer.
  std::int64_t top = top_of(public_.load(memory_order_acquire));
  limit_.exchange(eager_ ? 0 : top + capacity - 1, memory_order_seq_cst);
  deque_poked(*this);
}

bool Deque::pop_slow(std::int64_t t) noexcept {
  sched::delay_between_steps();
  lock();
  bool mine = true;
  std::uint64_t word = public_.load(memory_order_acquire);
  while (t < bound_of(word)) {
    std::int64_t top = top_of(word);
    std::int64_t count = count_of(word);
    if (count == 0) {  // all stolen: bound == t + 1, nothing is left
      tail_.store(t + 1, memory_order_relaxed);
      mine = false;
      break;
    }
    // The last public job is taken as a thief would take it; of several, the older half stays public (public slots
    // stay). Where nothing may stay private all others do.
    std::int64_t keep = eager_ ? count - 1 : count / 2;
    std::uint64_t next = count == 1 ? pack(top + 1, 0) : pack(top, keep);
    if (public_.compare_exchange_weak(word, next, memory_order_acq_rel, memory_order_acquire)) {
      guard_.store(bound_of(next), memory_order_relaxed);
      if (count == 1) tail_.store(t + 1, memory_order_relaxed);
      break;
    }
  }
  if (tail_.load(memory_order_relaxed) >= reset_at && count_of(public_.load(memory_order_relaxed)) == 0 &&
      bound_of(public_.load(memory_order_relaxed)) == tail_.load(memory_order_relaxed)) {
    tail_.store(0, memory_order_relaxed);  // empty: start the indices anew; a thief with an old word fails its exchange
    guard_.store(0, memory_order_relaxed);
    limit_.store(0, memory_order_relaxed);  // the next push sets it, and serves a poke that this store may have hidden
    public_.store(0, memory_order_release);
  }
  unlock();
  return mine;
}

std::int64_t Deque::steal_flat(Job** jobs, std::int64_t most) noexcept {
  if (!try_lock()) return 0;
  std::uint64_t word = public_.load(memory_order_acquire);
  std::int64_t taken = 0;
  do {
    std::int64_t half = count_of(word) / 2;
    for (taken = 0; taken < half && taken < most; ++taken) {
      std::uintptr_t slot = slots_[(top_of(word) + taken) & (capacity - 1)].load(memory_order_relaxed);
      if ((slot & 1) == 0) break;
      jobs[taken] = reinterpret_cast<Job*>(slot & ~std::uintptr_t{1});
    }
  } while (taken > 0 && !public_.compare_exchange_weak(word, pack(top_of(word) + taken, count_of(word) - taken),
                                                       memory_order_acq_rel, memory_order_acquire));
  unlock();
  return taken;
}

std::int64_t Deque::expose() noexcept {
  if (!os::has_heavy_barrier() || !try_lock()) return 0;
  std::int64_t bound = bound_of(public_.load(memory_order_acquire));
  std::int64_t tail = tail_.load(memory_order_acquire);
  if (tail > bound) {
    guard_.store(tail, memory_order_seq_cst);
    std::int64_t raised = bound;  // without the barrier the owner may have missed the guard: nothing changes
    sched::delay_between_steps();
    if (os::heavy_barrier()) {
      sched::delay_between_steps();
      std::int64_t now = tail_.load(memory_order_acquire);
      raised = now < tail ? now : tail;
      if (raised < bound) raised = bound;
    }
    guard_.store(raised, memory_order_release);
    if (raised > bound) add_public(raised - bound);
  }
  unlock();
  return public_count();
}

}  // namespace charm::detail
