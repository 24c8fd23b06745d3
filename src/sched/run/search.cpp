// The search of an idle worker for work elsewhere: stealing by distance, poking, exposing. This file decides when a
// search ends; parking.cpp has the sleep that follows.
//
// Stealing (docs/design/runtime.md): src/stealing selects the victims, from the work flags by which each worker says
// that it has work. If no flag is set, busy workers are asked to publish (a poke). A worker that does not answer
// because it is in a long function is exposed. That costs a heavy barrier, so it needs evidence that the worker has
// private jobs, and happens at most once in 20 us in the whole process. A missing work flag costs only time: if an
// owner queues a ready fiber just as a thief clears the owner's flag, thieves do not see the fiber until the owner sets
// the flag again or a thief asks the owner for work; the owner runs it in any case.

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.hpp"
#include "os/threads/membarrier.hpp"
#include "os/threads/pause.hpp"
#include "sched/debug/delays.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/idle_look.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"
#include "stealing/victim_selection.hpp"

namespace charm::sched {

using detail::Job;
using stealing::Flag;
using stealing::Place;

namespace {

constexpr unsigned enough_questions = 8;  // pokes before a sleep, however short spin_us; later ones expose private jobs
constexpr std::uint64_t look_at_others_us = 10000;
constexpr int enough_doubts = 32;  // brief sleeps of a worker that waits for its core; it releases its old one after 8

}  // namespace

void Worker::advertise() noexcept {
  if (!runtime->places.flags.test(Flag::work, place_)) runtime->places.flags.set(Flag::work, place_);
}

bool Worker::shows_work() const noexcept { return deque.public_count() > 0 || !ready.empty(); }

Job* Worker::steal_from(Place from, bool ready_too) noexcept {
  Worker* victim = runtime->places.worker_at(from);
  if (victim == nullptr || victim == this) return nullptr;  // a worker that is joining; or this worker's old place
  Job* job = nullptr;
  if (std::int64_t visible = victim->deque.public_count(); visible > 0) {
    const detail::Deque::Taken stolen = victim->deque.steal();
    if (stolen.lost) {
      Tally::add(tally.lost_races);
      return nullptr;  // the next victim follows
    }
    job = stolen.job;
    if (stolen.flat && deque.empty()) {  // a worker that searches although it has work may have no room
      // Of many small jobs it runs one and keeps the others where thieves can take them.
      Job* more[64];
      const std::int64_t most = std::min<std::int64_t>(64, runtime->stealing_policy().share(visible) - 1);
      std::int64_t taken = most > 0 ? victim->deque.steal_flat(more, most) : 0;
      for (std::int64_t i = 0; i < taken; ++i) __builtin_prefetch(more[i]);  // so that the misses overlap
      for (std::int64_t i = 0; i < taken; ++i) deque.push(more[i], true);    // an idle worker's deque has room
    }
  }
  if (job == nullptr && ready_too) job = victim->ready.pop();
  if (job != nullptr) {
    using trace::Distance;
    const Distance distance = from.group == place_.group            ? Distance::chiplet
                              : victim->node() == worker_core_.node ? Distance::node
                                                                    : Distance::far;
    Tally::add(distance == Distance::chiplet ? tally.steals_chiplet
               : distance == Distance::node  ? tally.steals_node
                                             : tally.steals_far);
    tracing::stole(*this, *victim, distance);
    return job;
  }
  if (!victim->shows_work()) {  // clears an old flag, unless work has come meanwhile (visible work keeps its flag)
    runtime->places.flags.clear(Flag::work, from);
    Worker* there = runtime->places.worker_at(from);
    if (there != nullptr && there->shows_work()) runtime->places.flags.set(Flag::work, from);
  }
  return nullptr;
}

Job* Worker::steal(bool ready_too) noexcept {
  stealing::VictimSelection look(runtime->places.distances, runtime->stealing_policy(), place_);
  while (Place victim = look.next(runtime->places.flags, next_random())) {
    if (Job* job = steal_from(victim, ready_too)) return job;
  }
  return nullptr;
}

/// A busy worker to ask: of the own chiplet, or with `far` also of another, the nearer ones more often.
Place Worker::somebody_busy(bool far) noexcept {
  const std::uint64_t drawn = next_random();
  const auto low = static_cast<std::uint32_t>(drawn);
  const Place near = stealing::pick(runtime->places.flags, Flag::busy, place_.group, place_, low);
  if (near && !far) return near;
  const int other = stealing::pick_group(runtime->places.flags, runtime->places.distances, place_.group, false,
                                         static_cast<std::uint32_t>(drawn >> 32));
  const Place there = other < 0 ? Place{} : stealing::pick(runtime->places.flags, Flag::busy, other, place_, low);
  return there ? there : near;
}

/// Makes the private jobs of a worker public that does not answer, unless another thief has just exposed some worker.
/// \return whether it was tried.
bool Worker::expose(Place from, Worker& victim) noexcept {
  if (!runtime->searchers.may_expose(base::monotonic_ns())) return false;
  Tally::add(tally.exposures);
  if (victim.deque.expose() > 0) runtime->places.flags.set(Flag::work, from);
  if (os::has_heavy_barrier()) return true;
  runtime->without_heavy_barrier();
  return false;
}

/// Asks one busy worker to publish: first of the own chiplet, later of others, too. Later attempts look for hidden
/// jobs.
void Worker::ask_for_work(unsigned attempt) noexcept {
  const Place asked = somebody_busy(attempt % 2 == 1);
  Worker* victim = asked ? runtime->places.worker_at(asked) : nullptr;
  if (victim == nullptr || victim == this) return;
  if (attempt >= 4 && os::has_heavy_barrier() && victim->deque.has_private()) {  // it has not answered
    if (expose(asked, *victim)) return;
  }
  if (victim->shows_work()) runtime->places.flags.set(Flag::work, asked);  // a ready fiber whose flag was lost
  victim->deque.poke();
}

/// Notes if it is time to look at other workers (look at the others, sched/run/parking.cpp).
void Worker::watch_others() noexcept {
  const std::uint64_t now = clock->now();
  if (now - looked_at_others_ < look_at_others_us * clock->per_us()) return;
  looked_at_others_ = now;
  look_around_ = look_at_others_ = true;
}

/// A look at the jobs of other workers by a worker that has enough of its own (look at the others).
Job* Worker::others_job() noexcept {
  if (rests() || leaves_jobs.now()) return nullptr;
  if (Job* job = steal(true)) return job;
  const Place asked = std::exchange(asked_lately_, Place{});
  Worker* silent = asked ? runtime->places.worker_at(asked) : nullptr;
  if (silent != nullptr && silent != this && silent->deque.asked() && silent->deque.has_private() &&
      os::has_heavy_barrier()) {
    expose(asked, *silent);
    return steal_from(asked, true);
  }
  asked_lately_ = somebody_busy(next_random() % 2 == 1);
  if (Worker* next = asked_lately_ ? runtime->places.worker_at(asked_lately_) : nullptr;
      next != nullptr && next != this)
    next->deque.poke();
  return nullptr;
}

/// Searching workers cost the busy ones of their chiplet bandwidth and answers: so at most half as many search as are
/// busy, but at least one. If no worker is busy, searching disturbs none, and all search for spin_us.
bool Worker::surplus_searcher() const noexcept {
  const int searching = group_->searching.load(std::memory_order_relaxed);
  if (searching <= 1) return false;
  const int busy = runtime->places.flags.count(Flag::busy, place_.group);
  return busy > 0 && searching > busy / 2;
}

/// What a worker that searches knows of its search.
struct Worker::Search {
  std::int64_t start;
  std::int64_t spin_ns;
  std::int64_t next_question = start;
  unsigned attempt = 0;
  unsigned sleeps = 0;  // since it began, without a job in between
  int doubts = 0;
  PreemptionDetector gaps{};

