// Matrices of the kinds that factorisations meet, as large as is asked for. Values are functions of the seed.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/factor/matrix.hpp"

namespace charm::workloads::factor {

struct MatrixOptions {
  std::string kind = "laplace2d";  ///< one of factor_matrix_names
  std::int64_t size = 40000;       ///< columns; a grid is the largest square or cube of no more points
  std::uint64_t seed = 1;
};

/// \throws Error (bad_config) for an unknown kind, (bad_input) for a size below 1 or more entries than `most_entries`.
SparseMatrix generate_matrix(const MatrixOptions& options);

/// Number of entries that it will have, at most.
std::int64_t generated_entries(const MatrixOptions& options);
constexpr std::int64_t most_entries = std::int64_t{1} << 31;

}  // namespace charm::workloads::factor
