// CHOLMOD's workspace and our matrices as it takes them (without copying).
#pragma once

#include <suitesparse/cholmod.h>

#include "workloads/factor/matrix.hpp"

namespace charm::workloads::factor {

class Cholmod {
 public:
  Cholmod() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.try_catch = 1;  // its own messages would go to standard output; failures are in `status`
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() { cholmod_l_finish(&common_); }
  cholmod_common* operator->() { return &common_; }
  operator cholmod_common*() { return &common_; }  // NOLINT(google-explicit-constructor): an argument of its functions

 private:
  cholmod_common common_{};
};

/// \param symmetry 0: general; -1: symmetric, the lower triangle is used.
inline cholmod_sparse view_of(const SparseMatrix& a, int symmetry) {
  cholmod_sparse view{};
  view.nrow = static_cast<std::size_t>(a.rows);
  view.ncol = static_cast<std::size_t>(a.columns);
  view.nzmax = a.indices.size();
  // CHOLMOD's structure has no constant arrays; it does not write to a packed, sorted matrix.
  view.p = const_cast<Position*>(a.starts.data());
  view.i = const_cast<Position*>(a.indices.data());
  view.x = const_cast<double*>(a.values.data());
  view.stype = symmetry;
  view.itype = CHOLMOD_LONG;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

}  // namespace charm::workloads::factor
