// sgd: stochastic gradient descent for logistic regression (CHARM §5.5): samples are read in order, each worker its
// part, and the model is read and changed with each of them. The model may be one, or one for each node or core
// (DimmWitted); what that does to convergence is not modelled.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter sgd_parameters[] = {
    {"samples", 10000, "samples", 1, 1e+09},
    {"features", 8192, "features of a sample, 8 bytes each", 8, 1e+09},
    {"updates", 0.1, "share of the model's lines that a sample changes", 0, 1},
    {"copies", 10, "how often the samples are stored (10: CHARM's 6,250 MB)", 1, 1e+06},
};

Workload make_sgd(const Arguments& a, int workers) {
  const double sample = a["features"] * 8, data = sample * a["samples"] * a["copies"];
  const double lines = sample / line_bytes;
  Phase phase;
  phase.components = {
      {"samples", Component::Order::sweep, Component::Reach::own, data / workers, lines, 0, 1, {}, false},
      {"model", Component::Order::sweep, Component::Reach::shared, sample, lines, a["updates"], 0.5, {}, true}};
  phase.compute_ns = a["features"] * 0.25;
  phase.instructions = a["features"] * 3;
  phase.task_operations = 4;
  return steady("sgd", "samples", phase);
}

}  // namespace

constinit const Generator sgd_generator{"sgd", "logistic regression by stochastic gradient descent", sgd_parameters,
                                        make_sgd};

}  // namespace charm::sim
