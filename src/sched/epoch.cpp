#include "sched/epoch.hpp"

#include <algorithm>
#include <utility>

#include "controller/policy.hpp"
#include "os/cpu_list.hpp"
#include "placement/restrict.hpp"

namespace charm::sched {
namespace {

/// Seats of a restricted machine in the ids of the whole one.
void translate(placement::Placement& placement, const Machine& machine) {
  for (auto& level : placement.seats) {
    for (Seat& seat : level) {
      if (seat.cpu < 0) continue;
      if (const Core* core = machine.core_of_cpu(seat.cpu)) {
        seat.core = core->id;
        seat.chiplet = core->chiplet;
        seat.node = core->node;
        seat.socket = core->socket;
      }
    }
  }
}

/// Cpus that the machine does not know, one a worker: nothing is known of their neighbours.
placement::Placement plain_seats(const std::vector<int>& cpus, int workers, const std::vector<Seat>& home) {
  std::vector<Seat> seats;
  for (int w = 0; w < workers; ++w) {
    Seat seat = home[static_cast<std::size_t>(w)];
    seat.core = -1;
    seat.cpu = cpus[static_cast<std::size_t>(w) % cpus.size()];
    seats.push_back(seat);
  }
  return {{1}, {std::move(seats)}, 1};
}

}  // namespace

Epoch make_epoch(const std::string& spec, const Machine& machine, const placement::Request& request,
                 const std::vector<int>& cpus, bool share, const std::vector<Seat>& home) {
  Epoch epoch;
  epoch.cpus = cpus;
  const std::vector<int> known = os::in_both(cpus, machine.allowed_cpus);
  const Machine left = placement::restricted(machine, known);
  const int room = static_cast<int>(request.smt ? left.allowed_cpus.size() : left.cores.size());
  const int all = static_cast<int>(cpus.size());
  if (room < request.workers && all > static_cast<int>(known.size())) {
    epoch.seated = std::min(request.workers, all);
    epoch.shared = share && all < request.workers;
    epoch.placement = plain_seats(cpus, epoch.shared ? request.workers : epoch.seated, home);
    return epoch;
  }
  placement::Request narrower = request;
  epoch.seated = std::min(request.workers, room);
  epoch.shared = (share || request.share_cores) && room < request.workers;
  narrower.share_cores = epoch.shared;
  if (!epoch.shared) narrower.workers = epoch.seated;
  epoch.placement = controller::placement_for(spec, left, narrower);
  translate(epoch.placement, machine);
  return epoch;
}

}  // namespace charm::sched
