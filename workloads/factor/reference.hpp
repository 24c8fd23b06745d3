// What SuiteSparse says of a matrix: whether it can be factorised, and the determinant, which CHOLMOD, UMFPACK and SPQR
// find by algorithms and orders of their own.
#pragma once

#include <string>

#include "workloads/factor/fronts.hpp"

namespace charm::workloads::factor {

struct Reference {
  std::string wrong;           ///< why the matrix has no such factorisation; empty if it has
  double log_determinant = 0;  ///< of the magnitude; for QR of R
  double condition = 1;        ///< an estimate from the diagonal of the factor: largest by smallest
};

Reference ask_suitesparse(const SparseMatrix& a, Method method);

/// How far the logarithm of a determinant may be from the reference's.
double allowed_difference(const Reference& reference, Position columns);

}  // namespace charm::workloads::factor
