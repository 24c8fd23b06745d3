// Demand: how many cores a program can use, as far as that shows from outside.
//
// Some programs make a short-lived process or thread for each task. With too few cores their tasks queue, and use no
// more cpu time than these cores have. So neither the present threads nor the cpu time alone shows how many cores the
// program could use. A sample is therefore the largest of
//
//  - the number of workers (tools/attach/role.hpp),
//  - the time for which the present threads ran or waited for a cpu since the sample before,
//  - the same at the latest search for new threads, where each new thread that is ready to run counts as one, and
//  - the cpu time of the whole program, which includes threads that were created and have ended in between.
//
// The demand is the largest sample of the last seconds, so that a pause between two bursts does not count.
//
// Pure: the clock and the observations are arguments.
#pragma once

#include <deque>

namespace charm::attach {

/// What was seen of a program between two samples.
struct Activity {
  double wanted = 0;  ///< cpus' worth of time for which its present threads ran or were ready to run
  double ran = 0;     ///< cpus' worth of time that all of it ran, with threads and children that have ended
  int workers = 0;    ///< threads with the role of a worker (tools/attach/role.hpp)
};

/// Cores that the program could have used; at least one. The kernel counts cpu time in ticks of 10 ms for each process,
/// so a third of a core is within the error of `ran`.
int cores_for(const Activity& seen);

class Demand {
 public:
  static constexpr double memory_s = 5;  ///< longer than most pauses between two bursts of work

  void sample(double now, const Activity& seen);
  /// The largest sample of the last memory_s seconds; one if there was none.
  [[nodiscard]] int cores() const { return samples_.empty() ? 1 : samples_.front().cores; }

 private:
  struct Sample {
    double at = 0;
    int cores = 1;
  };
  std::deque<Sample> samples_;  // later ones are smaller: the first is the largest that still counts
};

}  // namespace charm::attach
