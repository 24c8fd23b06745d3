// Everything that happens while the threads of a program are placed: the ThreadPlacer's steps, the cores that are
// leased for the program beside others, and the cpus that cgroups leave. No loop and no clock: step() says when it
// wants to be called again.
#pragma once

#include <memory>
#include <optional>

#include "binding/lease_follower.hpp"
#include "lease/lease.hpp"
#include "os/threads/cpu_watch.hpp"
#include "tools/attach/thread_placer.hpp"

namespace charm::attach {

/// What is planned on cpus that cgroups grant only after the start.
class Growth {
 public:
  Growth() = default;
  virtual ~Growth() = default;
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;

  /// The cpus that were granted when the program's plan was made.
  [[nodiscard]] virtual const CpuSet& known() const = 0;
  /// \return nothing where it cannot be planned.
  virtual std::optional<AttachPlan> plan_on(const CpuSet& granted) = 0;
  /// \return null: the machine is not shared.
  virtual std::unique_ptr<lease::Lease> lease_on(const AttachPlan& plan) = 0;
};

class Attachment final : binding::LeasedThreads {
 public:
  /// \param plan the plan on all cpus that the user asked for, without regard to leases.
  /// \param chiplets largest number of chiplets to use (--chiplets), also of the leased cores; 0: all.
  /// \param lease null: the machine is not shared.
  Attachment(System& system, const AttachPlan& plan, int chiplets, CpuSet came_with, bool attached,
             std::unique_ptr<lease::Lease> lease, std::unique_ptr<os::CpuWatch> cpus, double now);

  /// The program may use cpus that it is granted later. Without this it keeps to those of the plan.
  void may_grow(std::unique_ptr<Growth> growth);

  double step(double now);
  [[nodiscard]] ThreadPlacer& thread_placer() { return thread_placer_; }
  [[nodiscard]] const ThreadPlacer& thread_placer() const { return thread_placer_; }
  [[nodiscard]] const lease::Lease* lease() const { return follower_ ? &follower_->lease() : nullptr; }
  [[nodiscard]] int fewest_cores() const { return fewest_; }
  [[nodiscard]] int most_holders() const { return most_holders_; }

  /// The plan on the cores of a lease. \param leased the cores; null: there is no lease.
  static AttachPlan plan_on(const AttachPlan& plan, int chiplets, const CoreCpuSet* leased);

 private:
  void use_cores(const CoreCpuSet& cores, double now) override;
  [[nodiscard]] bool has_left(const CpuSet& cpus) const override;
  [[nodiscard]] const CoreCpuSet* leased() const;
  void look_at_share(double now);
  void look_at_cpus(double now);
  void grow(const CpuSet& granted);
  [[nodiscard]] int wanted(double now) const;
  [[nodiscard]] int most_cores() const;
  [[nodiscard]] std::optional<CpuSet> changed_grant() const;

  AttachPlan whole_;    // on all cpus that the user asked for
  AttachPlan granted_;  // on the cpus of these that cgroups leave
  const int chiplets_;
  std::unique_ptr<binding::LeaseFollower> follower_;  // null: the machine is not shared
  std::unique_ptr<os::CpuWatch> cpus_;
  std::unique_ptr<Growth> growth_;  // null: it keeps to the cpus of the plan
  CpuSet known_;                    // cpus that growth_ has been asked for
  ThreadPlacer thread_placer_;
  const double started_;
  std::optional<CpuSet> grant_;
  double next_share_, next_cpus_;
  double shared_at_ = 0;  // the latest look at the table
  int asked_ = 0;         // cores, then
  int fewest_, most_holders_ = 1;
};

}  // namespace charm::attach
