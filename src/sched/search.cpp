// Looking for work elsewhere, and giving up: stealing by distance, asking, exposing, parking.
//
// Stealing (docs/runtime.md): src/stealing says whom to try, from the board where everybody notes who has work. Where
// nothing is noted, busy workers are asked to publish (a poke); one that does not answer because it is in a long
// function is exposed: that costs a heavy barrier, so only after evidence that it hides jobs, and at most one in 20 us
// in the whole process. A mark on the board that is missing costs time only: a ready fiber that its owner queued just
// as a thief took the owner's mark off stays unseen by thieves until the owner's next note or somebody asks the owner
// for work, and the owner runs it in any case.
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
#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>
#include <utility>

#include "os/membarrier.hpp"
#include "os/pause.hpp"
#include "sched/crowding.hpp"
#include "sched/runtime.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"
#include "stealing/look.hpp"

namespace charm::sched {

using detail::Job;
using stealing::Mark;
using stealing::Place;

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

constexpr std::int64_t exposure_interval_ns = 20000;
constexpr unsigned enough_questions = 8;  // before a sleep, however short spin_us; the later ones expose hidden jobs

}  // namespace

void Worker::advertise() noexcept {
  if (!runtime->board.test(Mark::work, place)) runtime->board.set(Mark::work, place);
}

bool Worker::shows_work() const noexcept { return deque.public_count() > 0 || !ready.empty(); }

Job* Worker::steal_from(Place from, bool ready_too) noexcept {
  Worker* victim = runtime->worker_at(from);
  if (victim == nullptr || victim == this) return nullptr;  // just joining; or where this worker sat before
  Job* job = nullptr;
  if (std::int64_t visible = victim->deque.public_count(); visible > 0) {
    bool lost = false;
    bool flat = false;
    job = victim->deque.steal(lost, flat);
    if (lost) Tally::add(tally.lost_races);  // somebody was faster: on to the next victim
    if (job != nullptr && flat) {
      // Of many small jobs run one and keep the others where they can be stolen on.
      Job* more[64];
      const std::int64_t most = std::min<std::int64_t>(64, runtime->stealing_policy.share(visible) - 1);
      std::int64_t taken = most > 0 ? victim->deque.steal_flat(more, most) : 0;
      for (std::int64_t i = 0; i < taken; ++i) deque.push(more[i], true);  // an idle worker's deque has room
    }
    if (job == nullptr && lost) return nullptr;
  }
  if (job == nullptr && ready_too) job = victim->ready.pop();
  if (job != nullptr) {
    using trace::Distance;
    const Distance distance = from.group == place.group                                   ? Distance::chiplet
                              : victim->node.load(std::memory_order_relaxed) == seat.node ? Distance::node
                                                                                          : Distance::far;
    Tally::add(distance == Distance::chiplet ? tally.steals_chiplet
               : distance == Distance::node  ? tally.steals_node
                                             : tally.steals_far);
    tracing::stole(*this, *victim, distance);
    return job;
  }
  if (!victim->shows_work()) {  // an old mark: taken off, unless something has come meanwhile (stealing/board.hpp, B3)
    runtime->board.clear(Mark::work, from);
    Worker* there = runtime->worker_at(from);
    if (there != nullptr && there->shows_work()) runtime->board.set(Mark::work, from);
  }
  return nullptr;
}

Job* Worker::steal(bool ready_too) noexcept {
  stealing::Look look(runtime->field, runtime->stealing_policy, place);
  while (Place victim = look.next(runtime->board, next_random())) {
    if (Job* job = steal_from(victim, ready_too)) return job;
  }
  return nullptr;
}

/// Asks one busy worker to publish: first of the own chiplet, later of others, too, the near ones more often. Later
/// attempts look for hidden jobs.
void Worker::ask_for_work(unsigned attempt) noexcept {
  const std::uint64_t drawn = next_random();
  const auto low = static_cast<std::uint32_t>(drawn);
  Place asked = stealing::pick(runtime->board, Mark::busy, place.group, place, low);
  if (!asked || attempt % 2 == 1) {
    const int far = stealing::pick_group(runtime->board, runtime->field, place.group, false,
                                         static_cast<std::uint32_t>(drawn >> 32));
    if (far >= 0) {
      if (Place there = stealing::pick(runtime->board, Mark::busy, far, place, low)) asked = there;
    }
  }
  Worker* victim = asked ? runtime->worker_at(asked) : nullptr;
  if (victim == nullptr || victim == this) return;
  if (attempt >= 4 && victim->deque.has_private()) {  // it has not answered
    std::int64_t now = now_ns();
    std::int64_t due = runtime->next_exposure_ns.load(std::memory_order_relaxed);
    if (now >= due &&
        runtime->next_exposure_ns.compare_exchange_strong(due, now + exposure_interval_ns, std::memory_order_relaxed)) {
      Tally::add(tally.exposures);
      if (victim->deque.expose() > 0) runtime->board.set(Mark::work, asked);
      return;
    }
  }
  if (victim->shows_work()) runtime->board.set(Mark::work, asked);  // a ready fiber whose mark was lost
  victim->deque.poke();
}

