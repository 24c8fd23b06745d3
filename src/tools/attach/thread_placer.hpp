// Places the threads of another program from outside. It finds the threads, tells workers from helpers, places the
// workers as the runtime places its own (binding/generation.hpp), and moves them when the controller decides so.
//
// - Within the plan: no thread is ever given a cpu outside of the plan, and every thread that is found has its mask
//   before step() returns. A new thread inherits the mask of the thread that created it, so a thread that is found
//   bound to another's core is first allowed all cpus of the plan (so are the threads of children that are not
//   followed).
// - A core each: as long as there are enough cores, no two workers share one, not even while they change from one
//   placement to the next (binding::ThreadBinder, as in the runtime). If there are more workers than cores, those of a
//   chiplet share its cores, and the kernel balances them: a thread, unlike a task, cannot be handed to a worker that
//   has a core.
// - The program's masks stay: masks that the program chose stay: a thread that has set one is left alone from then on.
//   So are threads that inherit it, also those of children that are not followed (tools/attach/mask_origin.hpp), and
//   the threads of a program that uses this library and so places its own.
// - restore() gives every thread the mask back that it came with, except the threads that are left alone.
// - Workers leave cores that other programs keep busy (lease/interference.hpp) if the plan has quieter ones for them,
//   at most once in five seconds.
// - One worker roams: while the program has at most one worker, all of its threads may run on all cpus of the plan,
//   because many pools count the cpus in the mask of the thread that creates them, which mostly is the one that is
//   busy.
// - A standing level without signals: without counters, and where the program does not say what it has done, a policy
//   that moves workers stands at the level that placement/standing.hpp gives for the memory that the program holds. A
//   program that tells its first number late, or none for a while, switches as soon as we notice. Where the kernel
//   would gather the workers as that level does (tools/attach/gathering.hpp), they are left to it.
// - Seldom where nothing can be missed: while no thread has less than all cpus of the plan, a new thread inherits the
//   right mask. If the system also announces new threads, so that none is missed, and the program has all cores that it
//   could have, so that the length of its queue changes nothing, new threads are searched for every 100 ms instead of
//   every 20 ms.
//
// The clock is an argument, and all of the system is behind the interface System.
#pragma once

#include <charm/decision.hpp>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "binding/generation.hpp"
#include "binding/thread_binder.hpp"
#include "controller/control_group.hpp"
#include "placement/claim.hpp"
#include "placement/standing.hpp"
#include "tools/attach/demand.hpp"
#include "tools/attach/mask_origin.hpp"
#include "tools/attach/other_load.hpp"
#include "tools/attach/plan.hpp"
#include "tools/attach/role.hpp"
#include "tools/attach/system.hpp"
#include "tools/attach/work_done.hpp"

namespace charm::attach {

/// Counts of what was done so far, for the summary.
struct Tally {
  std::size_t threads = 0;       ///< number of threads found
  std::size_t most_threads = 0;  ///< largest number of threads at a time
  std::size_t workers = 0;       ///< present number of workers
  std::size_t most_workers = 0;
  std::size_t processes = 0;   ///< number of processes that were followed
  std::size_t left_alone = 0;  ///< threads with a mask that the program chose, also in children that are not followed
  std::size_t placements = 0;  ///< how often the number of workers or the cpus changed
  std::size_t masks = 0;       ///< number of masks set
  std::size_t moves = 0;       ///< number of moves of workers from chiplet to chiplet
  std::size_t refused = 0;     ///< masks that the kernel refused
  std::size_t avoided = 0;     ///< number of placements made because other programs kept cores busy
  bool shared = false;         ///< there were more workers than cores
  bool steers_itself = false;  ///< the program uses this library, which places its workers
};

class ThreadPlacer {
 public:
  /// \param came_with the mask that the program would have without this object; restore() gives it back.
  /// \param attached whether the program ran before; then restore() gives each thread its own mask back.
  ThreadPlacer(System& system, AttachPlan plan, CpuSet came_with, bool attached, double now);

