// The steady states of a plan, each computed once: the rate of every worker in a phase at a level. A row of the
// placement that was added with fewer cores than there are workers is a narrow width: the others rest, and those that
// run divide the data among themselves.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tools/sim/backend.hpp"
#include "tools/sim/simulated_policy.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {

class SteadyStates {
 public:
  SteadyStates(const Model& model, const Workload& workload, const SimulationPlan& plan, Backend backend,
               std::uint64_t seed)
      : model_(model), workload_(workload), plan_(plan), backend_(backend), seed_(seed) {}

  /// \param row of the placement's worker_cores; those of the levels come first.
  const Rates& at(std::size_t phase, std::size_t row);

  /// Operations per second of the phase at its best level.
  double best(std::size_t phase);

  /// Over all states that the line-granular back-end has computed: the coarsest sample (one line in so many) and the
  /// largest standard error of the share that memory served.
  [[nodiscard]] double sampling() const { return sampling_; }
  [[nodiscard]] double error() const { return error_; }

 private:
  const Workload& workload_of(std::size_t workers);

  const Model& model_;
  const Workload& workload_;
  const SimulationPlan& plan_;
  Backend backend_;
  std::uint64_t seed_;
  double sampling_ = 1, error_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, Rates> known_;
  std::map<std::size_t, Workload> narrow_;  // by the number of workers that run
};

}  // namespace charm::sim
