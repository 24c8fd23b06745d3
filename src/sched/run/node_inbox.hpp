// Jobs for the workers of a NUMA node. Keeps the rule "no inbox without members" (Group in sched/run/places.hpp): who
// posts a job looks for members before and after, and a member that leaves looks for jobs afterwards; all of this is
// sequentially consistent, so one of the two sees the other.
#pragma once

#include <charm/detail/assert.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

#include "sched/run/ready_queue.hpp"

namespace charm::sched {

class NodeInbox {
 public:
  // ---- workers of the node ----

  void join() noexcept { members_.fetch_add(1, std::memory_order_seq_cst); }
  /// What is left behind: nothing, jobs for the other members, or, perhaps, jobs that nobody serves any more. The last
  /// member to leave moves those elsewhere.
  enum class Left { nothing, jobs_of_others, unserved };
  [[nodiscard]] Left leave() noexcept {
    const int before = members_.fetch_sub(1, std::memory_order_seq_cst);
    CHARM_ASSERT(before > 0, "only a member leaves");
    if (before == 1) return Left::unserved;
    return jobs_.empty() ? Left::nothing : Left::jobs_of_others;
  }
  /// By a member.
  void push(ListedJob* job) noexcept {
    CHARM_ASSERT(job != nullptr, "a member pushes a job");
    CHARM_ASSERT(members() > 0, "a member serves what it pushes");
    jobs_.push(job);
  }
  ListedJob* pop() noexcept { return jobs_.pop(); }

  // ---- any thread ----

  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
  [[nodiscard]] int members() const noexcept { return members_.load(std::memory_order_seq_cst); }
  /// \return false if the node has no member; then nothing was posted. The caller then wakes a member, or looks once
  /// more whether there is one.
  [[nodiscard]] bool post(ListedJob* job) noexcept {
    CHARM_ASSERT(job != nullptr, "somebody posts a job");
    if (members() == 0) return false;
    jobs_.push(job);
    return true;
  }

  // ---- at the start ----

  void add_group(int group) {
    if (std::find(groups_.begin(), groups_.end(), group) == groups_.end()) groups_.push_back(group);
  }
  /// The groups whose cores may be on the node.
  [[nodiscard]] const std::vector<int>& groups() const noexcept { return groups_; }

 private:
  LockedQueue jobs_;
  std::atomic<int> members_{0};
  std::vector<int> groups_;
};

}  // namespace charm::sched
