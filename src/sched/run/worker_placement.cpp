// Puts a worker on a core: in its group of the work flags and on its node's list, and moves it to another core at run
// time.
//
// Only the worker's own thread moves it, between two jobs or after a sleep, so it is neither searching nor asleep. Its
// deque, ready fibers and inbox move with it: thieves find it by its new place, and by the old one as long as a flag
// there is set. The inboxes of its group and node stay where they are; "no inbox without members"
// (sched/run/places.hpp) explains why no job stays in them.
#include <charm/error.hpp>

#include <string>
#include <utility>

#include "sched/debug/tracing.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {

using stealing::Flag;

void Runtime::join_group(Worker& worker, int group) {
  worker.group_ = &places.group(group);
  worker.place_ = places.flags.join(group);
  worker.home_group_.store(group, std::memory_order_seq_cst);
  worker.group_->at[static_cast<std::size_t>(worker.place_.slot)].store(&worker, std::memory_order_seq_cst);
}

void Runtime::leave_group(stealing::Place place) noexcept {
  places.flags.leave(place);
  LockedQueue& left = places.group(place.group).inbox;
  if (places.flags.count(Flag::member, place.group) == 0)
    abandon(left);
  else if (!left.empty())
    wake_resting_in(place.group);
}

void Runtime::join_node(Worker& worker, int node) noexcept {
  worker.node_.store(node, std::memory_order_seq_cst);
  if (node >= 0) places.node(node).join();
}

void Runtime::leave_node(int node) noexcept {
  if (node < 0) return;
  NodeInbox& left = places.node(node);
  switch (left.leave()) {
    case NodeInbox::Left::unserved:
      return abandon(left);
    case NodeInbox::Left::jobs_of_others:
      return wake_resting_on(node);
    case NodeInbox::Left::nothing:
      break;
  }
}

void Worker::move_to(const WorkerCore& to) {
  const int next = runtime->places.group_of(to.chiplet);
  if (next < 0)
    throw Error(Errc::bad_input, "no core of this placement stands on chiplet " + std::to_string(to.chiplet),
                "take one of the placement's cores");
  const WorkerCore from = std::exchange(worker_core_, to);
  cpu_.store(to.cpu, std::memory_order_relaxed);
  tracing::moved(*this, to);
  // It joins before it leaves, so the worker can be found at any time, and the jobs that it takes out of an inbox that
  // it was the last to serve meet at least one worker that is awake: itself.
  if (from.node != to.node) {
    runtime->join_node(*this, to.node);
    runtime->leave_node(from.node);
  }
  if (next != place_.group) {
    const stealing::Place old = place_;
    runtime->join_group(*this, next);
    if (runtime->places.flags.test(Flag::busy, old)) runtime->places.flags.set(Flag::busy, place_);
    if (shows_work()) runtime->places.flags.set(Flag::work, place_);
    runtime->leave_group(old);
  }
}

}  // namespace charm::sched
