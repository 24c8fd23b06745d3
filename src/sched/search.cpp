// Looking for work elsewhere, and giving up: stealing by distance, asking, exposing, parking.
//
// Stealing (docs/runtime.md): victims are scanned nearest ring first; the own chiplet twice before anybody else. The
// scan reads only the victims' public words. Where nothing is public, busy workers are asked to publish (a poke); one
// that does not answer because it is in a long function is exposed: that costs a heavy barrier, so only after evidence
// that it hides jobs, and at most one in 20 us in the whole process.
//
// Parking. A searcher that has found nothing for spin_us announces that it is parked, looks once more, and sleeps.
//  P1  Jobs in inboxes are never missed: the poster pushes, then reads the slot; the parker writes the slot, then reads
//      the inboxes; all four are sequentially consistent.
//  P2  Jobs in deques may be missed for a moment, because the owner's push has no fence between its store and its look
//      at the limit that the parker lowered. They are not lost: their owner will run them. So that they are not left to
//      it alone, the first sleep ends after 10 ms, runs a heavy barrier, after which the store is visible, looks again,
//      and only then sleeps until woken.
//  P3  A waker counts the woken as searching on its behalf, so that a burst of pushes wakes one worker and not all; the
//      last searcher that finds work wakes the next.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "os/membarrier.hpp"
#include "os/pause.hpp"
#include "sched/crowding.hpp"
#include "sched/runtime.hpp"
#include "sched/worker.hpp"

namespace charm::sched {

using detail::Job;

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

constexpr std::int64_t exposure_interval_ns = 20000;

}  // namespace

Job* Worker::steal_from(Worker& victim, bool ready_too) noexcept {
  if (victim.deque.public_count() > 0) {
    bool lost = false;
    bool flat = false;
    Job* job = victim.deque.steal(lost, flat);
    if (lost) Tally::add(tally.lost_races);  // somebody was faster: on to the next victim
    if (job != nullptr && flat) {
      // Of many small jobs take half: run one, keep the others where they can be stolen on.
      Job* more[64];
      std::int64_t taken = victim.deque.steal_flat(more, 64);
      for (std::int64_t i = 0; i < taken; ++i) deque.push(more[i], true);  // an idle worker's deque has room
    }
    if (job != nullptr) return job;
  }
  return ready_too ? victim.ready.pop() : nullptr;
}

Job* Worker::steal(bool ready_too) noexcept {
  for (std::size_t r = 0; r < rings.size(); ++r) {
    Ring& ring = rings[r];
    std::size_t n = ring.victims.size();
    std::size_t start = next_random() % n;
    for (std::size_t i = 0; i < n * (r == 0 ? 2 : 1); ++i) {
      std::size_t v = start + i;
      while (v >= n) v -= n;
      if (Job* job = steal_from(*ring.victims[v], ready_too)) {
        Tally::add(tally.*ring.steals);
        return job;
      }
    }
  }
  return nullptr;
}

/// Asks one busy worker, near ones more often, to publish. Later attempts ask farther and look for hidden jobs.
void Worker::ask_for_work(unsigned attempt) noexcept {
  std::size_t far = attempt / 2 < rings.size() ? attempt / 2 + 1 : rings.size();
  Ring& ring = rings[attempt % far];
  std::size_t n = ring.victims.size();
  std::size_t start = next_random() % n;
  for (std::size_t i = 0; i < n; ++i) {
    Worker& victim = *ring.victims[(start + i) % n];
    if (!victim.busy.load(std::memory_order_relaxed)) continue;
    bool unanswered = attempt >= 4;
    if (unanswered && victim.deque.has_private()) {
      std::int64_t now = now_ns();
      std::int64_t due = runtime->next_exposure_ns.load(std::memory_order_relaxed);
      if (now >= due && runtime->next_exposure_ns.compare_exchange_strong(due, now + exposure_interval_ns,
                                                                          std::memory_order_relaxed)) {
        Tally::add(tally.exposures);
        victim.deque.expose();
        return;
      }
    }
    victim.deque.poke();
    return;
  }
}

