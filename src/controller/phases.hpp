// What the controller remembers of each phase of a program: its intensity, its throughput at every level that was
// tried, the level that it settled at, and which levels need not be tried again soon. When a phase returns it is
// recognised, and the workers go to its level at once.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "controller/sample.hpp"

namespace charm::controller {

/// A mean in which old samples slowly lose weight.
struct Mean {
  static constexpr int longest_memory = 100;
  double value = 0;
  int count = 0;
  void add(double x, int memory = longest_memory) {
    ++count;
    value += (x - value) / (count < memory ? count : memory);
  }
};

/// Relative differences (natural logarithms) up to which two samples count as alike.
struct Bands {
  double throughput = 0.1, intensity = 0.1;
};

struct Phase {
  int home = 0;    // index of the level that was found best, at first of the level where it was first seen
  Mean intensity;  // mean of the logarithm of the intensity; without counters it stays empty
  std::vector<Mean> throughput;   // by level
  Mean stall_remote, stall_dram;  // shares of stalled time at the home level
  Mean memory_gb_per_s;           // lines from memory at the home level
  std::vector<int> failures;      // by level: how often a probe of it failed
  std::vector<int> broken;        // by level: how often the work seemed to change while it was probed
  std::vector<long> wait_until;   // by level: tick before which it is not tried again
  std::vector<bool> was_home;
  int rejections = 0;     // consecutive probes without a gain
  long next_probe = 0;    // tick before which nothing is tried
  int look_further = -1;  // level to try next because the levels before it were equally good
  int direction = 0;      // direction of the last move that brought a gain
  Mean stay;              // mean ticks of a visit
  long last_seen = 0;
  int mistaken = 0;   // consecutive visits that met different work at its home level
  bool fresh = true;  // nothing was tried in it yet
};

class PhaseMemory {
 public:
  explicit PhaseMemory(std::size_t levels) : levels_(levels) {}

  static constexpr int no_phase = -1;

  [[nodiscard]] bool empty() const { return phases_.empty(); }
  [[nodiscard]] Phase& operator[](int phase) { return phases_[static_cast<std::size_t>(phase)]; }

  /// Adds a phase, first seen at `level`; if the memory is full it replaces the phase that was not seen for longest.
  int create(int level, const Sample& sample, long now);

  /// Forgets a phase that turned out to be another one.
  void drop(int phase);

  /// Whether a sample at `level` does not look like the phase.
  [[nodiscard]] bool differs(int phase, int level, const Sample& sample, const Bands& bands) const;
  [[nodiscard]] bool differs_in_intensity(int phase, const Sample& sample, const Bands& bands) const;

  /// The remembered phase, other than `except`, that a sample at `level` resembles most; no_phase if there is none.
  [[nodiscard]] int match(int except, int level, const Sample& sample, const Bands& bands) const;

 private:
  static constexpr std::size_t phase_limit = 16;
  std::size_t levels_;
  std::deque<Phase> phases_;
};

/// When phases changed, and how long they last.
class PhaseClock {
 public:
  void note(long tick) {
    changes_.push_back(tick);
    if (changes_.size() > change_count) changes_.pop_front();
  }
  /// Mean ticks of the last phases, the running one included; `unknown` until enough were seen.
  [[nodiscard]] double mean_length(long now, double unknown) const {
    return changes_.size() < change_count
               ? unknown
               : static_cast<double>(now - changes_.front()) / static_cast<double>(change_count);
  }

 private:
  static constexpr std::size_t change_count = 8;
  std::deque<long> changes_;
};

}  // namespace charm::controller
