#include "tools/sim/compare.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "tools/base/parallel.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/policies/all.hpp"
#include "tools/sim/steady.hpp"

namespace charm::sim {
namespace {

std::set<int> sizes(const Machine& machine) {
  const int cores = static_cast<int>(machine.cores.size());
  const int socket = cores / std::max(1, static_cast<int>(machine.sockets.size()));
  const int chiplet = static_cast<int>(machine.chiplets.front().cores.size());
  return {std::max(1, std::min(chiplet, socket / 4)), std::max(1, socket / 2), cores};
}

Comparison compare(const Model& model, const std::string& spec, int workers, const RunOptions& options,
                   const std::string& controller) {
  Comparison out;
  out.machine = model.name;
  out.workload = spec;
  out.workers = workers;
  const Workload work = workload(spec, workers);
  const SimulationPlan plan = plan_for(controller, model, work, workers);
  SteadyStates states(model, work, plan, options.backend, options.seed);
  double seconds = 0;
  for (const Phase& phase : work.phases) seconds += phase.seconds;
  const auto efficiency_of = [&](SteadyStates& of, std::size_t level) {
    double efficiency = 0;
    for (std::size_t p = 0; p < work.phases.size(); ++p)
      efficiency += work.phases[p].seconds / seconds * of.at(p, level).operations_per_s / states.best(p);
    return efficiency;
  };
  out.levels = static_cast<int>(plan.placement.levels.size());
  for (std::size_t level = 0; level < plan.placement.levels.size(); ++level) {
    const double efficiency = efficiency_of(states, level);
    if (efficiency > out.best) {
      out.best = efficiency;
      out.best_level = plan.placement.levels[level];
    }
  }
  out.any = out.best;
  std::vector<placement::Placement> others{placed("numa", model, workers)};
  if (model.machine.sockets.size() > 1)
    others.push_back(placed("local", model, workers, placement::SocketOrder::balance));
  for (auto& other : others) {
    SimulationPlan still;
    still.placement = std::move(other);
    SteadyStates there(model, work, still, options.backend, options.seed);
    for (std::size_t level = 0; level < still.placement.levels.size(); ++level)
      out.any = std::max(out.any, efficiency_of(there, level));
  }
  out.controller = run(model, spec, controller, workers, options).efficiency;
  return out;
}

}  // namespace

std::vector<Comparison> compare_controller(const std::vector<std::string>& machines,
                                           const std::vector<std::string>& workloads, const RunOptions& options,
                                           const std::string& controller, int jobs) {
  struct Piece {
    std::size_t machine;
    int workers;
    const std::string* workload;
  };
  std::vector<Model> models;
  std::vector<Piece> pieces;
  for (const auto& name : machines) {
    models.push_back(model(name));
    for (const int workers : sizes(models.back().machine)) {
      for (const auto& spec : workloads) pieces.push_back({models.size() - 1, workers, &spec});
    }
  }
  std::vector<Comparison> all(pieces.size());
  base::for_each_piece(pieces.size(), jobs, [&](std::size_t i) {
    const Piece& piece = pieces[i];
    all[i] = compare(models[piece.machine], *piece.workload, piece.workers, options, controller);
  });
  const auto key = [](const Comparison& c) { return std::tuple(c.ratio(), c.machine, c.workload, c.workers); };
  std::sort(all.begin(), all.end(), [&](const Comparison& a, const Comparison& b) { return key(a) < key(b); });
  return all;
}

}  // namespace charm::sim
