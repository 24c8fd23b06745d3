// Puts the n-th thread of a program on the n-th cpu of a list, from outside; after the last cpu comes the first again.
//
// Threads are numbered in the order in which they begin. Threads that begin between two searches are ordered by their
// ids, which the kernel gives out in ascending order. A thread is bound once, when it is found; if the program changes
// its mask afterwards, that mask stays. Processes that are not followed get all cpus of the list, unless they have
// chosen a mask of their own. restore() gives the former masks back to threads that still have the mask that was set.
//
// The clock is an argument, and all of the system is behind the interface System.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/attach/system.hpp"

namespace charm::attach {

class ThreadPinner {
 public:
  /// \param cpus not empty; a cpu that is named twice takes two threads.
  /// \param came_with the mask that the program would have without this object.
  ThreadPinner(System& system, std::vector<int> cpus, CpuSet came_with);

  /// Binds the threads that are new, if there may be any. \returns the time at which to call it again, at the latest;
  /// before that if System::announces() is readable.
  double step(double now);
  void restore();

  struct Pinned {
    ThreadId id;
    int cpu = -1;  ///< -1: the kernel did not bind it
  };
  [[nodiscard]] const std::vector<Pinned>& pinned() const { return pinned_; }
  [[nodiscard]] const CpuSet& cpus() const { return all_; }
  /// What the kernel refused, in words; empty: nothing.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Mask {
    CpuSet original, set;
  };
  bool pin_new_threads(bool first);

  System& system_;
  const std::vector<int> cpus_;
  const CpuSet came_with_;
  CpuSet all_;
  std::map<ThreadId, Mask> masks_;
  std::vector<Pinned> pinned_;
  std::size_t next_ = 0;
  bool first_ = true;
  std::string trouble_;
};

}  // namespace charm::attach
