// One epoch of the runtime's placement: the cpus that may be used, the seats on them, and the gang that chooses among
// their levels. A change of the cpus makes a new epoch; workers go over to it one by one, each at its next boundary.
#pragma once

#include <charm/machine.hpp>

#include <memory>
#include <string>
#include <vector>

#include "controller/gang.hpp"
#include "placement/placement.hpp"

namespace charm::sched {

struct Epoch {
  int number = 0;
  std::vector<int> cpus;                   // that may be used, ascending
  placement::Placement placement;          // ids are those of the runtime's machine
  int seated = 0;                          // workers with a cpu of their own: 0 .. seated-1
  bool shared = false;                     // more workers than cores take turns on them
  std::unique_ptr<controller::Gang> gang;  // null where there is one level, or a policy that stands still

  [[nodiscard]] int spread() const {
    return gang ? gang->spread() : placement.levels[static_cast<std::size_t>(placement.initial)];
  }
  /// nullptr where the worker has none and rests.
  [[nodiscard]] const Seat* seat(int worker, int spread) const {
    return worker < seated || shared ? &placement.lookup(worker, spread) : nullptr;
  }
};

/// The seats for `workers` on what `cpus` leave of the machine. Ids are the machine's; where it does not list a cpu
/// that is allowed now, the seat's core is -1 and it counts to the chiplet and node of the worker's seat in `home`.
/// \param share workers beyond the number of cores take turns instead of having no seat.
/// \throws Error as placement policies do.
Epoch make_epoch(const std::string& spec, const Machine& machine, const placement::Request& request,
                 const std::vector<int>& cpus, bool share, const std::vector<Seat>& home);

}  // namespace charm::sched
