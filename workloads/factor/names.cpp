#include "workloads/factor/names.hpp"

namespace charm::workloads {

std::vector<std::string> factor_kernels() { return {factor_kernel_names.begin(), factor_kernel_names.end()}; }

std::vector<std::string> factor_matrices() { return {factor_matrix_names.begin(), factor_matrix_names.end()}; }

}  // namespace charm::workloads
