// BLAS and LAPACK by their Fortran names, as every implementation has them. Matrices are column-major. A call runs in
// one thread: the tasks around it are what is parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" {
// Fortran passes the lengths of its strings behind all other arguments.
void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, std::size_t, std::size_t);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dlaswp_(const int* n, double* a, const int* lda, const int* first, const int* last, const int* pivots,
             const int* step);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dlarft_(const char* direct, const char* store, const int* n, const int* k, const double* v, const int* ldv,
             const double* tau, double* t, const int* ldt, std::size_t, std::size_t);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* store, const int* m, const int* n,
             const int* k, const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc,
             double* work, const int* ldwork, std::size_t, std::size_t, std::size_t, std::size_t);
}

namespace charm::workloads::factor {

/// Makes BLAS use one thread a call, where it has threads of its own (OpenBLAS, BLIS, MKL).
/// \throws Error (bad_config) for an OpenBLAS that gives wrong results when several threads call it: one that was built
/// for a single thread and without locks around its buffers (USE_LOCKING), such as Debian's libopenblas0-serial.
void use_one_thread();
/// Name of the library as far as it tells: "OpenBLAS 0.3.21 …"; else "BLAS".
std::string blas_name();

// c += alpha op(a) op(b), where c is m x n and k the length of the sums. Sizes of 0 do nothing.
inline void gemm(char ta, char tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                 int ldb, double* c, int ldc) {
  const double one = 1;
  if (m > 0 && n > 0 && k > 0) dgemm_(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &one, c, &ldc, 1, 1);
}
// Lower triangle of c (n x n) -= a a^T, a is n x k.
inline void syrk(int n, int k, const double* a, int lda, double* c, int ldc) {
  const double minus = -1;
  const double one = 1;
  if (n > 0 && k > 0) dsyrk_("L", "N", &n, &k, &minus, a, &lda, &one, c, &ldc, 1, 1);
}
// Solves with the triangle a on the given side of b (m x n), in place.
inline void trsm(char side, char uplo, char trans, char diag, int m, int n, const double* a, int lda, double* b,
                 int ldb) {
  const double one = 1;
  if (m > 0 && n > 0) dtrsm_(&side, &uplo, &trans, &diag, &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
}
inline int potrf(int n, double* a, int lda) {
  int info = 0;
  if (n > 0) dpotrf_("L", &n, a, &lda, &info, 1);
  return info;
}
inline int getrf(int m, int n, double* a, int lda, int* pivots) {
  int info = 0;
  if (m > 0 && n > 0) dgetrf_(&m, &n, a, &lda, pivots, &info);
  return info;
}
// Exchanges rows: row i with row pivots[i] - 1, for i from 0 below `count`.
inline void laswp(int columns, double* a, int lda, int count, const int* pivots) {
  const int one = 1;
  if (columns > 0 && count > 0) dlaswp_(&columns, a, &lda, &one, &count, pivots, &one);
}

}  // namespace charm::workloads::factor
