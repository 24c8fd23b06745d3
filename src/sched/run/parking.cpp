// Parking: a worker that has searched for spin_us without finding work announces that it is parked, searches once more,
// and sleeps. This file has the last search and the sleep.
//
// - Push, then read the slot: Jobs in inboxes are never missed: the poster pushes, then reads the slot; the parker
//   writes the slot, then reads the inboxes; all four are sequentially consistent.
// - Barrier before the last search: Jobs in deques may be missed for a moment, because the owner's push has no fence
//   between storing the job and reading the limit that the parker lowered. They are not lost, since their owner will
//   run them, but idle workers should help. So the first sleep ends after 10 ms. Before a sleep without a limit the
//   parker announces itself, lowers the limits, runs a heavy barrier, and then searches: a push whose owner saw the old
//   limit is visible by then, and a push that sees the new limit finds a sleeper to wake. (Searching before the
//   announcement is not enough: a push between the two finds nobody to wake. tests/model/parking.pml checks both
//   orders.) Without a heavy barrier every push publishes by a read-modify-write before it looks for sleepers, and the
//   parker's search needs no barrier.
// - Wakers count whom they wake: A waker counts the worker that it wakes as searching, so that a burst of pushes wakes
//   one worker and not all. The last searcher that finds work wakes the next.
// - One sentry: There may be work that idle workers cannot get: it is gone when a thief arrives, or its owner keeps it
//   private. A worker that was woken for such work several times and got none backs off. If there is no sentry yet it
//   becomes the sentry, whose sleeps end after 0.1 to 10 ms; else it sleeps without a limit, without the last search
//   and without requests to busy workers. So of any number of idle workers one searches, at most 100 times a second
//   after some vain searches. A sentry that finds a job wakes the next worker (wakers count whom they wake). A sentry
//   that sees no work gives the role up, searches once more, and sleeps like any other.
// - Look around after a loan (sched/run/loan.hpp): the sleep of worker 0's own thread gets the limit of a first one,
//   and ends with the search after a barrier. (Waking the thread at once would cost a program of many short regions a
//   thread switch for each.)
// - Look at the others: A worker that always finds jobs of its own, or in the inboxes, never searches. So every 10 ms
//   it looks at the other workers, too, so that no job waits for ever behind the long function of its owner: it takes a
//   public job, or exposes the private jobs of the worker that it asked 10 ms ago and that has not answered since.
//   (tests/model/busy.pml)
// - One lookout: Messages of a network wake nobody. If the runtime has an idle_look, every searching worker calls it,
//   and so does one of the workers that sleep, the lookout: its sleeps end after the time that the last call has
//   returned. It stays parked during the call, since its worker may be lent meanwhile; the jobs that the call posts
//   wake a worker. A lookout that is woken rings for another sleeper, which takes its place; if nobody else sleeps all
//   workers are busy.
// - Rely on a searcher: A job for any worker lies in the runtime's inbox. Who posts it wakes nobody where a worker
//   searches: that one looks at the inbox before it sleeps, after it has left the count of those that search, and the
//   poster posts before it reads the count. If the worker finds another job first it wakes the next, as the last
//   searcher (wakers count whom they wake); if it has to leave the job to others, because it rests or has jobs that are
//   bound to it, it wakes another, too. (A searcher that waits for its cpu would be late: where threads outnumber cpus
//   a sleeper is always woken.) tests/model/idle.pml has it with POSTS.

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/clock.hpp"
#include "os/threads/membarrier.hpp"
#include "sched/debug/delays.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/idle_look.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

using stealing::Flag;

bool Worker::near_inboxes_arrived() const noexcept {
  return !group_->inbox.empty() || (worker_core_.node >= 0 && !runtime->places.node(worker_core_.node).empty());
}

bool Worker::inboxes_arrived() const noexcept {
  return inbox.arrived() || !runtime->places.inbox.empty() || near_inboxes_arrived();
}

