// Generated samples (see generate.hpp).
#include "workloads/sgd/generate.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "workloads/executor/parts.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/row.hpp"

namespace charm::workloads {
namespace {

constexpr std::int64_t most_rows_or_features = std::numeric_limits<Column>::max();
constexpr double steepness = 7;  // the true margins then have a deviation of 4

/// In [0, 1)
double uniform_of(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

Index entries_of_row(const SampleOptions& options) {
  const double wanted = std::round(options.density * static_cast<double>(options.features));
  return std::clamp(static_cast<Index>(wanted), Index{1}, options.features);
}

}  // namespace

void check_samples(const SampleOptions& options) {
  if (options.rows < 2 || options.rows > most_rows_or_features) {
    throw Error(Errc::bad_input, fmt::format("{} rows are out of range", options.rows),
                fmt::format("use 2 to {}", most_rows_or_features));
  }
  if (options.features < 1 || options.features > most_rows_or_features) {
    throw Error(Errc::bad_input, fmt::format("{} features are out of range", options.features),
                fmt::format("use 1 to {}", most_rows_or_features));
  }
  if (!(options.density > 0 && options.density <= 1)) {
    throw Error(Errc::bad_input, fmt::format("density {} is out of range", options.density),
                "use a share of the features above 0, 1 for all");
  }
}

std::uint64_t sample_bytes(const SampleOptions& options) {
  check_samples(options);
  const auto rows = static_cast<std::uint64_t>(options.rows);
  // At most 2^62 entries of 4 bytes would not fit 64 bits: what is that large is said to be as large as can be said.
  const double entries = static_cast<double>(options.rows) * static_cast<double>(entries_of_row(options));
  if (entries > 1e18) return std::numeric_limits<std::uint64_t>::max();
  const auto count = static_cast<std::uint64_t>(entries);
  if (options.density == 1) return count * sizeof(float) + rows;
  return count * (sizeof(float) + sizeof(Column)) + rows * (sizeof(Index) + 1) + sizeof(Index);
}

template <Executor E>
Samples generate_samples(E& e, const SampleOptions& options) {
  check_samples(options);
  const ArrayPlacement& placement = array_placement_of(e);
  const Index each = entries_of_row(options);
  constexpr Index grain = 4096;
  const Index first = options.first;
  const Index rows = (options.end < 0 ? options.rows : options.end) - first;
  Samples samples;
  if (options.density == 1) {
    samples = dense_samples(placement, rows, options.features);
  } else {
    auto offsets = placement.split<Index>(rows + 1);
    e.parallel_for(0, rows + 1, grain, [&](Index lo, Index hi) {
      for (Index row = lo; row < hi; ++row) offsets[row] = row * each;
    });
    samples = sparse_samples(placement, rows, options.features, std::move(offsets));
  }
  samples.l2 = options.l2;
  // Streams of their own for the true model, the values, their columns and the labels.
  const std::uint64_t seed = mix(options.seed + 0x9e3779b97f4a7c15U);
  Array<float> truth(options.features);
  e.parallel_for(0, options.features, grain, [&](Index lo, Index hi) {
    for (Index j = lo; j < hi; ++j)
      truth[j] = static_cast<float>(steepness * (2 * uniform_of(random_at(seed, static_cast<std::uint64_t>(j))) - 1));
  });
  const double scale = std::sqrt(3.0 / static_cast<double>(each));
  for_parts(e, rows, samples.grain(e.workers()), [&](Index lo, Index hi) {
    for (Index row = lo; row < hi; ++row) {
      for (Index k = 0; k < each; ++k) {
        const Index i = row * each + k;
        const auto at = static_cast<std::uint64_t>(first * each + i);
        samples.values[i] = static_cast<float>(scale * (2 * uniform_of(random_at(seed + 1, at)) - 1));
        if (!samples.sparse()) continue;
        const auto range = [&](Index r) { return options.features / each * r + std::min(r, options.features % each); };
        const auto width = static_cast<std::uint64_t>(range(k + 1) - range(k));
        samples.columns[i] = static_cast<Column>(range(k) + static_cast<Index>(random_at(seed + 2, at) % width));
      }
      const auto margin = static_cast<double>(dot<Plain>(samples, row, truth.data()));
      const double drawn = uniform_of(random_at(seed + 3, static_cast<std::uint64_t>(first + row)));
      samples.labels[row] = drawn < logistic_slope(-margin) ? std::int8_t{1} : std::int8_t{-1};
    }
  });
  return samples;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Samples generate_samples<Type>(Type&, const SampleOptions&);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
