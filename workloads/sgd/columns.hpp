// The samples once more, feature by feature: what a column-wise descent reads (DimmWitted's column access, C. Zhang,
// C. Ré, PVLDB 7 (2014), §3.2). Dense samples are transposed, sparse ones become compressed sparse columns.
#pragma once

#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

struct SampleColumns {
  Array<float> values;   ///< dense: features x rows, feature by feature; sparse: entry by entry
  Array<Index> offsets;  ///< sparse: the first entry of each feature, and their number; dense: empty
  Array<Column> rows;    ///< sparse: the row of each entry, ascending within a feature
  Array<float> squares;  ///< the sum of squares of each feature

  /// Bytes that a pass over all features reads.
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(values.size()) * sizeof(float) +
           static_cast<std::uint64_t>(rows.size()) * sizeof(Column) +
           static_cast<std::uint64_t>(offsets.size()) * sizeof(Index);
  }
};

template <Executor E>
SampleColumns columns_of(E& e, const Samples& samples);

}  // namespace charm::workloads