/// Whether the worker has lost its cpu. Then it runs only jobs that were sent to it, or to a chiplet or node that has
/// no other worker left; thieves may take these, too. When the runtime stops all workers help with what is left, and
/// those that rest by the width alone help a worker that leaves its jobs to others (sched/run/bound_limits.cpp).
bool Worker::rests() const noexcept {
  const Rest rest = runtime->steering->rest(*this);
  if (rest == Rest::none || runtime->ending.has_begun()) return false;
  return rest == Rest::no_cpu || !runtime->searchers.leaving.any();
}

/// Whether there is a job in the own queues or the shared inboxes.
bool Worker::has_work() const noexcept {
  if (leaves_jobs.now()) return !inbox.empty() || near_inboxes_arrived();
  if (rests()) return !inbox.empty() || !ready.empty() || !deque.empty() || near_inboxes_arrived();
  return !inbox.empty() || !ready.empty() || !deque.empty() || inboxes_arrived();
}

/// Whether the work flags say that a worker of the chiplet has work.
bool Worker::neighbours_show_work() const noexcept {
  if (rests() || leaves_jobs.now()) return false;
  const stealing::WorkFlags& work_flags = runtime->places.flags;
  // The worker's own flag, or the flag of a worker whose queues are empty by now, must not keep the chiplet awake.
  for (int w = 0; w < work_flags.words(place_.group); ++w) {
    for (auto word = work_flags.word(Flag::work, place_.group, w); word != 0; word &= word - 1) {
      const Worker* other =
          runtime->places.worker_at({place_.group, w * stealing::WorkFlags::word_bits + std::countr_zero(word)});
      if (other != nullptr && other != this && other->shows_work()) return true;
    }
  }
  return false;
}

/// Whether there is a job in the queues of any worker, whatever the work flags say. Touches only fields for any thread.
bool Worker::others_have_work() const noexcept {
  for (const auto& other : runtime->workers) {
    if (other.get() != this && (other->shows_work() || other->deque.has_private())) return true;
  }
  return false;
}

/// Asks busy workers to notice sleepers at their next push. Workers that were asked already are not written to.
/// \param all false: only the workers of the own chiplet, or of the nearest chiplet that has a busy one.
void Worker::poke_the_busy(int group_index, bool all) noexcept {
  const stealing::WorkFlags& work_flags = runtime->places.flags;
  auto poke = [&](int in) {
    bool any = false;
    for (int w = 0; w < work_flags.words(in); ++w) {
      for (auto word = work_flags.word(Flag::busy, in, w); word != 0; word &= word - 1) {
        Worker* other = runtime->places.worker_at({in, w * stealing::WorkFlags::word_bits + std::countr_zero(word)});
        if (other == nullptr || other == this) continue;
        other->deque.poke();
        any = true;
      }
    }
    return any;
  };
  if (poke(group_index) && !all) return;
  for (int far : runtime->places.distances.by_distance(group_index)) {
    if (poke(far) && !all) return;
  }
}

namespace {

constexpr std::int64_t first_sleep_ns = 10000000;  // limit of sleeps that begin without a search after a barrier
constexpr std::int64_t watch_ns = 50000000;        // between two looks of the worker that watches while it rests
constexpr std::int64_t own_jobs_ns = 1000000;      // limit for workers that have left own jobs to others
constexpr std::int64_t first_look_ns = 20000;      // sleep of a lookout before its first look (one lookout)
constexpr unsigned enough_looks = 2;               // searches without a job after which a worker backs off (one sentry)

/// The time that a sentry sleeps after a number of sleeps without a job.
std::int64_t sentry_sleep_ns(unsigned fruitless) noexcept {
  return std::min(first_sleep_ns, std::int64_t{100000} << std::min(fruitless - enough_looks - 1, 10U));
}

std::int64_t shorter(std::int64_t limit, std::int64_t most) noexcept {
  return limit < 0 || limit > most ? most : limit;
}

}  // namespace

