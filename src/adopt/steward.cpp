#include "adopt/steward.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "placement/quiet.hpp"

namespace charm::adopt {
namespace {

constexpr double cpus_s = 0.5;    // between two looks at the cgroups
constexpr double patience_s = 2;  // that a program does little before its cores are offered to others

std::vector<int> without(const std::vector<int>& all, const std::vector<int>& some) {
  std::vector<int> left;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(left));
  return left;
}

/// All cpus of these cores, ascending.
std::vector<int> cpus_of_cores(const Machine& machine, const std::vector<int>& cores) {
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    if (std::binary_search(cores.begin(), cores.end(), core.cpu))
      cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace

Plan Steward::plan_on(const Plan& plan, int chiplets, const lease::Lease* lease) {
  Plan on = lease == nullptr ? plan : narrowed(plan, without(lease->standing().holds, lease->standing().give_up));
  if (chiplets <= 0 || static_cast<std::size_t>(chiplets) >= on.machine.chiplets.size()) return on;
  std::vector<int> cores;
  for (const Core& core : largest_chiplets(on.machine, chiplets).cores) cores.push_back(core.cpu);
  std::sort(cores.begin(), cores.end());
  return narrowed(on, cores);
}

Steward::Steward(System& system, const Plan& plan, int chiplets, std::vector<int> came_with, bool attached,
                 std::unique_ptr<lease::Lease> lease, std::unique_ptr<os::CpuWatch> cpus, double now)
    : whole_(plan),
      granted_(plan),
      chiplets_(chiplets),
      lease_(std::move(lease)),
      cpus_(std::move(cpus)),
      adopter_(system, plan_on(plan, chiplets, lease_.get()), std::move(came_with), attached, now),
      started_(now),
      next_share_(lease_ ? now + lease_->pause() : now),
      next_cpus_(now + cpus_s),
      want_(cores_of_chiplets(plan.machine, chiplets)),
      fewest_(adopter_.plan().cores) {
  if (lease_) held_ = without(lease_->standing().holds, lease_->standing().give_up);
}

double Steward::step(double now) {
  if (cpus_ && now >= next_cpus_) look_at_cpus(now);
  if (lease_ && now >= next_share_) look_at_share(now);
  double next = adopter_.step(now);
  if (lease_) next = std::min(next, next_share_);
  if (cpus_) next = std::min(next, next_cpus_);
  fewest_ = std::min(fewest_, adopter_.plan().cores);
  return next;
}

/// What it can use: a core a worker, and what its children need that are left to themselves. Until it is known what the
/// program is, and for a moment after it has gone quiet, what it has.
int Steward::wanted(double now) {
  const int most = cores_of_chiplets(granted_.machine, chiplets_);
  if (now - started_ < patience_s) return most;
  const double busy = std::max(static_cast<double>(adopter_.workers()), adopter_.load());
  const int uses = std::clamp(static_cast<int>(std::ceil(busy + adopter_.children_demand() - 0.1)), 1, most);
  if (uses < want_ && low_since_ < 0) low_since_ = now;
  if (uses >= want_ || now - low_since_ >= patience_s) {
    want_ = uses;
    low_since_ = -1;
  }
  return std::min(want_, most);
}

void Steward::look_at_share(double now) {
  const lease::Lease::Standing standing =
      lease_->look(wanted(now), placement::loud_cores(whole_.machine, adopter_.loud()));
  adopter_.set_leased(cpus_of_cores(whole_.machine, standing.others));
  most_holders_ = std::max(most_holders_, standing.holders);
  const std::vector<int> keep = without(standing.holds, standing.give_up);
  if (keep != held_) {
    held_ = keep;
    adopter_.use(plan_on(granted_, chiplets_, lease_.get()), now);
  }
  if (!standing.give_up.empty()) lease_->give_back(standing.give_up);
  next_share_ = now + lease_->pause();
}

void Steward::look_at_cpus(double now) {
  next_cpus_ = now + cpus_s;
  auto grant = cpus_->granted();
  if (grant == grant_ || !grant) return;
  grant_ = std::move(grant);
  granted_ = on_cpus(whole_, *grant_);
  adopter_.use(plan_on(granted_, chiplets_, lease_.get()), now);
}

}  // namespace charm::adopt