Job* Worker::search() noexcept {
  busy.store(false, std::memory_order_relaxed);
  group->searching.fetch_add(1, std::memory_order_relaxed);
  runtime->searching.fetch_add(1, std::memory_order_relaxed);
  // Where others want the core, what a searcher burns is taken from those who have work for it.
  const std::int64_t spin_ns = std::int64_t{1000} * (crowded() ? std::min(runtime->settings.spin_us, 5) : runtime->settings.spin_us);
  GapWatch gaps;
  std::int64_t start = now_ns();
  std::int64_t next_question = start;
  unsigned attempt = 0;
  bool slept = false;
  Job* job = nullptr;

  for (unsigned round = 1;; ++round) {
    job = own_job();
    if (job == nullptr) job = shared_job();
    if (job == nullptr) job = steal(round % 4 == 0);
    if (job != nullptr) break;

    os::pause();
    if (round % 8 != 0) continue;
    std::int64_t now = now_ns();
    gaps.at(now);
    runtime->timers.fire_all(*this, now);
    if (runtime->stopping.load(std::memory_order_acquire)) {
      if (now - start > spin_ns && stay_until_the_end()) break;
    } else if (now - start >= spin_ns && (rings.empty() || attempt > 6)) {  // not before it has asked for hidden jobs
      park(slept);
      gaps.slept();
      slept = true;
      start = next_question = now_ns();
      attempt = 0;
      continue;
    }
    if (!rings.empty() && now >= next_question) {
      ask_for_work(attempt++);
      next_question = now + (attempt < 8 ? 1000 : 8000);
    }
  }

  runtime->searching.fetch_sub(1, std::memory_order_relaxed);
  bool last = group->searching.fetch_sub(1, std::memory_order_relaxed) == 1;
  if (job != nullptr) {
    busy.store(true, std::memory_order_relaxed);
    runtime->deadlock.active();
    runtime->timers.before_job(*this);
    if (last) runtime->notify(this);
  }
  return job;
}

bool Worker::work_in_sight() noexcept {
  if (!inbox.empty() || !ready.empty() || !group->inbox.empty() || !runtime->inbox.empty()) return true;
  if (seat.node >= 0 && !runtime->node_inboxes[static_cast<std::size_t>(seat.node)]->empty()) return true;
  for (const Ring& ring : rings) {
    for (Worker* victim : ring.victims) {
      if (victim->deque.public_count() > 0 || victim->deque.has_private() || !victim->ready.empty()) return true;
    }
  }
  return false;
}

