// Connects the workers with the controller: workers store their counts, make decisions, and move themselves (CHARM
// §4.1-4.3, §4.6).
//
// At boundaries of the program (between two jobs, at a yield, between chunks of a loop) a worker reads the clock once
// in a while. Every few milliseconds it stores its counts, makes a decision if one is due, and moves to the core that
// the spread gives it. No thread is started for this, and no worker is stopped: a worker inside a long function moves
// when it leaves the function.
//
// - One claim per core: The cores of one placement generation are disjoint (docs/design/placement.md), and a worker
//   changes to the next generation through its ThreadBinder, so no two workers are bound to one core (unless
//   share_cores asks for it). The setting bind widens the mask to the chiplet or node of that cpu, as far as it is
//   allowed; the claim stays.
// - Workers bind themselves: Every worker binds itself, on the thread that runs it; each of worker 0's two threads does
//   so when it takes over. A thread's knowledge of its mask is as old as the last time it read the mask, so in a new
//   placement generation the thread reads it again before it relies on it. The guest, the thread that called init(),
//   has its own mask while it is outside (the setting caller_mask). It is bound when it arrives on a cpu that is not
//   the worker's, or has worked for a millisecond, so that a short run() makes no system call. It gets its mask back
//   when it leaves, unless somebody else has set its mask meanwhile.
// - A generation in use stays: A placement generation that a worker reads is not freed: the worker names it in
//   `WorkerControl::looking`, and then checks again that it is still the current one.
#pragma once

#include <charm/decision.hpp>
#include <charm/id_set.hpp>
#include <charm/stats.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "binding/generation.hpp"
#include "binding/thread_binder.hpp"
#include "counters/source.hpp"
#include "os/threads/cpu_watch.hpp"
#include "os/threads/schedstat.hpp"
#include "placement/claim.hpp"
#include "sched/control/decision_records.hpp"
#include "sched/control/meter.hpp"
#include "sched/control/open_regions.hpp"

namespace charm::sched {

class Runtime;
class Worker;
using binding::PlacementGeneration;

/// Why a worker runs only what is sent to it: it keeps its cpu, but fewer are faster; or it has none. One value, so
/// that nobody sees one without the other.
enum class Rest : std::uint8_t { none, by_width, no_cpu };

/// Control state of one worker. Except for the atomics it belongs to the thread that has the worker's slot.
struct WorkerControl {
  WorkerControl(KindCosts& costs, placement::CpuClaims& claims, int worker) : meter(costs), binder(claims, worker) {}
  Meter meter;
  Cadence jobs, chunks;
  double next_poll = 0;   // 0: at the next boundary, because something is left to do
  int placed = 0;         // placement generation in which it has found its core last
  struct Mask {           // what the mode binds it to
    int generation = -1;  // the placement generation of the core
    WorkerCore worker_core;
    bool shared = false;  // whether other workers use the core in turns
    bool loose = false;   // whether it may use its whole chiplet for a while
    CpuSet cpus;          // empty: it is not bound
    CpuSet floating;      // while the core is still another's
  } mask;
  binding::ThreadBinder binder;
  /// The state of one thread that runs the worker: its own, or the guest of worker 0.
  struct Thread {
    std::unique_ptr<counters::ThreadCounters> counters;
    counters::Reading last;
    double next_reading = 0;
    os::ThreadMask mask;
    std::optional<CpuSet> own_mask;          // of a guest that has been bound: the mask that it gets back
    int checked = -1;                        // placement generation in which the mask was seen to be the right one
    double next_look = 0;                    // time of the next check of the allowed cpus
    std::unique_ptr<os::ThreadClock> clock;  // where the width is chosen: how long it waits for its cpu
    double waited = 0;                       // s
    os::ThreadTime seen{};                   // when it was last asked whether others keep it off its core
    double next_seen = 0;
    std::uint64_t arrived = 0;  // ticks at which it last arrived and read the time
    double floats_until = 0;    // time of the poll that it has asked for, which is to bind it
    int memory_node = -2;       // the node in its memory policy; -2: none yet, -1: the policy must not be changed
  } own, guest;
  double loose_until = 0;  // others keep it off its core: until then it may use its chiplet
  std::atomic<const PlacementGeneration*> looking{nullptr};
  double outside_work = 0;  // work of threads outside that this worker has passed on
  std::atomic<Rest> rest{Rest::none};
  std::atomic<int> narrow{-1};        // the generation in which it is to rest by the width; written by leaders
  std::atomic<bool> narrowed{false};  // whether it was when the worker last followed
  // The generation that it followed last; its parking thread reads it when a guest may have the worker.
  std::atomic<int> generation{0};
};

class Steering {
 public:
  /// What the runtime of an arena has from the process's: the mask that the process came with, the cpus that it was
  /// made for, and those of them that it may use now.
  struct Share {
    CpuSet came_with, given, cpus;
  };
  /// \param cpus null if the machine is not this one: then no thread is bound, and no change is watched.
  Steering(Runtime& runtime, std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source,
           std::optional<Share> share = {});
  ~Steering();
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  /// Whether there is a controller that may move workers.
  [[nodiscard]] bool decides() const { return decides_; }
  /// Whether the workers' threads are bound to cpus of this machine.
  [[nodiscard]] bool binds() const { return cpus_ != nullptr; }

