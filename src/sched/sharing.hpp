// The runtime's share of a machine that it leases beside other programs (setting share): a thread that looks a few
// times a second, asks for as many cores as there are workers while they work and for one while the process is idle,
// and hands what it holds to the steering as the cpus that may be used: a change is a new epoch, as when a cgroup
// changes.
//
// It also listens to what other programs do on the cpus, so that cores which they keep busy are exchanged for quiet
// ones (lease/noise.hpp).
//
// Invariant: a core is given back when no worker sits on it any more; a worker that stays in one long function is
// waited for, but no longer than the others can be made to wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "lease/lease.hpp"
#include "lease/noise.hpp"
#include "os/processes.hpp"

namespace charm::sched {

class Steering;

class Sharing {
 public:
  /// Null where the settings do not ask for it.
  /// \throws Error (system) where the table of shares cannot be used.
  static std::unique_ptr<Sharing> start(const base::Settings& settings, const Machine& machine, int workers,
                                        Steering& steering);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

 private:
  Sharing(std::unique_ptr<lease::Lease> lease, const Machine& machine, int workers, Steering& steering);
  void main();
  void look();
  [[nodiscard]] int wanted();
  void listen();
  [[nodiscard]] std::vector<int> cpus_of(const std::vector<int>& cores) const;

  std::unique_ptr<lease::Lease> lease_;
  const Machine& machine_;
  const int workers_;
  Steering& steering_;
  double begun_, seen_, used_ = 0;  // the process's cpu time when it was looked at last
  double quiet_since_ = -1;
  bool idle_ = false;
  std::vector<int> leaving_;  // cores that are to be given back
  double leaving_since_ = 0;
  const os::Processes processes_;
  std::map<int, std::uint64_t> ran_ns_;  // of each thread at the latest window
  lease::OwnTime own_;
  lease::Noise noise_;

  std::mutex mutex_;
  std::condition_variable ending_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace charm::sched