/// Called as a searcher; returns as one.
/// \param deep a sleep without a limit; a first one is short (P2).
void Worker::park(bool deep) noexcept {
  if (deep && os::has_heavy_barrier()) os::heavy_barrier();
  group->sleeping.fetch_add(1, std::memory_order_seq_cst);
  runtime->sleeping.fetch_add(1, std::memory_order_seq_cst);
  group->searching.fetch_sub(1, std::memory_order_relaxed);
  runtime->searching.fetch_sub(1, std::memory_order_relaxed);
  bool more = work_in_sight() || runtime->stopping.load(std::memory_order_seq_cst);
  fiber::Fiber* self = current;  // a guest puts its own in the books
  const bool guest = slot.load(std::memory_order_relaxed) == Slot::lent;
  const Slot awake = guest ? Slot::lent : Slot::running;
  os::FutexWord& ring = guest ? guest_bell : bell;
  slot.store(guest ? Slot::lent_parked : Slot::parked, std::memory_order_seq_cst);
  // From here on worker 0 may be lent: only what is everybody's may be touched until the slot is ours again.
  if (more || inbox.arrived() || !group->inbox.empty() || !runtime->inbox.empty() ||
      runtime->stopping.load(std::memory_order_seq_cst) ||
      (seat.node >= 0 && !runtime->node_inboxes[static_cast<std::size_t>(seat.node)]->empty())) {
    runtime->wake(*this);
  } else {
    for (const Ring& others : rings) {  // whoever is busy shall notice a sleeper at its next push
      for (Worker* victim : others.victims) {
        if (victim->busy.load(std::memory_order_relaxed)) victim->deque.poke();
      }
    }
    Tally::add(tally.parks);
  }
  // The waker changes the slot before it rings, and we look at the slot after we have silenced the bell: a ring that
  // comes late, for an earlier sleep, costs one turn of this loop.
  const Slot asleep = guest ? Slot::lent_parked : Slot::parked;
  while (slot.load(std::memory_order_acquire) != awake) {
    const bool ours = slot.load(std::memory_order_seq_cst) == asleep;
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
  enter(self);
}

bool Runtime::wake(Worker& worker) noexcept {
  using Slot = Worker::Slot;
  Slot seen = worker.slot.load(std::memory_order_seq_cst);
  if (seen != Slot::parked && seen != Slot::lent_parked) return false;
  bool guest = seen == Slot::lent_parked;
  if (!worker.slot.compare_exchange_strong(seen, guest ? Slot::lent : Slot::running, std::memory_order_seq_cst))
    return false;
  worker.group->searching.fetch_add(1, std::memory_order_relaxed);
  searching.fetch_add(1, std::memory_order_relaxed);
  worker.group->sleeping.fetch_sub(1, std::memory_order_relaxed);
  sleeping.fetch_sub(1, std::memory_order_relaxed);
  os::FutexWord& bell = guest ? worker.guest_bell : worker.bell;
  bell.store(1, std::memory_order_seq_cst);
  os::futex_wake(bell, 1);
  return true;
}

void Runtime::notify(const Worker* from) noexcept {
  if (sleeping.load(std::memory_order_relaxed) == 0) return;
  Group* near = from != nullptr ? from->group : nullptr;
  if (near != nullptr && near->sleeping.load(std::memory_order_relaxed) > 0) {
    if (near->searching.load(std::memory_order_relaxed) > 0) return;
    for (Worker* member : near->members) {
      if (wake(*member)) return;
    }
  }
  if (searching.load(std::memory_order_relaxed) > 0) return;
  if (from != nullptr) {
    for (const Worker::Ring& ring : from->rings) {
      for (Worker* victim : ring.victims) {
        if (wake(*victim)) return;
      }
    }
    return;
  }
  for (auto& worker : workers) {
    if (wake(*worker)) return;
  }
}

bool Runtime::ring(Worker& worker) noexcept {
  using Slot = Worker::Slot;
  Slot seen = worker.slot.load(std::memory_order_seq_cst);
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

void Runtime::post_shared(LockedQueue& queue, Group* near, ListedJob* job) noexcept {
  queue.push(job);
  // Unlike jobs in deques these have no owner who would run them in any case: a sleeper must be woken unless somebody
  // is sure to look. A searcher looks at all shared queues before it sleeps.
  if (near != nullptr) {
    for (Worker* member : near->members) {
      if (wake(*member)) return;
    }
  } else {
    for (auto& worker : workers) {
      if (wake(*worker)) return;
    }
  }
}

void Runtime::post_near(int chiplet, ListedJob* job) noexcept {
  inbox.push(job);
  for (auto& group : groups) {
    if (group->chiplet != chiplet) continue;
    for (Worker* member : group->members) {
      if (wake(*member)) return;
    }
  }
  for (auto& worker : workers) {
    if (wake(*worker)) return;
  }
}

}  // namespace charm::sched

namespace charm::detail {

void deque_poked(Deque& deque) noexcept {
  deque.publish();
  if (sched::Worker* worker = sched::this_worker()) worker->runtime->notify(worker);
}

}  // namespace charm::detail
