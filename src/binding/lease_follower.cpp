#include "binding/lease_follower.hpp"

#include "binding/masks.hpp"
#include "placement/quiet.hpp"

namespace charm::binding {

double LeaseFollower::look(double now, int wanted, const CpuSet& busy, LeasedThreads& threads) {
  give_back_left(now, threads);
  const lease::Lease::Standing standing = lease_->look(wanted, placement::busy_cores(machine_, busy));
  if (leaving_.empty()) {
    if (CoreCpuSet keeps = standing.keeps(); keeps != cores_) {
      cores_ = std::move(keeps);
      threads.use_cores(cores_, now);
    }
    leaving_ = standing.give_up;
    leaving_since_ = now;
    give_back_left(now, threads);
  }
  return leaving_.empty() ? lease_->pause() : lease::short_look_seconds;
}

void LeaseFollower::give_back_left(double now, const LeasedThreads& threads) {
  if (leaving_.empty()) return;
  if (!threads.has_left(cpus_of_cores(machine_, leaving_)) && now - leaving_since_ < leave_s) return;
  lease_->give_back(leaving_);
  leaving_.clear();
}

bool LeaseFollower::settled() const {
  const lease::Lease::Standing& standing = lease_->standing();
  return leaving_.empty() && static_cast<int>(standing.holds.size()) == standing.due;
}

CpuSet LeaseFollower::cpus_of_others() const { return cpus_of_cores(machine_, lease_->standing().others); }

}  // namespace charm::binding
