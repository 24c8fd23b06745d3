#include "tools/sim/steady.hpp"

#include <algorithm>

#include "tools/sim/generator.hpp"
#include "tools/sim/tasks.hpp"

namespace charm::sim {

const Workload& SteadyStates::workload_of(std::size_t workers) {
  if (workers == plan_.placement.start().size()) return workload_;
  const auto [found, is_new] = narrow_.try_emplace(workers);
  if (is_new) found->second = workload(workload_.name, static_cast<int>(workers));
  return found->second;
}

const Rates& SteadyStates::at(std::size_t phase, std::size_t row) {
  auto [found, is_new] = known_.try_emplace({phase, row});
  if (is_new) {
    const auto& cores = plan_.placement.worker_cores[row];
    const Phase& p = workload_of(cores.size()).phases[phase];
    const Job job{&model_, cores, &p, plan_.habits};
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
