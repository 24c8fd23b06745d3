#include "attach/attachment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace charm::attach {
namespace {

constexpr double cpus_s = 0.5;         // time between two readings of the cgroups
constexpr double idle_patience_s = 2;  // time for which a program does little before its cores are offered to others

}  // namespace

AttachPlan Attachment::plan_on(const AttachPlan& plan, int chiplets, const CoreCpuSet* leased) {
  AttachPlan on = leased == nullptr ? plan : narrowed(plan, *leased);
  if (chiplets <= 0 || static_cast<std::size_t>(chiplets) >= on.machine.chiplets.size()) return on;
  CoreCpuSet cores;
  for (const Core& core : largest_chiplets(on.machine, chiplets).cores) cores.insert(core.cpu);
  return narrowed(on, cores);
}

Attachment::Attachment(System& system, const AttachPlan& plan, int chiplets, CpuSet came_with, bool attached,
                       std::unique_ptr<lease::Lease> lease, std::unique_ptr<os::CpuWatch> cpus, double now)
    : whole_(plan),
      granted_(plan),
      chiplets_(chiplets),
      follower_(lease ? std::make_unique<steering::LeaseFollower>(std::move(lease), whole_.machine) : nullptr),
      cpus_(std::move(cpus)),
      thread_placer_(system, plan_on(plan, chiplets, leased()), std::move(came_with), attached, now),
      started_(now),
      next_share_(follower_ ? now + follower_->lease().pause() : now),
      next_cpus_(now + cpus_s),
      want_(cores_of_chiplets(plan.machine, chiplets)),
      fewest_(thread_placer_.plan().cores) {}

double Attachment::step(double now) {
  if (cpus_ && now >= next_cpus_) look_at_cpus(now);
  if (follower_ && now >= next_share_) look_at_share(now);
  double next = thread_placer_.step(now);
  if (follower_) next = std::min(next, next_share_);
  if (cpus_) next = std::min(next, next_cpus_);
  fewest_ = std::min(fewest_, thread_placer_.plan().cores);
  return next;
}

/// Cores that the program can use: one for each worker, and what the children need that are not followed. It is what
/// the program has until its threads' roles are known, and for a moment after it has gone quiet.
int Attachment::wanted(double now) {
  const int most = cores_of_chiplets(granted_.machine, chiplets_);
  if (now - started_ < idle_patience_s) return most;
  const double busy = std::max(static_cast<double>(thread_placer_.workers()), thread_placer_.load());
  const int uses = std::clamp(static_cast<int>(std::ceil(busy + thread_placer_.children_demand() - 0.1)), 1, most);
  if (uses < want_ && low_since_ < 0) low_since_ = now;
  if (uses >= want_ || now - low_since_ >= idle_patience_s) {
    want_ = uses;
    low_since_ = -1;
  }
  return std::min(want_, most);
}

const CoreCpuSet* Attachment::leased() const { return follower_ ? &follower_->cores() : nullptr; }

void Attachment::look_at_share(double now) {
  next_share_ = now + follower_->look(now, wanted(now), thread_placer_.busy(), *this);
  thread_placer_.set_leased(follower_->cpus_of_others());
  most_holders_ = std::max(most_holders_, follower_->lease().standing().holders);
}

void Attachment::use_cores(const CoreCpuSet& cores, double now) {
  thread_placer_.use(plan_on(granted_, chiplets_, &cores), now);
}

bool Attachment::has_left(const CpuSet& cpus) const { return thread_placer_.has_left(cpus); }

void Attachment::look_at_cpus(double now) {
  next_cpus_ = now + cpus_s;
  auto grant = cpus_->granted();
  if (grant == grant_ || !grant) return;
  grant_ = std::move(grant);
  granted_ = on_cpus(whole_, *grant_);
  thread_placer_.use(plan_on(granted_, chiplets_, leased()), now);
}

}  // namespace charm::attach
