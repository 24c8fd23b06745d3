// Wakes sleeping workers, and sends jobs to workers, chiplets, nodes or any worker (the rules are in
// sched/run/parking.cpp).
#include <algorithm>
#include <bit>

#include "base/notices.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/membarrier.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/idle_look.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/run/wake_order.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

std::atomic<detail::IdleLook> idle_look{nullptr};

using stealing::Flag;

bool Runtime::wake(Worker& worker) noexcept {
  WorkerSlot::State seen = worker.slot.state();
  if (!seen.parked()) return false;
  const WorkerSlot::Who who = seen.who();
  const int seen_group = seen.group();
  // Counted as searching before it can run, in the group where it sleeps: a parked worker does not change groups.
  std::atomic<int>& searching = places.group(seen_group).searching;
  searching.fetch_add(1, std::memory_order_relaxed);
  delay_between_steps();
  if (!worker.slot.wake(seen)) {
    // Meanwhile it counted as one that searches: a worker that found a job may have left the next to it (wakers count
    // whom they wake), and a poster its job (rely on a searcher).
    if (searching.fetch_sub(1, std::memory_order_seq_cst) == 1 && places.flags.any(Flag::asleep)) wake_near(seen_group);
    return false;
  }
  tracing::woke(worker);
  worker.slot.ring(who);
  return true;
}

void Runtime::wake_all() noexcept {
  for (auto& worker : workers) wake(*worker);
}

namespace {

/// The cpu on which the calling thread runs if it is no worker, and workers have cpus of this machine; else -1.
int cpu_outside(const Steering& steering) noexcept {
  return this_worker() == nullptr && steering.binds() ? os::current_cpu() : -1;
}

}  // namespace

/// Whether another sleeper is the better one to wake: this one leaves jobs to others, or another thread is running on
/// its cpu: the caller, the worker of an arena, or perhaps the thread that called init().
bool Runtime::wakes_last(const Worker& worker, int callers_cpu) const noexcept {
  const int cpu = worker.cpu();
  const bool knows = callers_cpu >= 0 && loan.is_home_thread();  // where the thread that called init() runs
  return worker.leaves_jobs.now() || (callers_cpu >= 0 && cpu == callers_cpu) ||
         (main.shares_cores() && main.family.core_turns.taken(worker.contender, cpu)) ||
         (!knows && worker.id == 0 && settings.lend_caller && !loan.guest_waits());
}

template <class F>
bool Runtime::wake_one_of(int group, F&& wanted, Wake which) noexcept {
  if (places.flags.count(Flag::asleep, group) == 0) return false;
  const int here = cpu_outside(*steering);
  const auto each_sleeper = [&](auto&& try_one) {
    for (int w = 0; w < places.flags.words(group); ++w) {
      for (auto word = places.flags.word(Flag::asleep, group, w); word != 0; word &= word - 1) {
        Worker* sleeper = places.worker_at({group, w * stealing::WorkFlags::word_bits + std::countr_zero(word)});
        if (sleeper != nullptr && wanted(*sleeper) && try_one(*sleeper)) return true;
      }
    }
    return false;
  };
  return wake_in_order(
      each_sleeper, [&](const Worker& sleeper) { return wakes_last(sleeper, here); },
      [&](Worker& sleeper) { return wake(sleeper); }, which == Wake::preferred);
}

bool Runtime::anybody_asleep() const noexcept { return places.flags.any(Flag::asleep) || steering->anybody_rests(); }

template <class F>
void Runtime::wake_resting(F&& wanted) noexcept {
  if (!steering->anybody_rests()) return;
  Worker* one = nullptr;
  for (auto& worker : workers) {
    if (!wanted(*worker)) continue;
    if (steering->rest(*worker) == Rest::none) return;  // it checks its inbox before it sleeps
    one = worker.get();
  }
  if (one != nullptr) wake(*one);
}

void Runtime::wake_resting_in(int group) noexcept {
  wake_resting([group](const Worker& w) { return w.home_group(std::memory_order_seq_cst) == group; });
}

void Runtime::wake_resting_on(int node) noexcept {
  wake_resting([node](const Worker& w) { return w.node(std::memory_order_seq_cst) == node; });
}

