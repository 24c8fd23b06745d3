// The assembly tree of a sparse factorisation: CHOLMOD orders the columns (AMD or METIS for symmetric matrices, COLAMD
// for others) and finds the supernodes of the factor of A, or of A^T A, relaxed as CHOLMOD does. Each becomes a front,
// a dense matrix in which its columns are eliminated; what is left of it (its contribution) is added to the parent's
// front. Multifrontal method: I. Duff and J. Reid, ACM TOMS 9 (1983); for QR, T. Davis, ACM TOMS 38 (2011), whose row
// order this follows; for LU with pivots from all rows of a front the column tree is a bound: A. George and E. Ng, SIAM
// J. Sci. Stat. Comput. 6 (1985).
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/factor/matrix.hpp"

namespace charm::workloads::factor {

enum class Method : std::uint8_t { cholesky, lu, qr };

/// An entry of A at its place in its front.
struct Scatter {
  std::int32_t row;
  std::int32_t column;
  Position source;  ///< number of the entry in A
};

struct Front {
  Position first = 0;  ///< place of its first pivot column in the order
  int pivots = 0;      ///< number of columns that are eliminated here, p
  int columns = 0;     ///< width n; for Cholesky also its height
  int rows = 0;        ///< height m
  int parent = -1;     ///< a front of a higher number; -1 for a root
  std::vector<int> children;
  std::vector<Position> places;             ///< n places in the order of columns, ascending; the first p are its own
  std::vector<std::int32_t> to_parent;      ///< of column p + i: the column of the parent's front
  std::vector<std::int32_t> row_to_parent;  ///< LU, QR: of row i of the contribution, the row of the parent's front
  std::vector<Scatter> entries;             ///< ascending by column
  std::vector<Position> own_rows;           ///< LU: the row of A that row i is at first; -1: one of a child
  std::vector<std::int32_t> active;  ///< LU, QR: number of rows that have something in columns 0 to j, by column j
  double flops = 0;                  ///< additions and multiplications
  double subtree_flops = 0;          ///< with those of its descendants
};

struct FrontTree {
  Method method = Method::cholesky;
  std::vector<Position> order;  ///< order[k]: the column of A at place k
  std::vector<Front> fronts;    ///< children before parents
  std::int64_t factor_entries = 0;
  double flops = 0;
  std::uint64_t bytes = 0;  ///< of memory that a factorisation needs, at most: factor, fronts, contributions
};

/// \param a square and symmetric for Cholesky (one triangle is used), square for LU, with at least as many rows as
/// columns for QR.
/// \throws Error (bad_input) for matrices that are structurally singular or too large.
FrontTree analyse(const SparseMatrix& a, Method method);

}  // namespace charm::workloads::factor