  /// Does what is due. \returns the time at which to call it again, at the latest.
  double step(double now);
  /// When the next search for new threads is due. From then on step() need not be called before System::announces() is
  /// readable.
  [[nodiscard]] double next_look() const { return next_look_; }
  /// Whether the latest search found anything new. A program that creates one process mostly creates more.
  [[nodiscard]] bool found_news() const { return found_news_; }
  /// The mask that the program would have by now without this object.
  void came_with(const CpuSet& cpus);
  /// Places the threads by another plan from now on.
  void use(AttachPlan plan, double now);
  /// What other programs do to the cpus of the plan.
  [[nodiscard]] OtherLoad& others() { return others_; }
  /// The most cores that the program could have; while its plan has as many, it may be looked at less often (seldom
  /// where nothing can be missed).
  void set_most_cores(int cores) { most_cores_ = cores; }
  /// Masks that the program was told to set (OMP_PLACES). A library that sets one of them has not chosen it.
  void expect(std::set<CpuSet> masks) { expected_masks_ = std::move(masks); }
  /// \param changed returns the cpus that cgroups grant, if they differ from those that the plan is based on.
  void explain_masks_by(std::function<std::optional<CpuSet>()> changed) { changed_grant_ = std::move(changed); }
  /// Is called with each thread that is left alone from now on (the program's masks stay).
  void at_left_alone(std::function<void(const ThreadId&)> tell) { at_left_alone_ = std::move(tell); }
  void restore();
  /// Whether no worker is on one of these cpus any more.
  [[nodiscard]] bool has_left(const CpuSet& cpus) const;

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const AttachPlan& plan() const { return plan_; }
  /// Whether there are more workers than cores; workers that went to sleep a moment ago count.
  [[nodiscard]] bool shares() const { return generation_ && generation_->shared; }
  [[nodiscard]] int workers() const { return static_cast<int>(tally_.workers); }
  /// Cores that it can use, with all its children.
  [[nodiscard]] int demand() const { return demand_.cores(); }
  /// Cpus that other programs keep busy.
  [[nodiscard]] const CpuSet& busy() const { return others_.busy(); }
  /// OS numbers of the nodes on which the workers are placed; empty where they are not.
  [[nodiscard]] OsNodeSet worker_nodes() const;
  /// Whether the kernel places the workers at present, on all cpus of the plan (a standing level without signals).
  [[nodiscard]] bool left_to_kernel() const { return left_to_kernel_; }
  [[nodiscard]] int spread() const;
  /// The spreads that the controller may choose from at present; if there is one only, there is nothing to decide.
  [[nodiscard]] std::vector<int> levels() const;
  [[nodiscard]] bool decides() const { return generation_ && generation_->control_group != nullptr; }
  [[nodiscard]] std::vector<Decision> decisions() const;
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  struct Row {
    ThreadId id;
    bool worker = false;
    CpuSet cpus;
    int chiplet = -1;
  };
  [[nodiscard]] std::vector<Row> rows() const;

 private:
  static constexpr double lively_s = 2;  // after the last change, windows are short
  static constexpr double before_all_time = -1;

  struct Member {
    Role role;
    CpuSet original, set;
    bool asked_anew = false;  // `set` may be what the kernel has made of another mask that we have asked for
    bool alone = false;       // the program's masks stay
    bool obeyed = false;      // it has set a mask that it was told
    int place = -1;           // the cpu of the mask that it was told, if it had it once
    bool gone = false;
    double found = 0;  // time
    std::optional<os::ThreadTime> last;
    double share = 0;  // of the latest window, in which it ran or was ready to
    int slot = -1;
    WorkerCore worker_core;
    std::unique_ptr<binding::ThreadBinder> binder;  // null until it is a worker for the first time
    std::unique_ptr<counters::ThreadCounters> counters;
    controller::Counts counted;  // the part of its totals that its slot already contains
  };
  struct Unfollowed {  // a thread of a child process that is not followed
    std::optional<os::ThreadTime> last;
    CpuSet set;
    bool alone = false;  // the program's masks stay
    double share = 0;
  };
  struct Slot {
    ThreadId thread;
    [[nodiscard]] bool taken() const { return thread.thread != 0; }
    controller::WorkerTotals totals;  // the sum over all threads that have had the slot in this placement generation
  };

