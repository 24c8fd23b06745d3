// Taking a seat: a worker on the board, in its group and on its node's list, and on to another seat at run time.
//
// Only the worker's own thread moves it, between two jobs, so it is neither searching nor asleep. What it holds (deque,
// ready fibers, its own inbox) moves with it: thieves find it by its new place, and by the old one for as long as an
// old mark names it. What it leaves behind is the inboxes of its group and node; G2 (sched/worker.hpp) tells why no job
// stays in them.
#include <charm/error.hpp>

#include <string>
#include <utility>

#include "sched/runtime.hpp"
#include "sched/tracing.hpp"

namespace charm::sched {

using stealing::Mark;

void Runtime::join_group(Worker& worker, int group) {
  worker.group = groups[static_cast<std::size_t>(group)].get();
  worker.place = board.join(group);
  worker.home_group.store(group, std::memory_order_seq_cst);
  worker.group->at[static_cast<std::size_t>(worker.place.slot)].store(&worker, std::memory_order_seq_cst);
}

void Runtime::leave_group(stealing::Place place) noexcept {
  board.leave(place);
  LockedQueue& left = groups[static_cast<std::size_t>(place.group)]->inbox;
  if (board.count(Mark::member, place.group) == 0)
    abandon(left);
  else if (!left.empty())
    wake_resting_in(place.group);
}

void Runtime::join_node(Worker& worker, int node) noexcept {
  worker.node.store(node, std::memory_order_seq_cst);
  if (node >= 0) nodes[static_cast<std::size_t>(node)]->members.fetch_add(1, std::memory_order_seq_cst);
}

void Runtime::leave_node(int node) noexcept {
  if (node < 0) return;
  NodeQueue& queue = *nodes[static_cast<std::size_t>(node)];
  if (queue.members.fetch_sub(1, std::memory_order_seq_cst) == 1)
    abandon(queue.inbox);
  else if (!queue.inbox.empty())
    wake_resting_on(node);
}

void Worker::take_seat(const Seat& to) {
  const int next = runtime->group_of(to.chiplet);
  if (next < 0)
    throw Error(Errc::bad_input, "no seat of this placement stands on chiplet " + std::to_string(to.chiplet),
                "take one of the placement's seats");
  const Seat from = std::exchange(seat, to);
  tracing::moved(*this, to);
  // First in, then out: so the worker can be found at any time, and the jobs that it takes out of an inbox which it was
  // the last to serve meet somebody who is awake, itself at the least.
  if (from.node != to.node) {
    runtime->join_node(*this, to.node);
    runtime->leave_node(from.node);
  }
  if (next != place.group) {
    const stealing::Place old = place;
    runtime->join_group(*this, next);
    runtime->board.set(Mark::busy, place);
    if (shows_work()) runtime->board.set(Mark::work, place);
    runtime->leave_group(old);
  }
}

}  // namespace charm::sched