  // The worker's side; on the thread that runs it.
  void start(Worker& worker);                                        ///< before its first job
  void stop(Worker& worker);                                         ///< after its last, on its own thread
  int boundary(Worker& worker) noexcept;                             ///< \return jobs until the next call
  int chunk(Worker& worker) noexcept;                                ///< the same between chunks of a loop
  [[nodiscard]] bool has_news(const Worker& worker) const noexcept;  ///< the allowed cpus changed since its last poll
  [[nodiscard]] bool in_doubt(const Worker& worker) const noexcept;  ///< has_news(), or its thread has not its cpu yet
  [[nodiscard]] Rest rest(const Worker& worker) const noexcept {
    return control(worker).rest.load(std::memory_order_seq_cst);
  }
  /// Who rests from now on in a placement generation, by the width; told by the controller, and by tests. \param rests
  /// by worker; empty: nobody. Worker 0 must not.
  void set_resting(int generation, std::span<const char> rests) noexcept;
  /// Whether it is the one of those that the width lets rest that looks, once in a tick, whether the others still work:
  /// a long function, or one that waits for a worker that rests, makes no decision.
  [[nodiscard]] bool watches(const Worker& worker) const noexcept;
  [[nodiscard]] bool anybody_rests() const noexcept { return resting_.load(std::memory_order_seq_cst) > 0; }
  void slept(Worker& worker) noexcept;  ///< after a sleep: checks for news
  /// On a thread that has just taken the worker over. \param ticks the time on the worker's clock; 0: not known.
  void arrive(Worker& worker, std::uint64_t ticks = 0) noexcept;
  void leave_guest() noexcept;               ///< on the guest's thread, which has given the worker back
  void begin_work(Worker& worker) noexcept;  ///< from searching to running
  /// From running to searching. \param now_ns base::monotonic_ns()
  void end_work(Worker& worker, std::int64_t now_ns) noexcept;
  static void count(Worker& worker, const void* kind, double n) noexcept;
  /// What count() adds to; null: nothing has to be counted.
  [[nodiscard]] Meter* meter(const Worker& worker) const { return decides_ ? &control(worker).meter : nullptr; }

  // Any thread may call these.
  void add_work(double units) noexcept { outside_work_.fetch_add(units, std::memory_order_relaxed); }
  long enter_region(std::string_view name);
  void leave_region(long ticket);
  /// Those that are recorded, and those whose outcome is not known yet.
  [[nodiscard]] std::vector<Decision> decisions() const;
  [[nodiscard]] DecisionRecords& records() { return records_; }
  /// The kinds of work with their costs, by which the controller weighs work; empty if there is no controller.
  [[nodiscard]] std::vector<TaskTypeStats> task_types() const;
  [[nodiscard]] CpuSet allowed_cpus() const;
  [[nodiscard]] std::vector<WorkerCore> worker_cores() const;  ///< the core of each worker now; cpu -1 where it rests
  [[nodiscard]] int running_workers() const noexcept;          ///< those that do not rest
  [[nodiscard]] int generation() const;                        ///< how often the allowed cpus changed
  /// The affinity mask that the process has been given from outside (os::AllowedCpus).
  [[nodiscard]] CpuSet wanted_cpus() const;
  /// Restricts the workers to those of these cpus that the process may use; to all allowed cpus if none is left. Those
  /// of an arena keep to the cpus that it was made for, if one of them is leased. Any thread.
  void lease(const CpuSet& cpus);
  /// What lease() was told last; nothing: the runtime leases no cores.
  [[nodiscard]] std::optional<CpuSet> leased() const;
  /// Whether no worker can be on one of these cpus any more.
  [[nodiscard]] bool has_left(const CpuSet& cpus) const;
  /// Restores mask and memory policy of the thread that was worker 0's guest, which calls it.
  void release_guest() noexcept;

