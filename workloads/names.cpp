#include "workloads/names.hpp"

namespace charm::workloads {

std::vector<std::string> graph_kernels() { return {graph_kernel_names.begin(), graph_kernel_names.end()}; }

std::vector<std::string> vertex_orders() { return {vertex_order_names.begin(), vertex_order_names.end()}; }

std::vector<std::string> graph_kinds() { return {graph_kind_names.begin(), graph_kind_names.end()}; }

std::vector<std::string> sgd_kernels() { return {sgd_kernel_names.begin(), sgd_kernel_names.end()}; }

std::vector<std::string> sgd_updates() { return {sgd_update_names.begin(), sgd_update_names.end()}; }

std::vector<std::string> runtimes() {
  return {
#ifdef CHARM_WORKLOADS_CHARM
      "charm",
#endif
#ifdef CHARM_WORKLOADS_OPENMP
      "openmp",
#endif
#ifdef CHARM_WORKLOADS_TBB
      "tbb",
#endif
      "serial"};
}

double unit_size(std::string_view unit) {
  if (unit == "GUP/s" || unit == "GB/s" || unit == "Gflop/s") return 1e9;
  if (unit == "MTEPS") return 1e6;
  return unit == "kpoint/s" || unit == "ktx/s" ? 1e3 : 1;
}

std::vector<std::string> streamcluster_runtimes() {
  std::vector<std::string> names = runtimes();
  names.insert(names.end() - 1, "threads");  // before "serial"
  return names;
}

std::vector<std::string> sgd_runtimes() {
  std::vector<std::string> names = runtimes();
  names.insert(names.end() - 1, "async");  // before "serial"
  return names;
}

std::vector<std::string> memory_names() { return {array_memory_names.begin(), array_memory_names.end()}; }

}  // namespace charm::workloads