/// One sleep of a worker, from the announcement to the return. It lies on the stack of the fiber that parks, so it
/// stays while the worker is lent.
struct Worker::Sleep {
  const unsigned fruitless;  // sleeps before this one since it last had a job
  const bool resting;        // it is woken only for jobs that are sent to it, and when it gets a cpu
  const bool leaves;         // it leaves jobs to others
  const bool backs_off;
  const bool own_jobs;        // it has jobs that it leaves to others
  const WorkerSlot::Who who;  // whose thread sleeps
  fiber::Fiber* const fiber;  // a guest has one of its own
  // The worker's places, which a guest may change while it has the worker.
  const Group& group;
  const stealing::Place place;
  const int node;
  bool more;                 // there is something to do
  std::int64_t most = -1;    // its limit; negative: none
  std::int64_t look_at = 0;  // when a search after a loan is overdue
  std::int64_t until_look = first_look_ns;
  bool after_loan = false;

  [[nodiscard]] bool takes_any_job() const noexcept { return !resting && !leaves; }
  /// Of worker 0's own thread, which sleeps while the worker is lent.
  [[nodiscard]] bool of_own_thread() const noexcept { return who == WorkerSlot::Who::own_thread; }
};

/// Called as a searcher; returns as one. \param fruitless sleeps since it last had a job: the first is short, later
/// ones have no limit, and after a few it backs off.
void Worker::park(unsigned fruitless) noexcept {
  Sleep sleep = announce_sleep(fruitless);
  if (last_search(sleep)) runtime->wake(*this);
  sleep_until_woken(sleep);
  return_from(sleep);
}

/// From here on wakers see it asleep. When this returns it may be lent, too: until its thread has the slot again, only
/// fields for any thread may be used.
Worker::Sleep Worker::announce_sleep(unsigned fruitless) noexcept {
  stealing::WorkFlags& work_flags = runtime->places.flags;
  const bool resting = rests();  // then it is not among the sleepers
  const bool leaves = leaves_jobs.now();
  if (!resting) work_flags.set(Flag::asleep, place_);
  delay_between_steps();
  group_->searching.fetch_sub(1, std::memory_order_seq_cst);  // before it looks at the inboxes
  const bool own_jobs = leaves && (shows_work() || deque.has_private());
  const bool backs_off = fruitless > enough_looks && !resting && !leaves;
  const bool more = has_work() || (!backs_off && neighbours_show_work()) || runtime->ending.has_begun();
  if ((leaves && (own_jobs || work_flags.any(Flag::work))) || ((leaves || resting) && !runtime->places.inbox.empty()))
    runtime->wake_anybody();
  Sleep sleep{.fruitless = fruitless,
              .resting = resting,
              .leaves = leaves,
              .backs_off = backs_off,
              .own_jobs = own_jobs,
              .who = slot.who(),
              .fiber = current,
              .group = *group_,
              .place = place_,
              .node = worker_core_.node,
              .more = more};
  delay_between_steps();
  runtime->main.family.core_turns.leave(contender);
  Tally::add(tally.parks);
  tracing::state(*this, trace::State::parked);
  slot.park(place_);
  delay_between_steps();
  return sleep;
}

/// The search after the announcement, and the limit of the sleep. \return whether there is something to do.
bool Worker::last_search(Sleep& sleep) noexcept {
  if (sleep.fruitless == 0) sleep.most = first_sleep_ns;
  if (sleep.resting && runtime->steering->watches(*this)) sleep.most = watch_ns;
  if (sleep.own_jobs) {
    sleep.most = own_jobs_ns;
  } else if (!sleep.more && sleep.takes_any_job() && (!sleep.backs_off || runtime->searchers.sentry.take(&sleep))) {
    poke_the_busy(sleep.place.group, sleep.fruitless > 0);
    if (sleep.fruitless > 0) {
      if (os::has_heavy_barrier() && !os::heavy_barrier()) runtime->without_heavy_barrier();
      sleep.more = others_have_work();
      if (sleep.backs_off && sleep.more) {
        sleep.more = false;
        sleep.most = sentry_sleep_ns(sleep.fruitless);
      } else if (runtime->searchers.sentry.leave(&sleep)) {
        sleep.more = others_have_work();  // a worker that parked since the search may have relied on this sentry
      }
    }
  }
  return sleep.more || inbox.arrived() || !sleep.group.inbox.empty() ||
         (sleep.takes_any_job() && !runtime->places.inbox.empty()) || runtime->ending.has_begun() ||
         (sleep.node >= 0 && !runtime->places.node(sleep.node).empty()) || runtime->steering->has_news(*this) ||
         (sleep.resting && !rests());
}