  void begin_again() noexcept {
    start = next_question = base::monotonic_ns();
    attempt = 0;
  }
  [[nodiscard]] bool has_taken_long(std::int64_t now) const noexcept {
    return now - start >= spin_ns && attempt >= enough_questions;
  }
};

/// Searches until there is a job. \return nullptr when the runtime has ended.
Job* Worker::search() noexcept {
  Search search = begin_search();
  Job* job = nullptr;
  for (unsigned round = 1;; ++round) {
    const bool leaves = leaves_to_others();
    const bool resting = rests() || leaves;
    job = look_once(round, leaves, resting);
    if (job != nullptr) break;
    os::pause();
    if (round % 8 != 0 && !resting) continue;
    std::int64_t now = base::monotonic_ns();
    search.gaps.at(now);
    runtime->waits.timers.fire_all(*this, now);
    if (runtime->ending.has_begun(std::memory_order_acquire)) {
      if (now - search.start > search.spin_ns && stay_until_the_end()) break;
    } else if (search.has_taken_long(now) || surplus_searcher() || resting) {
      sleep_in(search);
      if (runtime->ending.is_over()) break;  // it was lent to the end
      search.begin_again();
      continue;
    }
    if (now >= search.next_question && !resting) {
      ask_for_work(search.attempt++);
      search.next_question = now + (search.attempt < 8 ? 1000 : 8000);
    }
  }
  end_search(search, job);
  return job;
}

Worker::Search Worker::begin_search() noexcept {
  const std::int64_t start = base::monotonic_ns();
  has_searched_ = true;
  runtime->steering->end_work(*this, start);
  runtime->places.flags.clear(Flag::busy, place_);
  runtime->places.flags.clear(Flag::work, place_);
  tracing::state(*this, trace::State::searching);
  group_->searching.fetch_add(1, std::memory_order_relaxed);
  // If other threads need the core, the time of a searching worker is lost for threads that have work.
  const int spin_us = oversubscribed() ? std::min(runtime->settings.spin_us, 5) : runtime->settings.spin_us;
  return {.start = start, .spin_ns = std::int64_t{1000} * spin_us};
}

/// One look at all that the worker may take from.
Job* Worker::look_once(unsigned round, bool leaves, bool resting) noexcept {
  Job* job = leaves ? sent_job() : own_job();
  if (job == nullptr) job = resting ? near_job() : shared_job();
  if (job == nullptr && !resting) job = steal(round % 4 == 0);
  if (job != nullptr) return job;
  if (const detail::IdleLook look = idle_look.load(std::memory_order_acquire); look != nullptr) {
    look(false);
    if (!resting && !runtime->places.inbox.empty()) return runtime->places.inbox.pop();  // what has just come
  }
  return nullptr;
}

void Worker::sleep_in(Search& search) noexcept {
  Steering& steering = *runtime->steering;
  const bool rested = rests();
  park(search.sleeps);
  search.gaps.slept();
  // About its core, or about the others' work: this is settled while it does not count as searching.
  if (steering.in_doubt(*this) || steering.watches(*this)) {
    group_->searching.fetch_sub(1, std::memory_order_relaxed);
    steering.slept(*this);
    group_->searching.fetch_add(1, std::memory_order_relaxed);
  }
  // While it does not have its new core, it still has an old one, which others may need: it sleeps briefly until it
  // has released that. But not for ever, since the kernel may refuse to bind it.
  search.sleeps = !steering.in_doubt(*this) || ++search.doubts > enough_doubts ? search.sleeps + 1 : 0;
  if (rested && !rests()) search.sleeps = 0;  // what it has not found before it rested says nothing
}

void Worker::end_search(const Search& search, const Job* job) noexcept {
  take_again();
  delay_between_steps();
  const bool last = group_->searching.fetch_sub(1, std::memory_order_seq_cst) == 1;  // a poster may have relied on it
  if (job == nullptr) return;
  runtime->steering->begin_work(*this);
  if (search.sleeps > 0) until_boundary = 1;
  runtime->places.flags.set(Flag::busy, place_);
  tracing::state(*this, trace::State::busy);
  if (shows_work()) advertise();  // flat jobs that were taken along
  runtime->waits.deadlock.active();
  runtime->waits.timers.before_job(*this);
  if (last) runtime->notify(this);
}

}  // namespace charm::sched
