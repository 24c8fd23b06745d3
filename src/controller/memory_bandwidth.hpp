// What workers can read from memory together, by the number of chiplets that they are spread over: a chiplet's link
// carries only a part of what the memory of its node gives, so work that is bound by bandwidth gains by each further
// chiplet until the memory itself is saturated (OLAP on chiplets §4.4; CHARM §2.3, Fig. 5).
#pragma once

#include <string>
#include <vector>

#include "controller/setup.hpp"
#include "placement/placement.hpp"

namespace charm::controller {

/// By level, in GB/s: the sum over the nodes whose chiplets the workers use. Of each node it is the least of what its
/// workers' cores, their chiplets' links and the memory carry. The data is taken to lie near its worker.
std::vector<double> memory_rates(const Machine& machine, const placement::Placement& placement, const Traits& traits);

/// The level with the fewest chiplets that reads as much as any (within 3 %).
int saturating_level(const std::vector<double>& rates);

/// "44 GB/s from memory of at most 45 by 1 chiplet, 155 by 4, as on epyc-7713".
std::string bandwidth_reason(const Setup& setup, int home, int level, double gb_per_s);

}  // namespace charm::controller