void Worker::sleep_until_woken(Sleep& sleep) noexcept {
  while (!slot.woken(sleep.who)) {
    const bool ours = slot.asleep(sleep.who);
    std::int64_t limit = sleep_limit(sleep, ours);
    const detail::IdleLook look = idle_look.load(std::memory_order_seq_cst);
    const bool looks_out = look != nullptr && ours && sleep.takes_any_job() &&
                           runtime->main.family.lookout.take_or_keep(&sleep) && (limit < 0 || limit > sleep.until_look);
    if (looks_out) limit = sleep.until_look;
    const bool watches =
        look == nullptr && ours && !sleep.after_loan && sleep.most < 0 && runtime->waits.deadlock.watch(limit);
    if (!slot.wait(sleep.who, std::chrono::nanoseconds(limit))) {
      if (looks_out) {
        if (sleep.most >= 0) sleep.most = std::max<std::int64_t>(sleep.most - sleep.until_look, 0);
        sleep.until_look = look(true);
        continue;
      }
      if (watches) runtime->waits.deadlock.look();
      if (sleep.after_loan) runtime->loan.search_is_overdue();
      runtime->wake(*this);
    }
    slot.silence(sleep.who);
  }
  delay_between_steps();
}

/// The time until the sleep ends by itself; negative: never. \param ours whether its thread has the worker, so that it
/// is not lent at the moment.
std::int64_t Worker::sleep_limit(Sleep& sleep, bool ours) noexcept {
  std::int64_t limit = runtime->waits.timers.sleep_limit(*this, ours);
  sleep.after_loan = sleep.of_own_thread() && id == 0 && runtime->loan.search_is_due();
  if (!ours) {
    if (runtime->searchers.sentry.leave(&sleep))
      runtime->wake_anybody();  // the guest that has the worker has other things to do
    leave_lookout(&sleep);
  } else if (sleep.most >= 0) {
    limit = shorter(limit, sleep.most);
  }
  if (!sleep.after_loan) {
    sleep.look_at = 0;
    return limit;
  }
  const std::int64_t now = base::monotonic_ns();  // a point in time, since wake-ups may come again and again
  if (sleep.look_at == 0) sleep.look_at = now + first_sleep_ns;
  return shorter(limit, std::max<std::int64_t>(sleep.look_at - now, 0));
}

/// Its thread has the worker, as a searcher.
void Worker::return_from(Sleep& sleep) noexcept {
  if (sleep.of_own_thread() && id == 0) runtime->loan.searches();
  runtime->searchers.sentry.leave(&sleep);
  leave_lookout(&sleep);
  taken_by_this_thread();  // a guest may have had it
  runtime->waits.timers.leave(*this);
  // By the owner alone: a late waker must not clear the flag of the next sleep.
  runtime->places.flags.clear(Flag::asleep, place_);
  runtime->steering->arrive(*this);
  enter(sleep.fiber);
  looked_at_others_ = tracing::state(*this, trace::State::searching);
  take_turn();
}

/// Another sleeper takes its place as the lookout, if it is the lookout and there is one.
void Worker::leave_lookout(const void* sleep) noexcept {
  Runtime& main = runtime->main;
  if (!main.family.lookout.leave(sleep)) return;
  for (auto& worker : main.workers) {
    if (main.ring(*worker)) return;
  }
}

}  // namespace charm::sched
