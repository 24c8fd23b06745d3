// Decides where the mask of a new thread comes from. A thread begins with the mask of the thread that created it: one
// that `charm` has set ("ours"), or one that the program has chosen. The kernel does not say which thread that was, so
// the masks that the threads of its process and of its parent process had at that time decide.
//
// - A mask that none of these threads had from us a moment ago was chosen by the program.
// - Chosen by a relative: if one of them has the same mask by its own choice, the mask was chosen.
//
// In doubt a mask counts as ours, for instance if a thread pins itself, before it is found, to the one cpu that a
// thread of its parent is bound to. No system calls are made here.
#pragma once

#include <charm/id_set.hpp>

#include <map>

namespace charm::attach {

class MaskOrigin {
 public:
  static constexpr double moment_s = 1;  ///< longer than a thread exists before it is found

  /// A thread of the process has the mask from us from now on, or by its own choice.
  void has(int process, int thread, const CpuSet& mask, bool chosen, double now);
  /// The thread has ended, or has no mask that a new thread could inherit. Its former mask still counts for a moment.
  void gone(int process, int thread, double now);
  /// Forgets what was in force more than a moment ago.
  void prune(double now);

  /// Whether a new thread of `process`, which a thread of `parent` may have created, has `mask` from us.
  /// \param parent a process; 0: not known, so it may be any.
  [[nodiscard]] bool ours(int process, int parent, const CpuSet& mask) const;

 private:
  struct Mask {
    CpuSet mask;
    bool chosen = false;
  };
  struct Count {
    int ours = 0, chosen = 0;  // threads that have the mask from us, and by their own choice
  };
  struct Process {
    std::map<int, Mask> threads;
    std::map<CpuSet, Count> counts;  // of these threads
    std::map<CpuSet, double> past;   // masks that we had set, and until when
  };
  static int& count_of(Process& process, const Mask& mask);
  static void retire(Process& process, const Mask& mask, double now);

  std::map<int, Process> processes_;
};

}  // namespace charm::attach
