// Kernel: stochastic gradient descent for logistic regression, row by row, with replicas of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/sgd/exchange.hpp"
#include "workloads/sgd/replicas.hpp"
#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

/// How the workers that share a replica change it.
enum class Update : std::uint8_t {
  hogwild,  ///< each row at once, without locking: a worker may overwrite what another has just added
  locked,   ///< each row under the replica's lock, from the product to the last feature
  averaged  ///< a worker runs a block of rows on a copy, and moves the replica by its share of what the copy moved
};

struct DescentOptions {
  Replication replication = Replication::chiplet;
  Update update = Update::hogwild;
  int epochs = 500;                    ///< passes at most
  double target = 0;                   ///< stops at the first objective of at most this
  const Exchange* exchange = nullptr;  ///< with processes that have the other rows (Samples::all_rows)
  double step = 0;                     ///< the first; 0: the largest that is safe for the longest row
};

struct Descent {
  Array<float> model;
  double objective = 0;  ///< of the model, as the kernel computed it
  int epochs = 0;        ///< passes that were made
  std::size_t replicas = 0;
  double update_seconds = 0;  ///< of the passes that change the model, with averaging
  double loss_seconds = 0;    ///< of the passes that compute the loss
};

template <Executor E>
Descent descend(E& e, const Samples& samples, const DescentOptions& options);

}  // namespace charm::workloads
