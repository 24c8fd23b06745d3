#include "tools/sim/costs.hpp"

namespace charm::sim {

std::span<const CostField> cost_fields() {
  static constexpr CostField all[] = {
      {"l2_ns", &Costs::l2_ns, "ns"},
      {"l3_ns", &Costs::l3_ns, "ns"},
      {"same_chiplet_ns", &Costs::same_chiplet_ns, "ns"},
      {"other_chiplet_ns", &Costs::other_chiplet_ns, "ns"},
      {"other_node_ns", &Costs::other_node_ns, "ns"},
      {"other_socket_ns", &Costs::other_socket_ns, "ns"},
      {"dram_ns", &Costs::dram_ns, "ns"},
      {"other_node_dram_ns", &Costs::other_node_dram_ns, "ns"},
      {"remote_dram_ns", &Costs::remote_dram_ns, "ns"},
      {"far_dram_ns", &Costs::far_dram_ns, "ns"},
      {"issue_ns", &Costs::issue_ns, "ns"},
      {"mlp", &Costs::mlp, "misses"},
      {"stream_mlp", &Costs::stream_mlp, "misses"},
      {"link_read", &Costs::link_read, "GB/s"},
      {"link_write", &Costs::link_write, "GB/s"},
      {"memory_read", &Costs::memory_read, "GB/s"},
      {"memory_mixed", &Costs::memory_mixed, "GB/s"},
      {"node_link", &Costs::node_link, "GB/s"},
      {"socket_link", &Costs::socket_link, "GB/s"},
      {"far_memory", &Costs::far_memory, "GB/s"},
      {"barrier_ns", &Costs::barrier_ns, "ns"},
      {"move_ns", &Costs::move_ns, "ns"},
  };
  return all;
}

}  // namespace charm::sim
