#include "tools/sim/steady.hpp"

#include <algorithm>

#include "tools/sim/tasks.hpp"

namespace charm::sim {

const Rates& SteadyStates::at(std::size_t phase, std::size_t level) {
  auto [found, is_new] = known_.try_emplace({phase, level});
  if (is_new) {
    const Job job{&model_, plan_.placement.worker_cores[level], &workload_.phases[phase], plan_.habits};
    LinesOptions options;
    options.seed = seed_;
    Mixes mixes;
    if (backend_ == Backend::lines) {
      LinesResult played = line_mixes(job, options);
      sampling_ = std::max(sampling_, played.sampling);
      error_ = std::max(error_, played.error);
      mixes = std::move(played.mixes);
    } else {
      mixes = analytic_mixes(job);
    }
    Rates rates = rates_of(job, mixes);
    const Phase& p = workload_.phases[phase];
    if (p.step_operations > 0) {
      double ns = 0;
      for (const auto& worker : rates.workers)
        ns += worker.ns_per_operation / static_cast<double>(rates.workers.size());
      const double overhead = step_overhead_ns(model_, job.worker_cores, p.step_operations / p.task_operations,
                                               ns * p.task_operations, plan_.stealing, seed_);
      rates = rates_of(job, mixes, overhead);
    }
    found->second = std::move(rates);
  }
  return found->second;
}

double SteadyStates::best(std::size_t phase) {
  double best = 0;
  for (std::size_t level = 0; level < plan_.placement.levels.size(); ++level) {
    best = std::max(best, at(phase, level).operations_per_s);
  }
  return best;
}

}  // namespace charm::sim
