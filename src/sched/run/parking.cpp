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
//      Where there is no heavy barrier every push publishes by a read-modify-write before it looks for sleepers, and
//      the look needs no barrier.
//  P3  A waker counts the woken as searching on its behalf, so that a burst of pushes wakes one worker and not all; the
//      last searcher that finds work wakes the next.
//  P4  Work may be in sight and yet not to be had: it is gone whenever a thief arrives, or its owner hides it. One that
//      was woken for such work several times without getting any backs off: it is the sentry, whose sleeps end after
//      0.1 to 10 ms, or where there is a sentry it sleeps without a limit, without a look and without poking anybody.
//      So of any number of idle workers one looks, at most 100 times a second once it has looked in vain for a while.
//      A sentry that finds a job wakes the next (P3); one that sees no work gives the role up, looks once more, and
//      sleeps as in P2.
//  P5  Worker 0's own thread sleeps while the worker is lent, and nobody asked for work on its behalf meanwhile. If at
//      the end of the loan somebody is busy its sleep gets the limit of a first one, and ends with a look as in P2.
//      (Waking it at once would cost a program of many short regions a switch for each.) Where the worker is lent once
//      more when that time is over, which is most likely where it is lent for moments again and again, the look is
//      overdue: the end of that loan hands the worker to its own thread, and until this has looked it is lent to nobody.
//  P6  A worker that always finds something of its own, or in the inboxes, never searches. So that it does not leave a
//      job that somebody else hides behind a long function to wait for ever, it looks at others once in 10 ms: it takes
//      what is public, or exposes what the worker hides that it asked 10 ms ago and that has not answered since.
#include <charm/detail/ticks.hpp>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/clock.hpp"
#include "os/membarrier.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

using stealing::Flag;
using LookAfterLoan = Runtime::LookAfterLoan;

bool Worker::near_inboxes_arrived() const noexcept {
  return !group->inbox.empty() ||
         (worker_core.node >= 0 && !runtime->nodes[static_cast<std::size_t>(worker_core.node)]->inbox.empty());
}

bool Worker::inboxes_arrived() const noexcept {
  return inbox.arrived() || !runtime->inbox.empty() || near_inboxes_arrived();
}

/// Whether it has lost its cpu. Then it serves only what is sent to it, or to a chiplet or node where nobody else is
/// left, and thieves may take that, too. When the runtime stops all help with what is left.
bool Worker::rests() const noexcept {
  return runtime->steering->rests(*this) && !runtime->stopping.load(std::memory_order_seq_cst);
}

/// In the own queues and the shared inboxes.
bool Worker::has_work() const noexcept {
  if (leaving.load(std::memory_order_relaxed)) return !inbox.empty() || near_inboxes_arrived();
  if (rests()) return !inbox.empty() || !ready.empty() || !deque.empty() || near_inboxes_arrived();
  return !inbox.empty() || !ready.empty() || !deque.empty() || inboxes_arrived();
}

