// Makes a placement request from the settings. Only this file reads workers, smt, sockets, spread and share_cores.
#pragma once

#include <charm/machine.hpp>

#include "base/settings.hpp"
#include "placement/placement.hpp"

namespace charm::binding {

/// The request without the number of workers.
placement::Request placement_request(const base::Settings& settings);

/// The number of workers: the setting, or if that is 0 one for each allowed physical core (also with smt) that is not a
/// low-power one, at most the cgroup's quota.
int worker_count(const Machine& machine, const base::Settings& settings);

/// The whole request. Reports a cgroup quota that the workers would exceed.
placement::Request request_for(const Machine& machine, const base::Settings& settings);

}  // namespace charm::binding
