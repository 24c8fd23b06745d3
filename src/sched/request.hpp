// What the settings ask of the placement.
#pragma once

#include <charm/machine.hpp>

#include "base/settings.hpp"
#include "placement/placement.hpp"

namespace charm::sched {

/// Reports a cgroup quota that the workers would overrun.
placement::Request request_for(const Machine& machine, const base::Settings& settings);

}  // namespace charm::sched
