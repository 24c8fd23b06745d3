#include "workloads/factor/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <suitesparse/SuiteSparseQR_C.h>
#include <suitesparse/umfpack.h>

#include "workloads/factor/suitesparse.hpp"

namespace charm::workloads::factor {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

Reference by_cholmod(const SparseMatrix& a) {
  Cholmod cholmod;
  cholmod->supernodal = CHOLMOD_SIMPLICIAL;  // not the algorithm that is checked
  cholmod->final_ll = 1;
  cholmod->quick_return_if_not_posdef = 1;
  cholmod_sparse view = view_of(a, -1);
  cholmod_factor* factor = cholmod_l_analyze(&view, cholmod);
  if (factor == nullptr) throw std::bad_alloc();
  cholmod_l_factorize(&view, factor, cholmod);
  Reference found;
  if (cholmod->status == CHOLMOD_OUT_OF_MEMORY) {
    cholmod_l_free_factor(&factor, cholmod);
    throw std::bad_alloc();
  }
  if (factor->minor < factor->n) {
    const auto* order = static_cast<const Position*>(factor->Perm);
    found.wrong = fmt::format("{} is not positive definite: the pivot of column {} is not above 0", a.name,
                              order[factor->minor] + 1);
  } else {
    const auto* starts = static_cast<const Position*>(factor->p);
    const auto* values = static_cast<const double*>(factor->x);
    for (std::size_t j = 0; j < factor->n; ++j)
      found.log_determinant += 2 * std::log(values[static_cast<std::size_t>(starts[j])]);
    const double inverse = cholmod_l_rcond(factor, cholmod);
    found.condition = 1 / std::max(inverse, std::numeric_limits<double>::min());
    if (inverse < rounding)
      found.wrong = fmt::format("{} is not positive definite to working precision (reciprocal condition {:.1e})",
                                a.name, inverse);
  }
  cholmod_l_free_factor(&factor, cholmod);
  return found;
}

Reference by_umfpack(const SparseMatrix& a) {
  Reference found;
  void* symbolic = nullptr;
  void* numeric = nullptr;
  double control[UMFPACK_CONTROL];
  double info[UMFPACK_INFO];
  umfpack_dl_defaults(control);
  const auto* starts = a.starts.data();
  const auto* rows = a.indices.data();
  long status = umfpack_dl_symbolic(a.rows, a.columns, starts, rows, a.values.data(), &symbolic, control, info);
  if (status == UMFPACK_OK)
    status = umfpack_dl_numeric(starts, rows, a.values.data(), symbolic, &numeric, control, info);
  umfpack_dl_free_symbolic(&symbolic);
  if (status == UMFPACK_OK) {
    double mantissa = 0;
    double exponent = 0;
    umfpack_dl_get_determinant(&mantissa, &exponent, numeric, info);
    found.log_determinant = std::log(std::fabs(mantissa)) + exponent * std::log(10.0);
    found.condition = 1 / std::max(info[UMFPACK_RCOND], std::numeric_limits<double>::min());
    if (info[UMFPACK_RCOND] < rounding)
      found.wrong =
          fmt::format("{} is singular to working precision (reciprocal condition {:.1e})", a.name, info[UMFPACK_RCOND]);
  }
  umfpack_dl_free_numeric(&numeric);
  if (status == UMFPACK_ERROR_out_of_memory) throw std::bad_alloc();
  if (status == UMFPACK_WARNING_singular_matrix)
    found.wrong = fmt::format("{} is singular", a.name);
  else if (status != UMFPACK_OK)
    found.wrong = fmt::format("{}: UMFPACK fails with status {}", a.name, status);
  return found;
}

Reference by_spqr(const SparseMatrix& a) {
  Reference found;
  Cholmod cholmod;
  cholmod_sparse view = view_of(a, 0);
  cholmod_sparse* r = nullptr;
  SuiteSparse_long* order = nullptr;
  const SuiteSparse_long rank =
      SuiteSparseQR_C(SPQR_ORDERING_DEFAULT, SPQR_DEFAULT_TOL, a.columns, 0, &view, nullptr, nullptr, nullptr, nullptr,
                      &r, &order, nullptr, nullptr, nullptr, cholmod);
  if (rank < 0 || r == nullptr) throw std::bad_alloc();
  if (rank < a.columns) {
    found.wrong =
        fmt::format("{} has linearly dependent columns: its rank is {}, and it has {}", a.name, rank, a.columns);
  } else {
    const auto* starts = static_cast<const Position*>(r->p);
    const auto* values = static_cast<const double*>(r->x);
    double least = std::numeric_limits<double>::max();
    double most = 0;
    for (Position j = 0; j < a.columns; ++j) {
      // Rows ascend, so the diagonal is the last of its column.
      const double diagonal = std::fabs(values[starts[j + 1] - 1]);
      found.log_determinant += std::log(diagonal);
      least = std::min(least, diagonal);
      most = std::max(most, diagonal);
    }
    found.condition = most / least;
  }
  cholmod_l_free(static_cast<std::size_t>(a.columns), sizeof(SuiteSparse_long), order, cholmod);
  cholmod_l_free_sparse(&r, cholmod);
  return found;
}

}  // namespace

Reference ask_suitesparse(const SparseMatrix& a, Method method) {
  switch (method) {
    case Method::cholesky:
      return by_cholmod(a);
    case Method::lu:
      return by_umfpack(a);
    case Method::qr:
      break;
  }
  return by_spqr(a);
}

double allowed_difference(const Reference& reference, Position columns) {
  return 1e-9 * (1 + std::fabs(reference.log_determinant)) +
         100 * rounding * static_cast<double>(columns) * std::min(reference.condition, 1 / rounding);
}

}  // namespace charm::workloads::factor
