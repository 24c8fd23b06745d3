// Follows a share of the machine that is leased beside other programs (lease/lease.hpp), for the runtime's workers and
// for threads of other programs alike: reads the table of shares, says which cores may be used, and gives back cores
// that are due to others.
//
// Invariant: a core is given back when no thread is on it any more. If a thread cannot leave (a worker inside of a long
// function), the core is given back after `leave_s`, so that other programs do not starve. While threads leave cores
// nothing else changes. It has no thread and no clock: look() says when it wants to be called again.
#pragma once

#include <charm/id_set.hpp>

#include <memory>

#include "base/id_sets.hpp"
#include "lease/lease.hpp"

namespace charm::binding {

/// The threads that must stay on the cores of a lease.
class LeasedThreads {
 public:
  LeasedThreads() = default;
  virtual ~LeasedThreads() = default;
  LeasedThreads(const LeasedThreads&) = delete;
  LeasedThreads& operator=(const LeasedThreads&) = delete;

  /// Moves the threads to these cores, at once or soon.
  virtual void use_cores(const CoreCpuSet& cores, double now) = 0;
  /// Whether no thread is placed on one of these cpus any more.
  [[nodiscard]] virtual bool has_left(const CpuSet& cpus) const = 0;
};

class LeaseFollower {
 public:
  static constexpr double leave_s = 2;

  LeaseFollower(std::unique_ptr<lease::Lease> lease, const Machine& machine)
      : lease_(std::move(lease)), machine_(machine), cores_(lease_->standing().keeps()) {}

  /// \param wanted cores that the threads can use. \param busy cpus that programs without leases keep busy.
  /// \returns seconds until it is to be called again.
  double look(double now, int wanted, const CpuSet& busy, LeasedThreads& threads);

  /// Whether it has the cores that it is due, and none that it has to give back.
  [[nodiscard]] bool settled() const;
  /// The cores that may be used at present.
  [[nodiscard]] const CoreCpuSet& cores() const { return cores_; }
  /// All cpus of the cores that others have leased.
  [[nodiscard]] CpuSet cpus_of_others() const;
  [[nodiscard]] const lease::Lease& lease() const { return *lease_; }

 private:
  void give_back_left(double now, const LeasedThreads& threads);

  std::unique_ptr<lease::Lease> lease_;
  const Machine& machine_;
  CoreCpuSet cores_;
  CoreCpuSet leaving_;  // cores that will be given back when no thread is on them
  double leaving_since_ = 0;
};

}  // namespace charm::binding
