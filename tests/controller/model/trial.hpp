// One run of a controller against the model, and what came of it.
#pragma once

#include "controller/controller.hpp"
#include "controller/model/machine_model.hpp"

namespace charm::controller::model {

struct Trial {
  std::string controller = "adaptive";
  int start = 0;  // spread; 0: where the placement starts
  placement::SocketOrder sockets = placement::SocketOrder::fill;
  double warm_up_s = 180, measured_s = 120;
  Model::Options options;
};

struct Outcome {
  double efficiency = 0;   // against the best level of each phase, after the warm-up
  double best_static = 0;  // of any one level, on the same scale
  double moves_per_minute = 0;
  double learning = 0;      // efficiency during the warm-up
  std::vector<int> visits;  // ticks at each level, after the warm-up
  std::vector<Decision> decisions;
};

inline Outcome run(const Machine& machine, int workers, const std::vector<Model::Step>& program, const Trial& trial) {
  placement::Placement placement =
      placement_for(trial.controller, machine, {.workers = workers, .sockets = trial.sockets, .spread = trial.start});
  using placement::SocketOrder;
  const SocketOrder widest = trial.sockets == SocketOrder::widen ? SocketOrder::widen : SocketOrder::fill;
  placement::Placement family = placement_for("adaptive", machine, {.workers = workers, .sockets = widest});
  Model model(machine, placement, family, program, trial.options);
  auto steering = make_controller(trial.controller, setup_for(machine, placement, Traits{}));
  model.move_to(steering->spread());
  Outcome outcome;
  outcome.best_static = Model(machine, family, family, program, {}).best_static();
  outcome.visits.resize(placement.levels.size());
  const double period = std::min(steering->period(), 0.05);
  std::mt19937 random(trial.options.seed);
  // A leader comes by a little late, so ticks and phases stand in no fixed ratio.
  auto late = [&] { return std::uniform_real_distribution<double>(1, 1.1)(random); };
  auto phase = [&](double seconds, bool counted) {
    double done = model.done(), time = 0;
    int moves = model.moves();
    for (double tick = 0; time < seconds; time += tick) {
      tick = period * late();
      model.move_to(steering->tick(model.run(tick)));
      if (counted) ++outcome.visits[static_cast<std::size_t>(placement.level_index(steering->spread()))];
    }
    if (counted) outcome.moves_per_minute = (model.moves() - moves) / time * 60;
    return (model.done() - done) / time;
  };
  outcome.learning = phase(trial.warm_up_s, false);
  outcome.efficiency = phase(trial.measured_s, true);
  outcome.decisions.assign(steering->log().entries().begin(), steering->log().entries().end());
  return outcome;
}

}  // namespace charm::controller::model
