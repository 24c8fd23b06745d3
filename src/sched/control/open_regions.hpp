// The regions that the program has open (charm/adaptive.hpp), as the control group of the present placement generation
// knows them.
#pragma once

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "controller/control_group.hpp"

namespace charm::sched {

/// Its owner's lock guards it. A control group is null where there is nothing to decide.
class OpenRegions {
 public:
  /// \param thread as of ControlGroup::enter(). \return a ticket for leave(), never 0.
  long enter(std::string_view name, std::thread::id thread, controller::ControlGroup* group) {
    open_.push_back({++tickets_, std::string(name), thread, 0});
    enter_group(open_.back(), group);
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
    for (Region& region : open_) enter_group(region, group);
  }

 private:
  struct Region {
    long ticket;
    std::string name;
    std::thread::id thread;
    long group_ticket;  // of the present control group
  };
  static void enter_group(Region& region, controller::ControlGroup* group) {
    region.group_ticket = group != nullptr ? group->enter(region.name, region.thread) : 0;
  }
  std::vector<Region> open_;
  long tickets_ = 0;
};

}  // namespace charm::sched
