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

#include <algorithm>
#include <deque>
#include <utility>

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

/// The demand by what a ThreadPlacer sees of a program from time to time.
class DemandOfProgram {
 public:
  /// At a search for new threads. \param wanted as in Activity.
  void searched(double wanted) { most_wanted_ = std::max(most_wanted_, wanted); }
  /// \param used returns the cpu time of all of the program, in seconds; asked for a few times a second.
  template <class Used>
  void sample(double now, double wanted, int workers, Used used) {
    if (now - used_at_ >= window_s) {
      const double before = std::exchange(used_, used());
      ran_ = used_at_ < 0 ? 0 : std::max(0.0, used_ - before) / (now - used_at_);
      used_at_ = now;
    }
    demand_.sample(now, {std::max(wanted, std::exchange(most_wanted_, 0.0)), ran_, workers});
  }
  [[nodiscard]] int cores() const { return demand_.cores(); }

 private:
  static constexpr double window_s = 0.25;  // the kernel's ticks are too coarse for less
  Demand demand_;
  double most_wanted_ = 0;  // at a search since the latest sample
  double used_ = 0, used_at_ = -1, ran_ = 0;
};

}  // namespace charm::attach
