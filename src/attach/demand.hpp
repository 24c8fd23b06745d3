// Demand: how many cores a program can use, as far as that shows from outside.
//
// A program that makes a process or a thread for each task never has one of them for long, and where it has too few
// cores its tasks queue and use no more cpu time than these cores have. So neither the threads that are there at the
// moment nor the cpu time alone tells what it could use. A sample therefore counts
//
//  - what the threads that are there ran or waited for a cpu since the sample before,
//  - the threads that were created since then and are ready to run (they have no past to judge them by), and
//  - the cpu time of all of the program, which includes threads that have been created and have ended in between,
//
// and the demand is the largest sample of the last seconds, so that a pause between two bursts does not count.
//
// Pure: the clock and what was seen are arguments.
#pragma once

#include <deque>

namespace charm::attach {

/// What was seen of a program between two samples.
struct Activity {
  double wanted = 0;  ///< cpus' worth of time for which its present threads ran or were ready to run
  double ran = 0;     ///< cpus' worth of time that all of it ran, with threads and children that have ended
  int workers = 0;    ///< threads with the role of a worker (attach/role.hpp)
};

/// Cores that would have served it; at least one. The kernel tells cpu time in ticks of 10 ms for each process, so
/// a third of a core is within the error of `ran`.
int cores_for(const Activity& seen);

class Demand {
 public:
  static constexpr double memory_s = 5;  ///< longer than most pauses between two bursts of work

  void sample(double now, const Activity& seen);
  /// The largest sample of the last memory_s seconds; one where there was none.
  [[nodiscard]] int cores() const { return samples_.empty() ? 1 : samples_.front().cores; }

 private:
  struct Sample {
    double at = 0;
    int cores = 1;
  };
  std::deque<Sample> samples_;  // later ones are smaller: the first is the largest that still counts
};

}  // namespace charm::attach
