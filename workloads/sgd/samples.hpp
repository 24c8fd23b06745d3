// The samples of a logistic regression: rows of features with a label, dense or as compressed sparse rows. Invariant:
// all values are finite, a sparse row's columns ascend without repeats, labels are -1 and +1.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/array.hpp"
#include "workloads/array_placement.hpp"
#include "workloads/executor/concept.hpp"

namespace charm::workloads {

using Column = std::int32_t;

struct Samples {
  Index rows = 0;
  Index features = 0;
  double l2 = 0;              ///< lambda where it is given; 0: 1/rows
  Index all_rows = 0;         ///< if these are a part of more, which other processes have: the rows of all; else 0
  Array<float> values;        ///< dense: rows x features, row by row; sparse: entry by entry
  Array<Index> offsets;       ///< sparse: the first entry of each row, and their number; dense: empty
  Array<Column> columns;      ///< sparse: the feature of each entry, from 0
  Array<std::int8_t> labels;  ///< -1 or +1, a row each

  [[nodiscard]] bool sparse() const { return offsets.size() != 0; }
  [[nodiscard]] Index entries() const { return values.size(); }
  /// Bytes that a pass over all rows reads.
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(values.size()) * sizeof(float) +
           static_cast<std::uint64_t>(columns.size()) * sizeof(Column) +
           static_cast<std::uint64_t>(offsets.size()) * sizeof(Index) + static_cast<std::uint64_t>(labels.size());
  }
  /// The weight of |w|^2/2 in the objective: 1/rows, as in scikit-learn with C = 1, unless it is given.
  [[nodiscard]] double lambda() const { return l2 > 0 ? l2 : rows > 0 ? 1 / static_cast<double>(rows_of_all()) : 0; }
  [[nodiscard]] Index rows_of_all() const { return all_rows > 0 ? all_rows : rows; }
  /// Rows of a block of a loop: some dozens of blocks a worker, none much shorter than a page.
  [[nodiscard]] Index grain(int workers) const {
    const Index each = rows > 0 ? entries() / rows + 1 : 1;
    const Index shortest = 2048 / each + 1;
    return std::max(shortest, rows / (Index{workers} * 32) + 1);
  }
};

/// The arrays of dense samples, placed in the parts in which loops go over the rows.
inline Samples dense_samples(const ArrayPlacement& placement, Index rows, Index features) {
  Samples samples;
  samples.rows = rows;
  samples.features = features;
  samples.labels = placement.split<std::int8_t>(rows);
  if (placement.in_parts()) {
    std::vector<std::int64_t> bounds = placement.bounds(rows);
    for (auto& bound : bounds) bound *= features;
    samples.values = placement.split<float>(bounds);
  } else {
    samples.values = placement.shared<float>(rows * features);
  }
  return samples;
}

/// The arrays of sparse samples. \param offsets the first entry of each row, and their number.
inline Samples sparse_samples(const ArrayPlacement& placement, Index rows, Index features, Array<Index> offsets) {
  Samples samples;
  samples.rows = rows;
  samples.features = features;
  samples.labels = placement.split<std::int8_t>(rows);
  if (placement.in_parts()) {
    std::vector<std::int64_t> bounds = placement.bounds(rows);
    for (auto& bound : bounds) bound = offsets[bound];
    samples.values = placement.split<float>(bounds);
    samples.columns = placement.split<Column>(bounds);
  } else {
    samples.values = placement.shared<float>(offsets[rows]);
    samples.columns = placement.shared<Column>(offsets[rows]);
  }
  samples.offsets = std::move(offsets);
  return samples;
}

}  // namespace charm::workloads
