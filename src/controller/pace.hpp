// Measures how fast the phases of a program alternate, and decides whether the controller follows each phase or
// averages them.
//
// Following a phase costs the samples until it is recognised, and the move. Where phases are too short for that, or so
// short that they look like scatter, the best choice is the level that is best for the mixture.
// Invariant: the controller changes to averaging quickly, and back only after a time that doubles whenever following
// turns out wrong again, so that no rhythm of the program makes it alternate between the two for long.
#pragma once

#include "controller/noise.hpp"
#include "controller/phases.hpp"

namespace charm::controller {

class Pace {
 public:
  /// \param follow ticks that phases must last on average to be followed.
  Pace(double band, int follow) : band_(band), follow_(follow) {}

  [[nodiscard]] bool averaging() const { return averaging_; }
  /// Mean length of a phase in ticks; huge if hardly any change was seen.
  [[nodiscard]] double phase_length(long now) const { return clock_.mean_length(now, 1e9); }

  /// Takes every tick's sample. \param passed_over the tick belongs to a phase that is too short to be followed,
  /// between longer ones. \returns whether the mode changed.
  bool feed(const Sample& tick, long now, bool passed_over = false);

  /// Notes a change of phase that was seen while phases are followed.
  void note_change(long now) {
    if (!averaging_) clock_.note(now);
  }
  /// Notes that the workers move: later throughputs cannot be compared with earlier ones.
  void moved() {
    throughput_noise_.cut();
    throughput_ = {};
  }

 private:
  void count_changes(const Sample& tick, long now);

  double band_;
  int follow_;
  bool averaging_ = false;
  PhaseClock clock_;
  NoiseMeter throughput_noise_, intensity_noise_;
  Mean throughput_, intensity_;  // means since the last change that was seen while averaging
  int odd_ = 0;                  // consecutive samples that differ from these means
  long stay_ = 0, changed_ = 0;
  double passed_over_ = 0;  // share of ticks in phases that are too short to be followed
};

}  // namespace charm::controller