/// Among what the chiplet's workers have noted on the work flags.
bool Worker::neighbours_show_work() const noexcept {
  if (rests() || leaving.load(std::memory_order_relaxed)) return false;
  const stealing::WorkFlags& work_flags = runtime->work_flags;
  // An own flag, or that of somebody who has nothing any more, must not keep the chiplet awake.
  for (int w = 0; w < work_flags.words(place.group); ++w) {
    for (auto word = work_flags.word(Flag::work, place.group, w); word != 0; word &= word - 1) {
      const Worker* other =
          runtime->worker_at({place.group, w * stealing::WorkFlags::word_bits + std::countr_zero(word)});
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

/// Whoever is busy shall notice a sleeper at its next push. Those who have been asked already are not written to.
/// \param all false: only those of the own chiplet, or of the nearest one where anybody is busy.
void Worker::poke_the_busy(int group_index, bool all) noexcept {
  const stealing::WorkFlags& work_flags = runtime->work_flags;
  auto poke = [&](int in) {
    bool any = false;
    for (int w = 0; w < work_flags.words(in); ++w) {
      for (auto word = work_flags.word(Flag::busy, in, w); word != 0; word &= word - 1) {
        Worker* other = runtime->worker_at({in, w * stealing::WorkFlags::word_bits + std::countr_zero(word)});
        if (other == nullptr || other == this) continue;
        other->deque.poke();
        any = true;
      }
    }
    return any;
  };
  if (poke(group_index) && !all) return;
  for (int far : runtime->distance_table.by_distance(group_index)) {
    if (poke(far) && !all) return;
  }
}

namespace {

constexpr std::int64_t first_sleep_ns = 10000000;  // of those that have not looked behind a barrier (P2)
constexpr std::int64_t own_jobs_ns = 1000000;      // of those that have left own jobs to others (L2)
constexpr unsigned enough_looks = 2;               // in vain, before a worker backs off (P4)

/// How long a sentry sleeps after so many sleeps without a job.
std::int64_t sentry_sleep_ns(unsigned fruitless) noexcept {
  return std::min(first_sleep_ns, std::int64_t{100000} << std::min(fruitless - enough_looks - 1, 10U));
}

std::int64_t shorter(std::int64_t limit, std::int64_t most) noexcept {
  return limit < 0 || limit > most ? most : limit;
}

}  // namespace

/// Called as a searcher; returns as one.
/// \param fruitless sleeps since it last had a job: the first is short (P2), later ones have no limit, and after a few
/// it backs off (P4).
void Worker::park(unsigned fruitless) noexcept {
  stealing::WorkFlags& work_flags = runtime->work_flags;
  // One that rests sleeps unseen: it is woken for what is sent to it alone, and when it gets a cpu.
  const bool resting = rests();
  const bool leaves = leaving.load(std::memory_order_relaxed);
  if (!resting) work_flags.set(Flag::asleep, place);
  group->searching.fetch_sub(1, std::memory_order_relaxed);
  const bool own_jobs = leaves && (shows_work() || deque.has_private());
  const bool backs_off = fruitless > enough_looks && !resting && !leaves;
  bool more = has_work() || (!backs_off && neighbours_show_work()) || runtime->stopping.load(std::memory_order_seq_cst);
  if (leaves && (own_jobs || !runtime->inbox.empty() || work_flags.any(Flag::work))) runtime->wake_anybody();
  fiber::Fiber* self = current;  // a guest puts its own in the books
  const bool guest = slot.load(std::memory_order_relaxed).slot() == Slot::lent;
  const Slot awake = guest ? Slot::lent : Slot::running;
  os::FutexWord& ring = guest ? guest_bell : bell;
  Tally::add(tally.parks);
  tracing::state(*this, trace::State::parked);
  const Group& here = *group;
  const int own_group = place.group;
  const int own_node = worker_core.node;
  slot.store({guest ? Slot::lent_parked : Slot::parked, place}, std::memory_order_seq_cst);
  // From here on worker 0 may be lent: only what is everybody's may be touched until the slot is ours again.
  std::int64_t most = fruitless == 0 ? first_sleep_ns : -1;  // of the sleep
  if (own_jobs) {
    most = own_jobs_ns;
  } else if (!more && !resting && !leaves && (!backs_off || stand_sentry(&most))) {
    poke_the_busy(own_group, fruitless > 0);
    if (fruitless > 0) {
      if (os::has_heavy_barrier() && !os::heavy_barrier()) runtime->without_heavy_barrier();
      more = others_have_work();
      if (backs_off && more) {
        more = false;
        most = sentry_sleep_ns(fruitless);
      } else if (leave_sentry(&most)) {
        more = others_have_work();  // who came between the look and this may have relied on this sentry
      }
    }
  }
  if (more || inbox.arrived() || !here.inbox.empty() || (!resting && !leaves && !runtime->inbox.empty()) ||
      runtime->stopping.load(std::memory_order_seq_cst) ||
      (own_node >= 0 && !runtime->nodes[static_cast<std::size_t>(own_node)]->inbox.empty()) ||
      runtime->steering->has_news(*this))
    runtime->wake(*this);
  // The waker changes the slot before it rings, and we look at the slot after we have silenced the bell: a ring that
  // comes late, for an earlier sleep, costs one turn of this loop.
  const Slot asleep = guest ? Slot::lent_parked : Slot::parked;
  std::int64_t look_at = 0;  // when a look after a loan is overdue (P5)
  while (slot.load(std::memory_order_acquire).slot() != awake) {
    const bool ours = slot.load(std::memory_order_seq_cst).slot() == asleep;
    std::int64_t limit = runtime->timers.sleep_limit(*this, ours);
    const bool after_loan =
        !guest && id == 0 && runtime->look_after_loan.load(std::memory_order_seq_cst) == LookAfterLoan::soon;
    if (!ours) {
      if (leave_sentry(&most)) runtime->wake_anybody();  // who has the worker has other things to do
    } else if (most >= 0) {
      limit = shorter(limit, most);
    }
    if (!after_loan) {
      look_at = 0;
    } else {  // a point in time, since somebody may ring again and again
      const std::int64_t now = base::monotonic_ns();
      if (look_at == 0) look_at = now + first_sleep_ns;
      limit = shorter(limit, std::max<std::int64_t>(look_at - now, 0));
    }
    const bool watches = ours && !after_loan && most < 0 && runtime->deadlock.watch(limit);
    if (!os::futex_wait(ring, 0, std::chrono::nanoseconds(limit))) {
      if (watches) runtime->deadlock.look();
      // Where the worker is lent at this very moment, the end of the loan wakes its own thread: it reads this after it
      // has stored the slot, and we try to take the slot after this.
      if (after_loan) runtime->look_after_loan.store(LookAfterLoan::overdue, std::memory_order_seq_cst);
      runtime->wake(*this);
    }
    ring.store(0, std::memory_order_seq_cst);
  }
  if (!guest && id == 0) runtime->look_after_loan.store(LookAfterLoan::none, std::memory_order_seq_cst);
  leave_sentry(&most);
  taken_by_this_thread();  // a guest may have had it
  runtime->timers.leave(*this);
  looked_at_others = detail::ticks();
  work_flags.clear(Flag::asleep,
                   place);  // by the owner alone: a waker that is late must not take off the flag of a next sleep
  runtime->steering->arrive(*this);
  enter(self);
  tracing::state(*this, trace::State::searching);
}

/// \param sleep stands for the sleep that it is. \return whether it is the sentry now (P4).
bool Worker::stand_sentry(const void* sleep) noexcept {
  const void* nobody = nullptr;
  return runtime->sentry.compare_exchange_strong(nobody, sleep, std::memory_order_seq_cst);
}

/// \return whether it was.
bool Worker::leave_sentry(const void* sleep) noexcept {
  return runtime->sentry.load(std::memory_order_relaxed) == sleep &&
         runtime->sentry.compare_exchange_strong(sleep, nullptr, std::memory_order_seq_cst);
}

}  // namespace charm::sched
