// The one runtime of a process: its workers, groups, shared queues and the pool of idle fibers.
#pragma once

#include <charm/machine.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/settings.hpp"
#include "placement/placement.hpp"
#include "sched/steering.hpp"
#include "sched/worker.hpp"
#include "stealing/board.hpp"
#include "stealing/field.hpp"
#include "stealing/policy.hpp"
#include "trace/recorder.hpp"

namespace charm::sched {

class Runtime {
 public:
  /// \param cpus, source where cpus and measurements come from; null: the machine that this is. Tests have their own.
  explicit Runtime(const Config& config, std::unique_ptr<os::CpuWatch> cpus = nullptr,
                   std::unique_ptr<counters::Source> source = nullptr);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// The runtime, or nullptr.
  static Runtime* instance() noexcept { return current.load(std::memory_order_acquire); }
  /// \throws Error (not_running).
  static Runtime& get();
  static std::atomic<Runtime*> current;

  const base::Settings settings;
  const Machine machine;
  const placement::Placement placement;
  const os::TickClock clock;
  std::unique_ptr<trace::Recorder> recorder;  // null unless the setting trace names a file
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Group>> groups;  // every chiplet; of unbound workers one for all
  const stealing::Field field;                 // how far they are from each other
  stealing::Board board;                       // who is there, has work, is busy, sleeps
  const stealing::Policy& stealing_policy;
  /// Jobs for a NUMA node's workers; `members` and `inbox` keep G2 for the node as the board does for a group.
  struct NodeQueue {
    LockedQueue inbox;
    std::atomic<int> members{0};
    std::vector<int> groups;  // whose seats may be on the node
  };
  std::vector<std::unique_ptr<NodeQueue>> nodes;  // by node id
  LockedQueue inbox;                              // for any worker
  std::unique_ptr<Steering> steering;

  alignas(64) std::atomic<bool> stopping{false};
  std::atomic<int> idle{0};  // workers that found nothing since `stopping`; all of them: the end
  std::atomic<std::int64_t> next_exposure_ns{0};

  /// The group of a chiplet, by its place in `groups`; -1 where no seat stands there.
  [[nodiscard]] int group_of(int chiplet) const noexcept {
    const auto index = static_cast<std::size_t>(chiplet + 1);
    return index < group_by_chiplet_.size() ? group_by_chiplet_[index] : -1;
  }
  Worker* worker_at(stealing::Place place) const noexcept {
    return groups[static_cast<std::size_t>(place.group)]->at[static_cast<std::size_t>(place.slot)].load(
        std::memory_order_acquire);
  }

  /// Work has appeared that a sleeper could take: wakes one near `from` unless somebody there is searching already.
  void notify(const Worker* from) noexcept;
  /// Wakes this very worker if it is parked. \return whether it was.
  bool wake(Worker& worker) noexcept;
  /// Wakes all, so that they look at what has changed.
  void wake_all() noexcept;
  void post(Worker& worker, ListedJob* job) noexcept;
  /// For any worker.
  void post_anywhere(ListedJob* job) noexcept;
  /// For a worker of a group, of a node. \return false where nobody sits there; then nothing was posted.
  bool post_group(int group, ListedJob* job) noexcept;
  bool post_node(int node, ListedJob* job) noexcept;
  /// Takes what lies in an inbox without members where everybody looks (G2).
  void abandon(LockedQueue& queue) noexcept;

  // The parts of taking a seat (seating.cpp).
  void join_group(Worker& worker, int group);
  void leave_group(stealing::Place place) noexcept;
  void join_node(Worker& worker, int node) noexcept;
  void leave_node(int node) noexcept;

  /// Lends worker 0 to the calling thread, if that is the thread that called init() and the worker is free.
  Worker* borrow() noexcept;
  void give_back(Worker& worker) noexcept;

  // Idle fibers beyond the few that every worker keeps; by NUMA node of the worker that first used them.
  fiber::Fiber* take_fiber(int node) noexcept;
  void give_fiber(fiber::Fiber* fiber, int node) noexcept;
  [[nodiscard]] std::uint64_t stacks() const;

 private:
  static constexpr std::size_t most_idle_fibers = 256;  // of a node; what is more goes back to the system
  struct FiberPool {
    std::mutex mutex;
    std::vector<fiber::Fiber*> idle;
    std::unordered_set<fiber::Fiber*> all;
  };
  FiberPool& pool(int node) { return *pools_[static_cast<std::size_t>(node) + 1]; }
  void record();
  void stop();
  /// Wakes one sleeper of the group that `wanted` accepts. \return whether there was one.
  template <class F>
  bool wake_one_of(int group, F&& wanted) noexcept;

  std::vector<int> group_by_chiplet_;              // [chiplet + 1]
  std::vector<std::unique_ptr<FiberPool>> pools_;  // [node + 1]; [0]: unbound workers, whose node is -1
  std::thread::id home_ = std::this_thread::get_id();
};

}  // namespace charm::sched
