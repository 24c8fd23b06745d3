// The objective of logistic regression, F(w) = 1/n sum of log(1 + exp(-y x.w)) + lambda/2 |w|^2, and its gradient, each
// one pass over all rows. In single precision they are kernels whose throughput is measured (CHARM §5.5, Fig. 11: loss
// and gradient); in double precision they are what the kernels' answers are checked against.
#pragma once

#include <vector>

#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

/// The mean loss without lambda's term. \param models the model that each worker reads, features long.
template <Executor E>
double mean_loss(E& e, const Samples& samples, const std::vector<const float*>& models);

/// The gradient of F in single precision: each worker sums the rows that it runs, then the sums are added.
template <Executor E>
Array<float> gradient(E& e, const Samples& samples, const Array<float>& model);

/// F in double precision, and its gradient if that is not null. It shares no loop with the kernels.
template <Executor E>
double exact_objective(E& e, const Samples& samples, const std::vector<double>& model, std::vector<double>* gradient);

/// lambda/2 |w|^2
double penalty(const Samples& samples, const Array<float>& model);

}  // namespace charm::workloads
