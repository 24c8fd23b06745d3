// The affinity restorer: a process that waits for the end of the process that made it. If that process is killed and
// cannot clean up, the restorer gives the threads of the attached program their masks back and exits. Without it these
// threads, and all threads that they create, would stay bound to single cores.
#pragma once

#include <charm/id_set.hpp>

namespace charm::os {

class AffinityRestorer {
 public:
  /// To be called before there are other threads. \param children whether processes of the program are to be freed,
  /// too.
  /// \param mask for all of them. If no process can be made there is none, which is no error.
  AffinityRestorer(const CpuSet& mask, bool children);
  ~AffinityRestorer();  ///< dismisses it: there is nothing to clean up any more
  AffinityRestorer(const AffinityRestorer&) = delete;
  AffinityRestorer& operator=(const AffinityRestorer&) = delete;

  /// The program that it is for.
  void watch_over(int pid) const;

 private:
  int pipe_ = -1;
  int pid_ = -1;
};

}  // namespace charm::os