/// The slow half of notify().
void Runtime::wake_near(int home) noexcept {
  auto anybody = [](const Worker&) { return true; };
  auto searched = [&](int group) { return places.group(group).searching.load(std::memory_order_relaxed) > 0; };
  if (searched(home)) return;
  if (wake_one_of(home, anybody)) return;
  for (int far : places.distances.by_distance(home)) {
    const int word = far / stealing::WorkFlags::word_bits;
    if ((places.flags.summary(Flag::asleep, word) >> (far % stealing::WorkFlags::word_bits) & 1) == 0) continue;
    if (searched(far) || wake_one_of(far, anybody)) return;
  }
}

void Runtime::without_heavy_barrier() noexcept {
  // Each owner changes over at its next push (deque_poked). What it has kept private until then stays so until then.
  // First this, and then the notice: printing takes long, and whoever reads the notice knows that all have been asked.
  for (auto& worker : workers) worker->deque.poke();
  base::notice("membarrier", "membarrier(2) is not available; every fork is published at once, which costs some speed");
}

bool Runtime::ring(Worker& worker) noexcept {
  const WorkerSlot::State seen = worker.slot.state();
  if (!seen.parked()) return false;
  worker.slot.ring(seen.who());
  return true;
}

void Runtime::post(Worker& worker, ListedJob* job) noexcept {
  worker.inbox.push(job);
  wake(worker);
}

// Unlike jobs in deques those in shared inboxes have no owner who would run them in any case: a sleeper must be woken,
// unless a worker searches that will look there (rely on a searcher). One that is awake looks at all of them before it
// sleeps.

void Runtime::post_anywhere(ListedJob* job) noexcept {
  places.inbox.push(job);
  delay_between_steps();
  if (!anybody_searches()) wake_anybody();
}

/// Whether a worker searches that has its cpu, and leaves no jobs to others. To be asked after the job was posted.
bool Runtime::anybody_searches() const noexcept {
  if (oversubscribed() || main.shares_cores() || searchers.leaving.any() || steering->anybody_rests()) return false;
  return std::any_of(places.groups.begin(), places.groups.end(),
                     [](const auto& group) { return group->searching.load(std::memory_order_seq_cst) > 0; });
}

void Runtime::wake_anybody() noexcept {
  for (Wake which : {Wake::preferred, Wake::any}) {
    for (int i = 0; i < places.flags.summary_words(); ++i) {
      for (auto word = places.flags.summary(Flag::asleep, i); word != 0; word &= word - 1) {
        const int group = i * stealing::WorkFlags::word_bits + std::countr_zero(word);
        if (wake_one_of(group, [](const Worker&) { return true; }, which)) return;
      }
    }
  }
}

void Runtime::post_near(int chiplet, ListedJob* job) noexcept {
  places.inbox.push(job);
  const int home = places.group_of(chiplet);
  auto anybody = [](const Worker&) { return true; };
  if (home < 0 || !wake_one_of(home, anybody)) wake_anybody();
}

bool Runtime::post_group(int group, ListedJob* job) noexcept {
  Group& to = places.group(group);
  if (places.flags.count(Flag::member, group) == 0) return false;
  to.inbox.push(job);
  if (wake_one_of(group, [](const Worker&) { return true; })) return true;
  if (places.flags.count(Flag::member, group) == 0) abandon(to.inbox);  // they have left meanwhile
  wake_resting_in(group);
  return true;
}

bool Runtime::post_node(int node, ListedJob* job) noexcept {
  if (node < 0 || static_cast<std::size_t>(node) >= places.nodes.size()) return false;
  NodeInbox& to = places.node(node);
  if (!to.post(job)) return false;
  for (int group : to.groups()) {
    if (wake_one_of(group, [node](const Worker& w) { return w.node(std::memory_order_seq_cst) == node; })) return true;
  }
  if (to.members() == 0) abandon(to);
  wake_resting_on(node);
  return true;
}

}  // namespace charm::sched

namespace charm::detail {

void set_idle_look(IdleLook look) {
  const sched::Visit runtime;
  sched::idle_look.store(look, std::memory_order_seq_cst);
  if (look != nullptr) runtime->main.wake_all();  // so that one of the sleepers becomes the lookout
}

void post_anywhere(ListedJob& job) noexcept { sched::Runtime::gate.existing()->post_anywhere(&job); }

void deque_poked(Deque& deque) noexcept {
  if (!os::has_heavy_barrier()) [[unlikely]]
    deque.always_publish();  // it may have been lost since the last push
  const bool shown = deque.publish() > 0;
  if (sched::Worker* worker = sched::this_worker()) {
    if (shown || !worker->ready.empty()) worker->advertise();
    worker->runtime->notify(worker);
  }
}

}  // namespace charm::detail
