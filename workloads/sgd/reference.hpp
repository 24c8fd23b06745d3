// The reference solution that a descent is judged by: the minimum of the objective, by L-BFGS over full gradients in
// double precision, with a certificate. F is strongly convex with lambda, so F(w) - F* <= |gradient|^2 / (2 lambda):
// the iteration stops when that bound is small and not after a number of steps.
#pragma once

#include <vector>

#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

struct Reference {
  std::vector<double> model;
  double objective = 0;  ///< F of the model
  double gap = 0;        ///< the least possible F is no further below than this
  int passes = 0;        ///< gradients that it took
};

/// \param gap how far from the minimum it may stop, as a share of what can be gained: F(0) - F. If `most` passes do not
/// reach that, the result's gap says how far they came.
template <Executor E>
Reference solve_reference(E& e, const Samples& samples, double gap = 1e-3, int most = 2000);

}  // namespace charm::workloads