 private:
  WorkerControl& control(const Worker& worker) const;
  WorkerControl::Thread& thread(const Worker& worker) const;
  [[nodiscard]] double now() const noexcept;
  [[nodiscard]] double at(std::int64_t ns) const noexcept;
  void poll(Worker& worker, WorkerControl& control, double now) noexcept;
  void record_counts(Worker& worker, WorkerControl& control, const PlacementGeneration& generation, double now,
                     int& spread) noexcept;
  void look(Worker& worker, WorkerControl& control, double now);
  void watch_others(WorkerControl& control, WorkerControl::Thread& thread, double now);
  void use(const CpuSet& allowed, double now);
  void renew(const CpuSet& cpus, double now, const std::string& why);
  void follow(Worker& worker, WorkerControl& control, const PlacementGeneration& generation, int spread);
  void place(Worker& worker, WorkerControl& control, const PlacementGeneration& generation,
             const WorkerCore& worker_core);
  void lose_cpu(Worker& worker, WorkerControl& control, const PlacementGeneration& generation);
  void let_rest(WorkerControl& control, Rest rest) noexcept;
  double waited(WorkerControl& control, WorkerControl::Thread& thread, double now) noexcept;
  const WorkerControl::Mask& mask_of(WorkerControl& control, const WorkerCore& worker_core,
                                     const PlacementGeneration& generation) const;
  bool bind(WorkerControl::Thread& thread, const CpuSet& cpus);
  void give_mask_back(WorkerControl::Thread& guest);
  bool surprised(Worker& worker, WorkerControl& control);
  void place_memory(WorkerControl::Thread& thread, const WorkerCore& worker_core);
  std::unique_ptr<controller::ControlGroup> make_control_group(const placement::Placement& placement, double now,
                                                               int generation);
  void consider_counters(double period);

  Runtime& runtime_;
  std::unique_ptr<os::CpuWatch> cpus_;
  std::unique_ptr<counters::Source> source_;
  bool decides_ = false;
  bool widths_ = false;   // whether the controller also chooses how many workers run
  double pause_ = 0;      // least time between two readings of a worker's counters
  double interval_;       // between two polls of a worker
  double look_interval_;  // between two looks at the allowed cpus; 0: never
  const double started_;
  const CpuSet came_with_;  // the mask of the thread that called init(), and so of its workers' at first
  KindCosts costs_;
  placement::CpuClaims claims_;
  std::vector<std::unique_ptr<WorkerControl>> controls_;
  std::atomic<double> outside_work_{0};
  std::atomic<int> resting_{0};
  std::atomic<int> watcher_{-1};  // worker; -1: none

  std::atomic<const PlacementGeneration*> current_{nullptr};
  std::atomic<int> generation_number_{0};

  mutable std::mutex mutex_;  // guards the seven below; workers only try it, but for their first look
  std::vector<std::unique_ptr<PlacementGeneration>> generations_;
  os::AllowedCpus allowed_;
  std::optional<CpuSet> granted_;
  CpuSet usable_;                 // cpus that the process may use, leased or not
  std::optional<CpuSet> leased_;  // leased cpus; nothing: the runtime leases no cores
  std::optional<CpuSet> given_;   // of an arena: the cpus that it was made for
  double next_granted_ = 0;
  OpenRegions regions_;

  DecisionRecords records_;  // taken after mutex_ and a control group's own lock
};

}  // namespace charm::sched
