#include "binding/request.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/notices.hpp"
#include "placement/bins.hpp"
#include "placement/kinds.hpp"

namespace charm::binding {

placement::Request placement_request(const base::Settings& settings) {
  placement::Request request;
  request.sockets = settings.sockets;
  request.spread = settings.spread;
  request.smt = settings.counts_siblings();
  request.share_cores = settings.share_cores;
  return request;
}

int worker_count(const Machine& machine, const base::Settings& settings) {
  if (settings.workers != 0) return settings.workers;
  const int cores = settings.smt == base::Smt::automatic
                        ? placement::capacity(placement::without_low_power(machine), true)
                        : placement::usual_cores(machine);
  if (machine.cpu_quota <= 0) return cores;
  return std::min(cores, std::max(1, static_cast<int>(std::ceil(machine.cpu_quota))));
}

placement::Request request_for(const Machine& machine, const base::Settings& settings) {
  placement::Request request = placement_request(settings);
  request.workers = worker_count(machine, settings);
  if (machine.cpu_quota > 0 && request.workers > std::ceil(machine.cpu_quota)) {
    base::notice("quota", std::to_string(request.workers) + " workers share a cgroup quota of " +
                              std::to_string(machine.cpu_quota) + " cpus and will be throttled");
  }
  return request;
}

}  // namespace charm::binding