  void refresh(double now);
  void welcome(const Found& found, double now);
  void meet(const Found& found, std::map<ThreadId, Unfollowed>& unfollowed);
  void forget(const ThreadId& id, double now) { origin_.gone(id.process, id.thread, now); }
  [[nodiscard]] bool is_ours(const Found& found, const CpuSet& mask) const;
  [[nodiscard]] bool granted_anew(const CpuSet& mask, const CpuSet& set) const;
  void leave_alone(const ThreadId& id, bool& alone, CpuSet& set, const CpuSet& mask);
  bool check_mask(const ThreadId& id, Member& member);
  void check_mask(const ThreadId& id, Unfollowed& unfollowed);
  void let_go(const ThreadId& id, Unfollowed& unfollowed, const CpuSet& cpus);
  void measure(double now);
  void avoid(double now);
  void assign(double now);
  void vacate(Slot& slot);
  void renew(double now);
  void keep_places();
  void make_control_group(double now);
  void look_for_counters();
  void stand(double now);
  [[nodiscard]] placement::Standing standing();
  void explain_standing();
  [[nodiscard]] bool stands_by_memory() const;
  [[nodiscard]] bool kernel_suffices();
  void apply(double now);
  void place_workers();
  void release_all();
  bool look_at_progress(double now);
  void record_counts(double now);
  void count(Slot& slot);
  bool counters_given_up();
  bool bind(const ThreadId& id, Member& member, const CpuSet& cpus);
  void unplace(const ThreadId& id, Member& member, const CpuSet& cpus);
  [[nodiscard]] bool steers_itself(const ThreadId& id);
  /// One worker roams.
  [[nodiscard]] bool serial() const { return tally_.workers < 2; }
  [[nodiscard]] CpuSet helper_cpus() const;
  [[nodiscard]] bool all_unbound() const;
  [[nodiscard]] double look_seconds() const;

  System& system_;
  AttachPlan plan_;
  CpuSet came_with_;
  const bool attached_;
  const double started_;
  placement::CpuClaims claims_;
  std::map<ThreadId, Member> members_;
  std::set<int> self_steered_;  // processes that use this library
  std::map<ThreadId, Unfollowed> unfollowed_;
  std::set<int> processes_;
  MaskOrigin origin_;
  std::set<CpuSet> expected_masks_;
  std::function<std::optional<CpuSet>()> changed_grant_;
  std::function<void(const ThreadId&)> at_left_alone_;
  double now_;  // of the call that is being answered
  std::vector<Slot> slots_;
  std::unique_ptr<binding::PlacementGeneration> generation_;
  std::vector<Decision> past_;  // decisions of earlier control groups
  bool waits_ = false;          // some worker has not got its core yet
  bool first_look_ = true;
  int silent_ticks_ = 0;
  bool given_up_ = false;  // its threads had counters, which told nothing or cost too much
  bool found_news_ = false;
  int most_cores_ = std::numeric_limits<int>::max();
  double next_look_ = 0, looked_at_ = before_all_time, next_window_ = 0, next_tick_ = 0, last_window_ = 0,
         lively_until_ = 0, idle_core_since_ = -1;
  DemandOfProgram demand_;
  OtherLoad others_;
  double next_stand_ = 0;
  placement::Standing standing_, seen_standing_;  // the present one, and that of the latest look at its memory
  bool uncounted_ = false;                        // there are no counters of its threads
  WorkDone work_;
  bool left_to_kernel_ = false;
  bool standing_explained_ = false;  // trouble_ says that nothing tells how fast it is
  int next_binder_ = 0;
  Tally tally_;
  std::string trouble_;
};

}  // namespace charm::attach
