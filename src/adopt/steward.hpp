// Everything that goes on while a program is steered: the Adopter's steps, the share of the machine that is leased for
// it beside other programs, and the cpus that cgroups leave. No loop and no clock: step() says when it wants to be
// called again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adopt/adopter.hpp"
#include "lease/lease.hpp"
#include "os/cpu_watch.hpp"

namespace charm::adopt {

class Steward {
 public:
  /// \param plan on all cpus that were asked for; without regard to the share.
  /// \param most_cores that may be used of them (--chiplets); what is leased is cut to `chiplets` (0: all).
  /// \param lease null: the machine is not shared.
  Steward(System& system, const Plan& plan, int chiplets, std::vector<int> came_with, bool attached,
          std::unique_ptr<lease::Lease> lease, std::unique_ptr<os::CpuWatch> cpus, double now);

  double step(double now);
  [[nodiscard]] Adopter& adopter() { return adopter_; }
  [[nodiscard]] const Adopter& adopter() const { return adopter_; }
  [[nodiscard]] const lease::Lease* lease() const { return lease_.get(); }
  [[nodiscard]] int fewest_cores() const { return fewest_; }
  [[nodiscard]] int most_holders() const { return most_holders_; }

  /// The plan on what a lease has.
  static Plan plan_on(const Plan& plan, int chiplets, const lease::Lease* lease);

 private:
  void look_at_share(double now);
  void look_at_cpus(double now);
  [[nodiscard]] int wanted(double now);

  Plan whole_;    // as it was asked for
  Plan granted_;  // what cgroups leave of it
  const int chiplets_;
  std::unique_ptr<lease::Lease> lease_;
  std::unique_ptr<os::CpuWatch> cpus_;
  Adopter adopter_;
  const double started_;
  std::optional<std::vector<int>> grant_;
  std::vector<int> held_;
  double next_share_, next_cpus_, low_since_ = -1;
  int want_;
  int fewest_, most_holders_ = 1;
};

}  // namespace charm::adopt
