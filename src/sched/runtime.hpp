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
#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace charm::sched {

class Runtime {
 public:
  explicit Runtime(const Config& config);
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
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<std::unique_ptr<LockedQueue>> node_inboxes;  // by node id
  LockedQueue inbox;                                       // for any worker

  alignas(64) std::atomic<int> searching{0};
  alignas(64) std::atomic<int> sleeping{0};
  alignas(64) std::atomic<bool> stopping{false};
  std::atomic<int> idle{0};  // workers that found nothing since `stopping`; all of them: the end
  std::atomic<std::int64_t> next_exposure_ns{0};

  /// Work has appeared that a sleeper could take: wakes one near `from` unless somebody there is searching already.
  void notify(const Worker* from) noexcept;
  /// Wakes this very worker if it is parked. \return whether it was.
  bool wake(Worker& worker) noexcept;
  void post(Worker& worker, ListedJob* job) noexcept;
  void post_shared(LockedQueue& queue, Group* near, ListedJob* job) noexcept;

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
  void make_rings(Worker& worker);
  void record();
  void stop();

  std::vector<std::unique_ptr<FiberPool>> pools_;  // [node + 1]; [0]: unbound workers, whose node is -1
  std::thread::id home_ = std::this_thread::get_id();
  bool home_bound_ = false;
  std::vector<int> home_cpus_;
};

}  // namespace charm::sched