/// Searchers cost the busy ones of their chiplet bandwidth and answers: at most half as many as are busy, but one.
/// Where nobody is busy there is nobody to be disturbed, and all look for spin_us.
bool Worker::surplus_searcher() const noexcept {
  const int searching = group->searching.load(std::memory_order_relaxed);
  if (searching <= 1) return false;
  const int busy = runtime->board.count(Mark::busy, place.group);
  return busy > 0 && searching > busy / 2;
}

Job* Worker::search() noexcept {
  Steering& steering = *runtime->steering;
  steering.end_work(*this);
  runtime->board.clear(Mark::busy, place);
  runtime->board.clear(Mark::work, place);
  tracing::state(*this, trace::State::searching);
  group->searching.fetch_add(1, std::memory_order_relaxed);
  // Where others want the core, what a searcher burns is taken from those who have work for it.
  const int spin_us = crowded() ? std::min(runtime->settings.spin_us, 5) : runtime->settings.spin_us;
  const std::int64_t spin_ns = std::int64_t{1000} * spin_us;
  GapWatch gaps;
  std::int64_t start = now_ns();
  std::int64_t next_question = start;
  unsigned attempt = 0;
  bool slept = false;
  Job* job = nullptr;

  for (unsigned round = 1;; ++round) {
    const bool resting = rests();
    job = own_job();
    if (job == nullptr) job = resting ? near_job() : shared_job();
    if (job == nullptr && !resting) job = steal(round % 4 == 0);
    if (job != nullptr) break;

    os::pause();
    if (round % 8 != 0 && !resting) continue;
    std::int64_t now = now_ns();
    gaps.at(now);
    runtime->timers.fire_all(*this, now);
    if (runtime->stopping.load(std::memory_order_acquire)) {
      if (now - start > spin_ns && stay_until_the_end()) break;
    } else if ((now - start >= spin_ns && attempt >= enough_questions) || surplus_searcher() || resting) {
      park(slept);
      gaps.slept();
      if (steering.in_doubt(*this)) {  // about its seat: settled as one that does not search
        group->searching.fetch_sub(1, std::memory_order_relaxed);
        steering.slept(*this);
        runtime->board.clear(Mark::busy, place);
        group->searching.fetch_add(1, std::memory_order_relaxed);
      }
      slept = true;
      start = next_question = now_ns();
      attempt = 0;
      continue;
    }
    if (now >= next_question && !resting) {
      ask_for_work(attempt++);
      next_question = now + (attempt < 8 ? 1000 : 8000);
    }
  }

  bool last = group->searching.fetch_sub(1, std::memory_order_relaxed) == 1;
  if (job != nullptr) {
    steering.begin_work(*this);
    if (slept) until_boundary = 1;
    runtime->board.set(Mark::busy, place);
    tracing::state(*this, trace::State::busy);
    if (shows_work()) advertise();  // flat jobs that were taken along
    runtime->deadlock.active();
    runtime->timers.before_job(*this);
    if (last) runtime->notify(this);
  }
  return job;
}

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
  runtime->timers.leave(*this);
  board.clear(Mark::asleep,
              place);  // by the owner alone: a waker that is late must not take off the mark of a next sleep
  runtime->steering->arrive(*this);
  enter(self);
  tracing::state(*this, trace::State::searching);
}

