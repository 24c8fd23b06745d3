// Advice for a workload on a machine: on few chiplets or on many, on how many, and in how many instances to run a
// program that divides its data (a query engine's workers, a server's processes). OLAP on chiplets §4.4-4.5 gives the
// guidance; here each choice is simulated, and the reason is the model's result.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/model.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {

struct Question {
  int workers = 0;            // 0: a core each
  double working_set_mb = 0;  // MiB of all workers together that is touched again and again
  double sharing = 0;         // share of the accesses that go to data which all workers touch
  double writes = 0.1;        // share of the accesses that write
  double bandwidth_gb_per_s =
      0;  // bandwidth that all workers together would use without any limit; 0: as much as they can
};

struct Choice {
  std::string name;       // "2 chiplets", "an instance a chiplet"
  int count = 1;          // chiplets, instances, or workers
  double throughput = 0;  // relative to the best choice of its kind
  Fills fills{};          // shares of the accesses by source
};

struct Advice {
  std::string placement;  // "local" or "mixed"
  int chiplets = 1;
  std::string instances;  // "machine", "node", "chiplet" or "core"
  int instance_count = 1;
  int workers = 1;
  /// The fewest workers that do as much as any number of them, each number on as many chiplets as suit it best.
  int enough_workers = 1;
  std::vector<Choice> levels, divisions;
  std::vector<Choice> widths;        ///< powers of two and `workers`; the count is the number of workers
  std::vector<std::string> reasons;  // one sentence each
};

/// \throws Error (bad_config, too_many_workers).
Advice advise(const Model& model, const Question& question);

}  // namespace charm::sim
