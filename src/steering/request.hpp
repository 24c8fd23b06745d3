// What the settings ask of the placement: the one reader of workers, smt, sockets, spread and share_cores.
#pragma once

#include <charm/machine.hpp>

#include "base/settings.hpp"
#include "placement/placement.hpp"

namespace charm::steering {

/// All but the number of workers.
placement::Request placement_request(const base::Settings& settings);

/// The setting workers; where it is 0, one for each allowed physical core (also with smt), at most the cgroup's quota.
int worker_count(const Machine& machine, const base::Settings& settings);

/// Both. Reports a cgroup quota that the workers would overrun.
placement::Request request_for(const Machine& machine, const base::Settings& settings);

}  // namespace charm::steering