bool Runtime::wake(Worker& worker) noexcept {
  using Slot = Worker::Slot;
  Worker::State seen = worker.slot.load(std::memory_order_seq_cst);
  if (seen.slot() != Slot::parked && seen.slot() != Slot::lent_parked) return false;
  const bool guest = seen.slot() == Slot::lent_parked;
  // Counted before it can run, where it sleeps: a parked worker does not change groups, and its word names the group.
  std::atomic<int>& searching = groups[static_cast<std::size_t>(seen.group())]->searching;
  searching.fetch_add(1, std::memory_order_relaxed);
  if (!worker.slot.compare_exchange_strong(seen, guest ? Slot::lent : Slot::running, std::memory_order_seq_cst)) {
    searching.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  tracing::woke(worker);
  os::FutexWord& bell = guest ? worker.guest_bell : worker.bell;
  bell.store(1, std::memory_order_seq_cst);
  os::futex_wake(bell, 1);
  return true;
}

void Runtime::wake_all() noexcept {
  for (auto& worker : workers) wake(*worker);
}

template <class F>
bool Runtime::wake_one_of(int group, F&& wanted) noexcept {
  for (int w = 0; w < board.words(group); ++w) {
    for (auto word = board.word(Mark::asleep, group, w); word != 0; word &= word - 1) {
      Worker* sleeper = worker_at({group, w * stealing::Board::word_bits + std::countr_zero(word)});
      if (sleeper != nullptr && wanted(*sleeper) && wake(*sleeper)) return true;
    }
  }
  return false;
}

bool Runtime::anybody_asleep() const noexcept { return board.any(Mark::asleep) || steering->anybody_rests(); }

template <class F>
void Runtime::wake_resting(F&& wanted) noexcept {
  if (!steering->anybody_rests()) return;
  Worker* one = nullptr;
  for (auto& worker : workers) {
    if (!wanted(*worker)) continue;
    if (!steering->rests(*worker)) return;  // it looks before it sleeps
    one = worker.get();
  }
  if (one != nullptr) wake(*one);
}

void Runtime::wake_resting_in(int group) noexcept {
  wake_resting([group](const Worker& w) { return w.home_group.load(std::memory_order_seq_cst) == group; });
}

void Runtime::wake_resting_on(int node) noexcept {
  wake_resting([node](const Worker& w) { return w.node.load(std::memory_order_seq_cst) == node; });
}

void Runtime::notify(const Worker* from) noexcept {
  if (!board.any(Mark::asleep)) return;
  const int home = from->place.group;
  auto anybody = [](const Worker&) { return true; };
  auto searched = [&](int group) {
    return groups[static_cast<std::size_t>(group)]->searching.load(std::memory_order_relaxed) > 0;
  };
  if (searched(home)) return;
  if (wake_one_of(home, anybody)) return;
  for (int far : field.by_distance(home)) {
    const int word = far / stealing::Board::word_bits;
    if ((board.summary(Mark::asleep, word) >> (far % stealing::Board::word_bits) & 1) == 0) continue;
    if (searched(far) || wake_one_of(far, anybody)) return;
  }
}

bool Runtime::ring(Worker& worker) noexcept {
  using Slot = Worker::Slot;
  const Slot seen = worker.slot.load(std::memory_order_seq_cst).slot();
  if (seen != Slot::parked && seen != Slot::lent_parked) return false;
  os::FutexWord& bell = seen == Slot::lent_parked ? worker.guest_bell : worker.bell;
  bell.store(1, std::memory_order_seq_cst);
  os::futex_wake(bell, 1);
  return true;
}

void Runtime::post(Worker& worker, ListedJob* job) noexcept {
  worker.inbox.push(job);
  wake(worker);
}

// Unlike jobs in deques those in shared inboxes have no owner who would run them in any case: a sleeper must be woken.
// One that is awake looks at all of them before it sleeps.

void Runtime::post_anywhere(ListedJob* job) noexcept {
  inbox.push(job);
  wake_anybody();
}

void Runtime::wake_anybody() noexcept {
  for (int i = 0; i < board.summary_words(); ++i) {
    for (auto word = board.summary(Mark::asleep, i); word != 0; word &= word - 1) {
      if (wake_one_of(i * stealing::Board::word_bits + std::countr_zero(word), [](const Worker&) { return true; }))
        return;
    }
  }
}

void Runtime::post_near(int chiplet, ListedJob* job) noexcept {
  inbox.push(job);
  const int home = group_of(chiplet);
  auto anybody = [](const Worker&) { return true; };
  if (home < 0 || !wake_one_of(home, anybody)) wake_anybody();
}

void Runtime::abandon(LockedQueue& queue) noexcept {
  while (ListedJob* job = queue.pop()) post_anywhere(job);
}

bool Runtime::post_group(int group, ListedJob* job) noexcept {
  Group& to = *groups[static_cast<std::size_t>(group)];
  if (board.count(Mark::member, group) == 0) return false;
  to.inbox.push(job);
  if (wake_one_of(group, [](const Worker&) { return true; })) return true;
  if (board.count(Mark::member, group) == 0) abandon(to.inbox);  // they have left meanwhile (G2)
  wake_resting_in(group);
  return true;
}

bool Runtime::post_node(int node, ListedJob* job) noexcept {
  if (node < 0 || static_cast<std::size_t>(node) >= nodes.size()) return false;
  NodeQueue& to = *nodes[static_cast<std::size_t>(node)];
  if (to.members.load(std::memory_order_seq_cst) == 0) return false;
  to.inbox.push(job);
  for (int group : to.groups) {
    if (wake_one_of(group, [node](const Worker& w) { return w.node.load(std::memory_order_seq_cst) == node; }))
      return true;
  }
  if (to.members.load(std::memory_order_seq_cst) == 0) abandon(to.inbox);
  wake_resting_on(node);
  return true;
}

}  // namespace charm::sched

namespace charm::detail {

void deque_poked(Deque& deque) noexcept {
  const bool shown = deque.publish() > 0;
  if (sched::Worker* worker = sched::this_worker()) {
    if (shown || !worker->ready.empty()) worker->advertise();
    worker->runtime->notify(worker);
  }
}

}  // namespace charm::detail
