// Giving up looking for work: what is looked at before, and the sleep itself.
//
// Parking. A searcher that has found nothing for spin_us announces that it is parked, looks once more, and sleeps.
//  P1  Jobs in inboxes are never missed: the poster pushes, then reads the slot; the parker writes the slot, then reads
//      the inboxes; all four are sequentially consistent.
//  P2  Jobs in deques may be missed for a moment, because the owner's push has no fence between its store and its look
//      at the limit that the parker lowered. They are not lost: their owner will run them. So that they are not left to
//      it alone, the first sleep ends after 10 ms, and before one without a limit the parker announces itself, lowers
//      the limits, runs a heavy barrier, and then looks: a push whose owner saw the old limit is visible by then, and
//      one that sees the new limit finds a sleeper to wake. (Looking first is not enough: a push that comes between
//      the look and the announcement finds nobody to wake. tests/model/parking.pml holds both orders.)
//  P3  A waker counts the woken as searching on its behalf, so that a burst of pushes wakes one worker and not all; the
//      last searcher that finds work wakes the next.
#include <bit>
#include <chrono>

#include "os/membarrier.hpp"
#include "sched/runtime.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"

namespace charm::sched {

using stealing::Mark;

bool Worker::near_inboxes_arrived() const noexcept {
  return !group->inbox.empty() ||
         (seat.node >= 0 && !runtime->nodes[static_cast<std::size_t>(seat.node)]->inbox.empty());
}

bool Worker::inboxes_arrived() const noexcept {
  return inbox.arrived() || !runtime->inbox.empty() || near_inboxes_arrived();
}

/// Whether it has lost its cpu. Then it serves only what is sent to it, or to a chiplet or node where nobody else is
/// left, and thieves may take that, too. When the runtime stops all help with what is left.
bool Worker::rests() const noexcept {
  return runtime->steering->rests(*this) && !runtime->stopping.load(std::memory_order_seq_cst);
}

/// In the own queues, the shared inboxes, and what the chiplet's workers have noted on the board.
bool Worker::anything_in_sight() const noexcept {
  if (rests()) return !inbox.empty() || !ready.empty() || !deque.empty() || near_inboxes_arrived();
  if (!inbox.empty() || !ready.empty() || !deque.empty() || inboxes_arrived()) return true;
  const stealing::Board& board = runtime->board;
  // An own mark, or that of somebody who has nothing any more, must not keep the chiplet awake.
  for (int w = 0; w < board.words(place.group); ++w) {
    for (auto word = board.word(Mark::work, place.group, w); word != 0; word &= word - 1) {
      const Worker* other = runtime->worker_at({place.group, w * stealing::Board::word_bits + std::countr_zero(word)});
      if (other != nullptr && other != this && other->shows_work()) return true;
    }
  }
  return false;
}

/// In the queues of all workers, noted or not; touches only what is everybody's.
bool Worker::others_have_work() const noexcept {
  for (const auto& other : runtime->workers) {
    if (other.get() != this && (other->shows_work() || other->deque.has_private())) return true;
  }
  return false;
}

/// Whoever is busy shall notice a sleeper at its next push: those of the own chiplet, or of the nearest one where
/// anybody is. The sleepers farther away are woken by those that these wake (P3).
void Worker::poke_the_busy(int group_index) noexcept {
  const stealing::Board& board = runtime->board;
  auto poke = [&](int in) {
    bool any = false;
    for (int w = 0; w < board.words(in); ++w) {
      for (auto word = board.word(Mark::busy, in, w); word != 0; word &= word - 1) {
        Worker* other = runtime->worker_at({in, w * stealing::Board::word_bits + std::countr_zero(word)});
        if (other == nullptr || other == this) continue;
        other->deque.poke();
        any = true;
      }
    }
    return any;
  };
  if (poke(group_index)) return;
  for (int far : runtime->field.by_distance(group_index)) {
    if (poke(far)) return;
  }
}

/// Called as a searcher; returns as one.
/// \param deep a sleep without a limit; a first one is short (P2).
void Worker::park(bool deep) noexcept {
  stealing::Board& board = runtime->board;
  // One that rests sleeps unseen: it is woken for what is sent to it alone, and when it gets a cpu.
  const bool resting = rests();
  if (!resting) board.set(Mark::asleep, place);
  group->searching.fetch_sub(1, std::memory_order_relaxed);
  bool more = anything_in_sight() || runtime->stopping.load(std::memory_order_seq_cst);
  fiber::Fiber* self = current;  // a guest puts its own in the books
  const bool guest = slot.load(std::memory_order_relaxed).slot() == Slot::lent;
  const Slot awake = guest ? Slot::lent : Slot::running;
  os::FutexWord& ring = guest ? guest_bell : bell;
  Tally::add(tally.parks);
  tracing::state(*this, trace::State::parked);
  const Group& here = *group;
  const int own_group = place.group;
  const int own_node = seat.node;
  slot.store({guest ? Slot::lent_parked : Slot::parked, place}, std::memory_order_seq_cst);
  // From here on worker 0 may be lent: only what is everybody's may be touched until the slot is ours again.
  if (!more && !resting) poke_the_busy(own_group);
  if (!more && deep && !resting) {
    if (os::has_heavy_barrier()) os::heavy_barrier();
    more = others_have_work();
  }
  if (more || inbox.arrived() || !here.inbox.empty() || (!resting && !runtime->inbox.empty()) ||
      runtime->stopping.load(std::memory_order_seq_cst) ||
      (own_node >= 0 && !runtime->nodes[static_cast<std::size_t>(own_node)]->inbox.empty()) ||
      runtime->steering->has_news(*this))
    runtime->wake(*this);
  // The waker changes the slot before it rings, and we look at the slot after we have silenced the bell: a ring that
  // comes late, for an earlier sleep, costs one turn of this loop.
  const Slot asleep = guest ? Slot::lent_parked : Slot::parked;
  while (slot.load(std::memory_order_acquire).slot() != awake) {
    const bool ours = slot.load(std::memory_order_seq_cst).slot() == asleep;
    std::int64_t limit = runtime->timers.sleep_limit(*this, ours);
    const bool first = !deep && ours && (limit < 0 || limit > 10000000);
    const bool watches = !first && ours && runtime->deadlock.watch(limit);
    if (first) limit = 10000000;
    if (!os::futex_wait(ring, 0, std::chrono::nanoseconds(limit))) {
      if (watches) runtime->deadlock.look();
      runtime->wake(*this);
    }
    ring.store(0, std::memory_order_seq_cst);
  }
  taken_by_this_thread();  // a guest may have had it
  runtime->timers.leave(*this);
  board.clear(Mark::asleep,
              place);  // by the owner alone: a waker that is late must not take off the mark of a next sleep
  runtime->steering->arrive(*this);
  enter(self);
  tracing::state(*this, trace::State::searching);
}

}  // namespace charm::sched
