#include "sim/steady.hpp"

#include <algorithm>

namespace charm::sim {

const Rates& SteadyStates::at(std::size_t phase, std::size_t level) {
  auto [found, is_new] = known_.try_emplace({phase, level});
  if (is_new) {
    const Job job{&model_, plan_.placement.seats[level], &workload_.phases[phase], plan_.habits};
    LinesOptions options;
    options.seed = seed_;
    found->second = rates_of(job, backend_ == Backend::lines ? line_mixes(job, options).mixes : analytic_mixes(job));
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
