// A controller's decision and its reason: the record that answers "why did it move?" (CHARM §4.1-4.2,
// docs/controller.md).
#pragma once

#include <charm/detail/requirements.hpp>

#include <string>

namespace charm {

/// One change of the spread or of the number of workers that run (the setting width), with the measurements on which it
/// is based, its reason and its outcome.
struct Decision {
  double time = 0;        ///< seconds since init() (in a model: since its start)
  int control_group = 0;  ///< the control group whose workers moved; in the runtime always 0
  int from = 0;           ///< chiplets before
  int to = 0;             ///< chiplets after
  double throughput =
      0;  ///< work per second before, in the unit that docs/design/controller.md describes under "Signals"
  double stall_other_chiplet = -1;  ///< share of busy time spent on other chiplets' caches; -1 without counters
  double stall_dram = -1;           ///< share of busy time spent on memory; -1 without counters
  std::string reason = {};          ///< why it moved
  std::string outcome = {};         ///< whether it was kept and what it changed; empty until that is known
  std::string region = {};          ///< the charm::region that it was made in; empty outside of regions
  int workers_from = 0;             ///< workers that ran before; 0: their number was not changed
  int workers_to = 0;               ///< and after
};

/// One aligned line for logs: time, control group, levels, signals, reason, outcome.
[[nodiscard]] std::string to_string(const Decision& decision);

/// The same as a sentence for people: "At 4.58 s the workers spread from 1 to 2 chiplets because ...".
[[nodiscard]] std::string explain(const Decision& decision);

/// One tick of the controller: the spread of the workers and the measurements. In a long run neighbouring ticks are
/// merged.
struct TimelinePoint {
  double time = 0;                  ///< seconds since init(), at the end of the interval
  double seconds = 0;               ///< length of the interval
  int spread = 0;                   ///< number of chiplets used during it
  double throughput = 0;            ///< work per second; 0 where nothing was counted
  double stall_other_chiplet = -1;  ///< as in Decision
  double stall_dram = -1;           ///< as in Decision
  double idle = 0;                  ///< share of the workers' time outside of tasks, of those that did not rest
  int workers = 0;                  ///< number of workers that did not rest
};

}  // namespace charm
