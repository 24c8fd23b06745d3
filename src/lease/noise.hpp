// Which cpus other programs keep busy: what the kernel counts on a cpu, less what this program's own threads did there,
// smoothed and with two limits far apart.
//
//  N1  Doubt is silence: time of own threads that were not bound to a single cpu counts as if each cpu had had all of
//      it.
//  N2  A load that comes and goes within a second and a half is never loud; one that takes a whole cpu is after two
//      seconds, one that takes half of it (two bound programs on one core) after five. What was loud stays so until it
//      has been quiet for five seconds at least: so a cpu changes sides twice in six seconds at most.
//
// Cpus that other programs have leased are not listened to: what goes on there is none of anybody's business, and is
// over when they are given back.
//
// Values and no system call: the clock, the kernel's counts and the own time come in as arguments.
#pragma once

#include <map>
#include <vector>

#include "os/cpu_load.hpp"

namespace charm::lease {

/// Time that this program's threads ran, in seconds since it is watched.
struct OwnTime {
  std::map<int, double> bound;  ///< by cpu, of threads that were bound to it alone
  double all = 0;               ///< of all threads together
};

class Noise {
 public:
  static constexpr double window_s = 1;
  static constexpr double memory_s = 5;
  static constexpr double loud_from = 0.3;
  static constexpr double quiet_below = 0.1;

  [[nodiscard]] bool due(double now) const { return now >= due_; }
  /// \param cpus as os::cpu_times() gives them. \param own since the same moment as ever.
  /// \param leased cpus that others have leased, ascending.
  void look(double now, std::map<int, os::CpuTime> cpus, OwnTime own, const std::vector<int>& leased = {});
  /// Ascending.
  [[nodiscard]] const std::vector<int>& loud() const { return loud_; }

 private:
  struct Cpu {
    double level = 0;  // others' share of its time
    bool loud = false;
  };
  std::map<int, Cpu> levels_;
  std::vector<int> loud_;
  bool begun_ = false;
  double due_ = 0, at_ = 0;
  std::map<int, os::CpuTime> before_;
  OwnTime own_before_;
};

}  // namespace charm::lease
