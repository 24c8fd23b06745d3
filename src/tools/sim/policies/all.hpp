// The policies that policies.cpp registers.
#pragma once

#include "tools/sim/kernel_gathering.hpp"
#include "tools/sim/simulated_policy.hpp"

namespace charm::sim {

extern const SimulatedPolicy charm_policy, local_policy, distributed_policy, static_policy, numa_policy, ring_policy,
    shoal_policy, asymsched_policy, sam_policy, os_policy, per_core_policy, per_node_policy, per_machine_policy,
    linux_6_policy, linux_72_policy;

/// The monotone family of the runtime with one of its controllers.
SimulationPlan controlled_plan(const std::string& controller, const Model& model, int workers);

/// Where the kernel has the threads of one process after a while, which began evenly over all caches.
/// \param bytes that the process touches.
placement::Placement gathered_by_kernel(const Model& model, double bytes, int workers, const GatheringKnobs& knobs);

/// A placement by one of the runtime's policies.
placement::Placement placed(std::string_view policy, const Model& model, int workers,
                            placement::SocketOrder sockets = placement::SocketOrder::fill, int spread = 0);

}  // namespace charm::sim
