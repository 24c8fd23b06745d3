// A sparse matrix as compressed columns: what SuiteSparse takes, and what generators and files are made into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace charm::workloads::factor {

using Position = std::int64_t;  ///< a row, a column or the number of an entry

struct Entry {
  Position row;
  Position column;
  double value;
};

/// Invariant: rows ascend within a column, none is there twice, and all values are finite.
struct SparseMatrix {
  Position rows = 0;
  Position columns = 0;
  std::vector<Position> starts = {0};  ///< columns + 1
  std::vector<Position> indices;       ///< the row of each entry
  std::vector<double> values;
  std::string name;  ///< where it comes from: "laplace2d", a path

  [[nodiscard]] Position entries() const { return static_cast<Position>(indices.size()); }
  [[nodiscard]] bool full() const { return rows > 0 && columns > 0 && entries() / rows == columns; }
};

/// Values of entries at the same place are added. \throws Error (bad_input) for values that are not finite.
SparseMatrix matrix_of(Position rows, Position columns, std::vector<Entry> entries, std::string name);

SparseMatrix transposed(const SparseMatrix& a);

/// Whether it is square and equals its transpose, value by value.
bool is_symmetric(const SparseMatrix& a);

/// a x.
std::vector<double> multiply(const SparseMatrix& a, const std::vector<double>& x);
/// a^T x.
std::vector<double> multiply_transposed(const SparseMatrix& a, const std::vector<double>& x);

/// The largest sum of magnitudes of a row, and the root of the sum of squares.
double norm_infinity(const SparseMatrix& a);
double norm_frobenius(const SparseMatrix& a);

}  // namespace charm::workloads::factor
