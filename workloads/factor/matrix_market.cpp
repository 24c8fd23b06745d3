#include "workloads/factor/matrix_market.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/files/matrix_market.hpp"

namespace charm::workloads::factor {
namespace {

/// What can be told to be singular by the size line alone is refused before it is read.
std::optional<FieldError> too_few_entries(const MatrixHeader& header) {
  const std::int64_t most = (header.symmetric ? 2 : 1) * std::min(header.entries, INT64_MAX / 2);
  if (header.array || most >= std::min(header.rows, header.columns)) return {};
  return FieldError{header.size_line,
                    fmt::format("{} entries are too few for {} rows and {} columns: the matrix is singular",
                                header.entries, header.rows, header.columns),
                    "correct the size line, or give a matrix of full rank"};
}

/// Entries as they are read and as the matrix has them, and its rows and columns.
void require_entries(const InputFile& input, const MatrixHeader& header, std::size_t entries) {
  constexpr double a_column = 16;
  input.require(static_cast<double>(entries) * (sizeof(Entry) + 16) +
                    static_cast<double>(header.rows + header.columns) * a_column,
                fmt::format("{} rows, {} columns and their entries", header.rows, header.columns),
                "correct the size line");
}

}  // namespace

SparseMatrix load_matrix(const InputFile& input) {
  MatrixHeader shape;
  std::vector<Entry> entries;
  for_each_entry(
      input, {.arrays = true, .skew_symmetric = true},
      [&](const MatrixHeader& header) {
        shape = header;
        require_entries(input, header, 0);
        // Not more than the file can hold is reserved on its word.
        entries.reserve(static_cast<std::size_t>(std::min<std::int64_t>(header.entries, 1 << 20)));
        return too_few_entries(header);
      },
      [&](const MatrixEntry& found) {
        const auto& [row, column, value] = found;
        // Asked where the vector is about to grow: gzip may hold a thousand times as much as its size tells.
        if (entries.size() + 1 >= entries.capacity()) require_entries(input, shape, 2 * entries.capacity());
        entries.push_back({row, column, value});
        if (shape.symmetric && row != column) entries.push_back({column, row, shape.skew ? -value : value});
      });
  return matrix_of(shape.rows, shape.columns, std::move(entries), input.path());
}

}  // namespace charm::workloads::factor
