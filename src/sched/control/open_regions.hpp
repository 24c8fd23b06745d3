// The regions that the program has open (charm/adaptive.hpp), as the control group of the present placement generation
// knows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/control_group.hpp"

namespace charm::sched {

/// Its owner's lock guards it. A control group is null where there is nothing to decide.
class OpenRegions {
 public:
  /// \return a ticket for leave(), never 0.
  long enter(std::string_view name, controller::ControlGroup* group) {
    open_.push_back({++tickets_, std::string(name), enter_group(name, group)});
    return tickets_;
  }
  void leave(long ticket, controller::ControlGroup* group) {
    std::erase_if(open_, [&](const Region& region) {
      if (region.ticket != ticket) return false;
      if (group != nullptr) group->leave(region.group_ticket);
      return true;
    });
  }
  /// A new generation has begun.
  void move_to(controller::ControlGroup* group) {
    for (Region& region : open_) region.group_ticket = enter_group(region.name, group);
  }

 private:
  struct Region {
    long ticket;
    std::string name;
    long group_ticket;  // of the present control group
  };
  static long enter_group(std::string_view name, controller::ControlGroup* group) {
    return group != nullptr ? group->enter(name) : 0;
  }
  std::vector<Region> open_;
  long tickets_ = 0;
};

}  // namespace charm::sched
