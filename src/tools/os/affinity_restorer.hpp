// The affinity restorer: a process that waits for the end of the process that made it. If that process is killed and
// cannot clean up, the restorer gives the threads of the attached program their masks back and exits. Without it these
// threads, and all threads that they create, would stay bound to single cores.
#pragma once

#include <charm/id_set.hpp>

namespace charm::os {

class AffinityRestorer {
 public:
  /// Must be made before there are other threads.
  /// \param mask the mask to give to the threads of the program and of all processes that descend from it. If no
  /// process can be made there is no restorer, which is not an error.
  explicit AffinityRestorer(const CpuSet& mask);
  ~AffinityRestorer();  ///< ends the restorer: there is nothing left to restore
  AffinityRestorer(const AffinityRestorer&) = delete;
  AffinityRestorer& operator=(const AffinityRestorer&) = delete;

  /// Sets the program whose threads it restores.
  void watch_over(int pid) const;
  /// Excludes a thread: it keeps its mask, which the program has chosen.
  void leave_alone(int thread) const;

 private:
  int pipe_ = -1;
  int pid_ = -1;
};

}  // namespace charm::os
