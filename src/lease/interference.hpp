// Interference: which cpus other programs keep busy. It is the time that the kernel counts on a cpu, less the time of
// this program's own threads there, smoothed and compared with two limits that are far apart.
//
// - Quiet in doubt: in doubt a cpu counts as quiet: the time of own threads that were not bound to a single cpu is
//   subtracted from every cpu, since it may have been spent on any of them.
// - A load that comes and goes within a second and a half never makes a cpu busy. A load that takes a whole cpu does
//   after two seconds, one that takes half of it (two bound programs on one core) after five. A busy cpu stays busy
//   until it has been quiet for at least five seconds. So a cpu changes state at most twice in six seconds.
//
// Cpus that other programs have leased are not sampled: their load concerns nobody else and ends when they are given
// back.
//
// No system calls are made here: the clock, the kernel's counts and the own time are arguments.
#pragma once

#include <charm/id_set.hpp>

#include <map>

#include "os/machine/cpu_load.hpp"

namespace charm::lease {

/// Time that this program's threads have run since observation began, in seconds.
struct OwnTime {
  std::map<int, double> bound;  ///< by cpu: time of the threads that were bound to this cpu alone
  double all = 0;               ///< time of all threads together
};

class Interference {
 public:
  static constexpr double interval_s = 1;
  static constexpr double memory_s = 5;
  static constexpr double busy_from = 0.3;
  static constexpr double quiet_below = 0.1;

  [[nodiscard]] bool due(double now) const { return now >= due_; }
  /// \param cpus the result of os::cpu_times(). \param own times since the same moment in every call.
  /// \param leased cpus that others have leased.
  void sample(double now, std::map<int, os::CpuTime> cpus, OwnTime own, const CpuSet& leased = {});
  /// The cpus that other programs keep busy.
  [[nodiscard]] const CpuSet& busy() const { return busy_; }

 private:
  struct Cpu {
    double level = 0;  // share of its time that other programs use
    bool busy = false;
  };
  std::map<int, Cpu> levels_;
  CpuSet busy_;
  bool begun_ = false;
  double due_ = 0, at_ = 0;
  std::map<int, os::CpuTime> before_;
  OwnTime own_before_;
};

}  // namespace charm::lease
