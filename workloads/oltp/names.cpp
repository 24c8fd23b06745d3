#include "workloads/oltp/names.hpp"

namespace charm::workloads {

std::vector<std::string> oltp_kernels() { return {oltp_kernel_names.begin(), oltp_kernel_names.end()}; }

std::vector<std::string> oltp_runtimes() {
  return {
#ifdef CHARM_WORKLOADS_CHARM
      "charm",
#endif
      "threads"};
}

std::vector<std::string> oltp_distributions() {
  return {oltp_distribution_names.begin(), oltp_distribution_names.end()};
}

std::vector<std::string> oltp_durabilities() { return {oltp_durability_names.begin(), oltp_durability_names.end()}; }

std::vector<std::string> oltp_engines() { return {oltp_engine_names.begin(), oltp_engine_names.end()}; }

}  // namespace charm::workloads
