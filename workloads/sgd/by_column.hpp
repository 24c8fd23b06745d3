// Kernel: coordinate descent for logistic regression, feature by feature.
#pragma once

#include "workloads/sgd/columns.hpp"
#include "workloads/sgd/sgd.hpp"

namespace charm::workloads {

/// Of the options it takes the target and the number of epochs.
template <Executor E>
Descent descend_by_column(E& e, const Samples& samples, const SampleColumns& columns, const DescentOptions& options);

}  // namespace charm::workloads
