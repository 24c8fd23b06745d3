// Reads a matrix from a Matrix Market file, plain or gzip: coordinate or array; real, integer or pattern (whose entries
// are 1); general, symmetric or skew-symmetric. Format: R. Boisvert, R. Pozo, K. Remington, NISTIR 5935 (1996).
#pragma once

#include <string>

#include "workloads/factor/matrix.hpp"
#include "workloads/files/input_file.hpp"

namespace charm::workloads::factor {

/// \throws Error (bad_input): FILE:LINE: what; remedy. Values that are not finite numbers are among what it refuses.
SparseMatrix load_matrix(const InputFile& input);

}  // namespace charm::workloads::factor
