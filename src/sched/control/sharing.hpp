// The runtime's lease of cores beside other programs (setting share): a thread that reads the table of leases a few
// times a second, and asks for as many cores as there are workers while they work and for one while the process is
// idle. It passes the leased cores (binding/lease_follower.hpp) to the steering as the cpus that may be used: a change
// begins a new placement generation, as when a cgroup changes.
//
// It also samples how much other programs use the cpus, so that cores which they keep busy are exchanged for quiet ones
// (lease/interference.hpp).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/settings.hpp"
#include "binding/lease_follower.hpp"
#include "lease/interference.hpp"
#include "lease/lease.hpp"
#include "os/processes/processes.hpp"

namespace charm::sched {

class Runtime;

class Sharing final : binding::LeasedThreads {
 public:
  /// Null if the settings do not ask for it.
  /// \throws Error (system) where the table of shares cannot be used.
  static std::unique_ptr<Sharing> start(Runtime& runtime);
  /// A number for the table of leases that these settings name, which is the same in all programs that share it; 0 if
  /// they name none, or it cannot be used.
  static std::uint64_t table(const base::Settings& settings);
  ~Sharing() override;
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  /// Reads the table now, instead of some time in the next quarter of a second. Not to be called by workers, which have
  /// to leave the cores that are given back. \return whether the runtime has the cores that it is due, and no others.
  bool look_now();

 private:
  Sharing(std::unique_ptr<lease::Lease> lease, Runtime& runtime);
  void main();
  double look();
  [[nodiscard]] int wanted();
  void sample_interference();
  void use_cores(const CoreCpuSet& cores, double now) override;
  [[nodiscard]] bool has_left(const CpuSet& cpus) const override;

  Runtime& runtime_;
  const Machine& machine_;
  const int workers_;
  binding::LeaseFollower follower_;
  double begun_, seen_, used_ = 0;  // times of the start and of the latest check, and the process's cpu time then
  double quiet_since_ = -1;
  bool idle_ = false;
  const os::Processes processes_;
  std::map<int, std::uint64_t> ran_ns_;  // by thread: its cpu time at the latest window
  lease::OwnTime own_;
  lease::Interference interference_;

  std::mutex mutex_;
  std::condition_variable news_;
  bool stop_ = false;
  std::uint64_t asked_ = 0;     // calls of look_now()
  std::uint64_t answered_ = 0;  // those that came before the latest look began
  bool settled_ = false;        // by that look
  std::thread thread_;
};

}  // namespace charm::sched
