// Names of factorisations and of matrices, for a command line that offers them (see workloads/names.hpp).
#pragma once

#include <array>
#include <string>
#include <vector>

namespace charm::workloads {

inline constexpr std::array factor_kernel_names = {"gemm", "cholesky", "lu", "qr", "lq"};
inline constexpr std::array factor_matrix_names = {"laplace2d", "laplace3d", "spd",  "arrow", "band",
                                                   "random",    "kkt",       "tall", "dense", "dense-spd"};

/// Kernels that run_factor knows (factor/factor_bench.hpp), in the order in which they are reported.
std::vector<std::string> factor_kernels();

/// Kinds of matrices that generate.hpp makes.
std::vector<std::string> factor_matrices();

}  // namespace charm::workloads
