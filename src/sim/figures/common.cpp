#include "sim/figures/all.hpp"
#include "sim/generator.hpp"

namespace charm::sim {

Rates plain_rates(const Model& model, const placement::Placement& placement, const std::string& spec) {
  const Workload work = workload(spec, static_cast<int>(placement.start().size()));
  Job job{&model, placement.start(), &work.phases.front(), {}};
  job.habits.roam = Domain::worker;
  job.habits.tree_barrier = false;
  return rates_of(job, analytic_mixes(job));
}

RunResult settled(const Model& model, const std::string& spec, const std::string& policy, int workers) {
  RunOptions options;
  options.warm_up = 60;
  options.seconds = 60;
  return run(model, spec, policy, workers, options);
}

}  // namespace charm::sim
