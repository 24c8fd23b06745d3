#include "sched/request.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/notices.hpp"

namespace charm::sched {

placement::Request request_for(const Machine& machine, const base::Settings& settings) {
  placement::Request request;
  request.workers = settings.workers;
  if (request.workers == 0) {
    request.workers = static_cast<int>(machine.cores.size());
    if (machine.cpu_quota > 0)
      request.workers = std::min(request.workers, std::max(1, static_cast<int>(std::ceil(machine.cpu_quota))));
  } else if (machine.cpu_quota > 0 && request.workers > std::ceil(machine.cpu_quota)) {
    base::notice("quota", std::to_string(request.workers) + " workers share a cgroup quota of " +
                              std::to_string(machine.cpu_quota) + " cpus and will be throttled");
  }
  request.sockets = settings.sockets == "balance" ? placement::SocketOrder::balance : placement::SocketOrder::fill;
  request.spread = settings.spread;
  request.smt = settings.smt;
  request.share_cores = settings.share_cores;
  return request;
}

}  // namespace charm::sched
