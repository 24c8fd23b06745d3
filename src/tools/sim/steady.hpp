// The steady states of a plan, each computed once: the rate of every worker in a phase at a level.
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

  const Rates& at(std::size_t phase, std::size_t level);

  /// Operations per second of the phase at its best level.
  double best(std::size_t phase);

  /// Over all states that the line-granular back-end has computed: the coarsest sample (one line in so many) and the
  /// largest standard error of the share that memory served.
  [[nodiscard]] double sampling() const { return sampling_; }
  [[nodiscard]] double error() const { return error_; }

 private:
  const Model& model_;
  const Workload& workload_;
  const SimulationPlan& plan_;
  Backend backend_;
  std::uint64_t seed_;
  double sampling_ = 1, error_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, Rates> known_;
};

}  // namespace charm::sim
