// Where the workers of a runtime are, by chiplet and node, and the inboxes of these places.
#pragma once

#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "sched/run/node_inbox.hpp"
#include "sched/run/ready_queue.hpp"
#include "stealing/distance_table.hpp"
#include "stealing/work_flags.hpp"

namespace charm::sched {

class Worker;

/// The workers of a chiplet. They steal from each other first, and one is woken for another. There is a group for every
/// chiplet that has a core of the placement, at any level, and one for workers that are not bound. The runtime's work
/// flags say which slots of a group have a member, have work, are busy or asleep; `at` names the worker of each slot.
///
/// - Entries outlast their workers: A slot's entry is written before any flag of that slot but `member` is set. It
///   stays when its worker leaves. An old entry then names a worker of another group, and a thief that follows it may
///   steal from that worker.
/// - No inbox without members: The inbox belongs to the group and does not move with its members. While it holds a job,
///   a member will look at it before it sleeps, or the job is being moved to the runtime's inbox: the last member to
///   leave moves the jobs after it has cleared its flags, and a poster checks after its push whether there is a member,
///   and moves them if there is none. Both orders are sequentially consistent, so one of the two sees the other.
struct Group {
  Group(int chiplet_id, std::size_t capacity) : chiplet(chiplet_id), at(capacity) {}
  const int chiplet;
  std::vector<std::atomic<Worker*>> at;  // by slot
  LockedQueue inbox;
  alignas(64) std::atomic<int> searching{0};
};

class Places {
 public:
  /// Without members. \param chiplets that have a group; {-1}: workers are not bound. \param workers how many there
  /// are.
  Places(const Machine& machine, const std::vector<int>& chiplets, std::size_t workers)
      : distances(machine, chiplets), flags(distances.groups(), static_cast<int>(workers)) {
    for (std::size_t n = 0; n < machine.nodes.size(); ++n) nodes.push_back(std::make_unique<NodeInbox>());
    for (int g = 0; g < distances.groups(); ++g) {
      groups.push_back(std::make_unique<Group>(distances.chiplet(g), workers));
      const auto index = static_cast<std::size_t>(distances.chiplet(g)) + 1;  // -1 is the first
      by_chiplet_.resize(std::max(by_chiplet_.size(), index + 1), -1);
      by_chiplet_[index] = g;
    }
    for (const Core& core : machine.cores) {
      if (const int group = group_of(core.chiplet); group >= 0) node(core.node).add_group(group);
    }
  }

  const stealing::DistanceTable distances;  // between the groups
  stealing::WorkFlags flags;                // hot and shared: which workers exist, have work, are busy, sleep
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<std::unique_ptr<NodeInbox>> nodes;  // by node id
  // Hot and shared: jobs for any worker. On a line of its own, since all that search read the lists above.
  alignas(64) LockedQueue inbox;

  [[nodiscard]] Group& group(int index) const noexcept { return *groups[static_cast<std::size_t>(index)]; }
  [[nodiscard]] NodeInbox& node(int id) const noexcept { return *nodes[static_cast<std::size_t>(id)]; }
  /// The index in `groups` of a chiplet's group; -1 if the chiplet has no core of the placement.
  [[nodiscard]] int group_of(int chiplet) const noexcept {
    const auto index = static_cast<std::size_t>(chiplet) + 1;
    return index < by_chiplet_.size() ? by_chiplet_[index] : -1;
  }
  /// Null where no worker has been.
  [[nodiscard]] Worker* worker_at(stealing::Place place) const noexcept {
    return group(place.group).at[static_cast<std::size_t>(place.slot)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool anybody_busy() const noexcept {
    for (int g = 0; g < flags.groups(); ++g) {
      for (int w = 0; w < flags.words(g); ++w) {
        if (flags.word(stealing::Flag::busy, g, w) != 0) return true;
      }
    }
    return false;
  }

 private:
  std::vector<int> by_chiplet_;  // [chiplet + 1]
};

}  // namespace charm::sched
