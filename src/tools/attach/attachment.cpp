#include "tools/attach/attachment.hpp"

#include <algorithm>
#include <utility>

namespace charm::attach {
namespace {

constexpr double cpus_s = 0.5;   // time between two readings of the cgroups
constexpr double unknown_s = 2;  // time after the start in which it is not known what the program can use

}  // namespace

AttachPlan Attachment::plan_on(const AttachPlan& plan, int chiplets, const CoreCpuSet* leased) {
  AttachPlan on = leased == nullptr ? plan : narrowed(plan, *leased);
  if (chiplets <= 0 || static_cast<std::size_t>(chiplets) >= on.machine.chiplets.size()) return on;
  CoreCpuSet cores;
  for (const Core& core : first_chiplets(on.machine, chiplets, on.chiplet_order).cores) cores.insert(core.cpu);
  return narrowed(on, cores);
}

Attachment::Attachment(System& system, const AttachPlan& plan, int chiplets, CpuSet came_with, bool attached,
                       std::unique_ptr<lease::Lease> lease, std::unique_ptr<os::CpuWatch> cpus, double now)
    : whole_(plan),
      granted_(plan),
      chiplets_(chiplets),
      follower_(lease ? std::make_unique<binding::LeaseFollower>(std::move(lease), whole_.machine) : nullptr),
      cpus_(std::move(cpus)),
      thread_placer_(system, plan_on(plan, chiplets, leased()), std::move(came_with), attached, now),
      started_(now),
      next_share_(follower_ ? now + follower_->lease().pause() : now),
      next_cpus_(now + cpus_s),
      fewest_(thread_placer_.plan().cores) {
  thread_placer_.explain_masks_by([this] { return changed_grant(); });
  thread_placer_.set_most_cores(most_cores());
}

double Attachment::step(double now) {
  if (cpus_ && now >= next_cpus_) look_at_cpus(now);
  if (follower_ && now >= next_share_) look_at_share(now);
  double next = thread_placer_.step(now);
  if (follower_ && wanted(now) > asked_) next_share_ = std::min(next_share_, shared_at_ + lease::short_look_seconds);
  if (follower_) next = std::min(next, next_share_);
  if (cpus_) next = std::min(next, next_cpus_);
  fewest_ = std::min(fewest_, thread_placer_.plan().cores);
  return next;
}

/// Cores that the program can use. It is all that it may have until it is known what it does.
int Attachment::wanted(double now) const {
  const int most = most_cores();
  return now - started_ < unknown_s ? most : std::min(thread_placer_.demand(), most);
}

int Attachment::most_cores() const { return cores_of_chiplets(granted_.machine, chiplets_, granted_.chiplet_order); }

const CoreCpuSet* Attachment::leased() const { return follower_ ? &follower_->cores() : nullptr; }

void Attachment::look_at_share(double now) {
  shared_at_ = now;
  asked_ = wanted(now);
  next_share_ = now + follower_->look(now, asked_, thread_placer_.busy(), *this);
  thread_placer_.others().set_leased(follower_->cpus_of_others());
  most_holders_ = std::max(most_holders_, follower_->lease().standing().holders);
}

void Attachment::use_cores(const CoreCpuSet& cores, double now) {
  thread_placer_.use(plan_on(granted_, chiplets_, &cores), now);
}

bool Attachment::has_left(const CpuSet& cpus) const { return thread_placer_.has_left(cpus); }

/// Null where nothing has changed since the plan was made.
std::optional<CpuSet> Attachment::changed_grant() const {
  auto grant = cpus_ ? cpus_->granted() : std::nullopt;
  return grant == grant_ ? std::nullopt : grant;
}

void Attachment::may_grow(std::unique_ptr<Growth> growth) {
  growth_ = std::move(growth);
  known_ = growth_->known();
}

/// The lease is made anew, since it knows only the cores of the machine that it was made for.
void Attachment::grow(const CpuSet& granted) {
  known_ |= granted;
  auto plan = growth_->plan_on(granted);
  if (!plan) return;
  const bool shares = follower_ != nullptr;
  follower_.reset();
  whole_ = std::move(*plan);
  if (!shares) return;
  if (auto lease = growth_->lease_on(whole_))
    follower_ = std::make_unique<binding::LeaseFollower>(std::move(lease), whole_.machine);
}

void Attachment::look_at_cpus(double now) {
  next_cpus_ = now + cpus_s;
  auto grant = cpus_->granted();
  if (grant == grant_ || !grant) return;
  if (growth_ && !(*grant - known_).empty()) {
    grow(*grant);
    thread_placer_.came_with(*grant);
  }
  granted_ = on_cpus(whole_, *grant);
  thread_placer_.set_most_cores(most_cores());
  thread_placer_.use(plan_on(granted_, chiplets_, leased()), now);
  grant_ = std::move(grant);  // not before: until then masks are what the kernel has made of those of the old plan
}

}  // namespace charm::attach
