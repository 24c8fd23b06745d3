// Transposes samples (see columns.hpp).
#include "workloads/sgd/columns.hpp"

#include <algorithm>

#include "workloads/executor/parts.hpp"
#include "workloads/sgd/executors.hpp"

namespace charm::workloads {
namespace {

/// In squares, so that lines of both sides are used whole.
template <Executor E>
void transpose_dense(E& e, const Samples& samples, SampleColumns& columns) {
  constexpr Index side = 64;
  columns.values = array_placement_of(e).template shared<float>(samples.entries());
  const Index strips = (samples.features + side - 1) / side;
  e.parallel_for(0, strips, 1, [&](Index lo, Index hi) {
    for (Index first = lo * side; first < std::min(samples.features, hi * side); first += side) {
      const Index last = std::min(samples.features, first + side);
      for (Index from = 0; from < samples.rows; from += side) {
        const Index to = std::min(samples.rows, from + side);
        for (Index j = first; j < last; ++j)
          for (Index row = from; row < to; ++row)
            columns.values[j * samples.rows + row] = samples.values[row * samples.features + j];
      }
    }
  });
}

/// By one worker: it makes an input, and rows stay in order.
template <Executor E>
void transpose_sparse(E& e, const Samples& samples, SampleColumns& columns) {
  const ArrayPlacement& placement = array_placement_of(e);
  columns.offsets = placement.template shared<Index>(samples.features + 1);
  columns.values = placement.template shared<float>(samples.entries());
  columns.rows = placement.template shared<Column>(samples.entries());
  std::fill(columns.offsets.begin(), columns.offsets.end(), 0);
  // The cursor of feature j is offsets[j + 1], which ends where the next feature begins.
  for (const Column j : samples.columns) {
    if (j + 2 <= samples.features) ++columns.offsets[Index{j} + 2];
  }
  for (Index j = 2; j <= samples.features; ++j) columns.offsets[j] += columns.offsets[j - 1];
  for (Index row = 0; row < samples.rows; ++row) {
    for (Index i = samples.offsets[row]; i < samples.offsets[row + 1]; ++i) {
      const Index at = columns.offsets[Index{samples.columns[i]} + 1]++;
      columns.values[at] = samples.values[i];
      columns.rows[at] = static_cast<Column>(row);
    }
  }
}

}  // namespace

template <Executor E>
SampleColumns columns_of(E& e, const Samples& samples) {
  SampleColumns columns;
  if (samples.sparse())
    transpose_sparse(e, samples, columns);
  else
    transpose_dense(e, samples, columns);
  columns.squares = Array<float>(samples.features);
  e.parallel_for(0, samples.features, 16, [&](Index lo, Index hi) {
    for (Index j = lo; j < hi; ++j) {
      const Index first = samples.sparse() ? columns.offsets[j] : j * samples.rows;
      const Index last = samples.sparse() ? columns.offsets[j + 1] : first + samples.rows;
      double square = 0;
      for (Index i = first; i < last; ++i)
        square += static_cast<double>(columns.values[i]) * static_cast<double>(columns.values[i]);
      columns.squares[j] = static_cast<float>(square);
    }
  });
  return columns;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template SampleColumns columns_of<Type>(Type&, const Samples&);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
