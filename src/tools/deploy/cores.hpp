// Which cores each worker gets; the rest of the plan follows from it. Pure.
#pragma once

#include <charm/machine.hpp>

#include <vector>

#include "tools/deploy/plan.hpp"

namespace charm::deploy {

/// The part of a machine that the workers may have, and what was taken away before.
struct Usable {
  Machine machine;
  std::vector<LeftOver> left_over;
};

/// The machine within --cpus, the cgroup's cpu quota and without the cores that are left to the system.
/// \throws Error (bad_input) where nothing is left.
Usable usable_part(const Host& host, const Request& request);

/// The cores of each worker, by index in Machine::cores; together all cores of the machine, in the order of
/// the hardware. \throws Error (bad_input) if a chiplet has fewer cores than the workers that are asked for.
std::vector<CoreSet> divide(const Machine& machine, const Request& request);

}  // namespace charm::deploy
