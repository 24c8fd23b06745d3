// A placement generation: the cpus that may be used, the cores that the threads have on them, and the control group
// that chooses among the placement's levels. A change of the cpus or of the number of threads makes a new generation;
// threads change to it one by one (binding/thread_binder.hpp).
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <memory>
#include <string>
#include <vector>

#include "controller/control_group.hpp"
#include "placement/placement.hpp"

namespace charm::binding {

struct PlacementGeneration {
  int number = 0;
  CpuSet cpus;                     // cpus that may be used
  placement::Placement placement;  // ids are those of the machine that the threads were placed on first
  int placed = 0;                  // workers with a cpu of their own: 0 .. placed-1
  bool shared = false;             // more workers than cores take turns on them
  std::unique_ptr<controller::ControlGroup>
      control_group;     // null if there is one level, or the policy does not move workers
  std::string fallback;  // why the placement is "local" and not that of the policy; empty: it is that of the policy

  [[nodiscard]] int spread() const {
    return control_group ? control_group->spread() : placement.levels[static_cast<std::size_t>(placement.initial)];
  }
  /// The spread by which this worker is placed.
  [[nodiscard]] int spread_of(int worker) const { return control_group ? control_group->spread_of(worker) : spread(); }
  /// The core of a worker; nullptr if it has none and rests.
  [[nodiscard]] const WorkerCore* worker_core(int worker, int spread) const {
    return worker < placed || shared ? &placement.lookup(worker, spread) : nullptr;
  }
};

struct GenerationRequest {
  const Machine& machine;
  std::string spec;              // the policy, as controller::placement_for takes it
  placement::Request placement;  // share_cores: workers beyond the number of cores take turns instead of having none
  CpuSet cpus;                   // cpus that may be used
  CpuSet preferred;              // cpus among them to be used if they suffice; empty: no preference
  std::vector<WorkerCore> home;  // by worker: the core whose chiplet and node stand in for those of unlisted cpus
};

/// Places the workers on the part of the machine that `cpus` leave. Ids are the machine's. If the machine does not list
/// a cpu that is allowed now, WorkerCore::core is -1, and the cpu counts as on the chiplet and node of the worker's
/// core in `home`. A policy that refuses the preferred cpus alone gets all of them; one that refuses these as well (as
/// the literal Algorithm 2 does on some machines) is replaced by "local".
/// \returns a generation without a number and without a control group.
PlacementGeneration make_generation(const GenerationRequest& request);

/// Whether there is anything to decide: more than one level, and a policy that may move workers; or the width.
bool has_choice(const std::string& spec, const placement::Placement& placement, bool width = false);

/// The control group that chooses among the levels of a placement; null where there is no choice. \param only_regions
/// as in ControlGroup. \param width whether it also chooses how many of the workers run.
std::unique_ptr<controller::ControlGroup> make_control_group(const std::string& spec, const Machine& machine,
                                                             const placement::Placement& placement, double now,
                                                             bool only_regions = false, bool width = false);

}  // namespace charm::binding
