// Generated samples of a logistic regression that has a true model. Every value is a function of the seed and its
// position (random.hpp), so that the samples are the same for any runtime and number of workers.
#pragma once

#include <cstdint>

#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

struct SampleOptions {
  std::int64_t rows = 10000;     ///< 2 to 2^31 - 1
  std::int64_t features = 8192;  ///< 1 to 2^31 - 1
  double density = 1;  ///< share of the features that each row has, above 0; below 1 the samples are stored sparse
  std::uint64_t seed = 1;
  std::int64_t first = 0;  ///< only the rows from this one ...
  std::int64_t end = -1;   ///< ... to the one before this; -1: to the last
  double l2 = 0;           ///< Samples::l2
};

/// Each row has the same number of features, in as many equal ranges one each; values are uniform, scaled so that rows
/// have length 1 on average; a label is drawn with the probability that the true model gives it, which makes about one
/// in eight unlike the model's own answer.
/// \throws Error (bad_input) for options out of range.
template <Executor E>
Samples generate_samples(E& e, const SampleOptions& options);

/// Bytes of the samples.
std::uint64_t sample_bytes(const SampleOptions& options);

/// \throws Error (bad_input) for what is out of range.
void check_samples(const SampleOptions& options);

}  // namespace charm::workloads
