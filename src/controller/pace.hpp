// How fast the phases of a program alternate, and with it whether they can be followed one by one or have to be
// averaged.
//
// Following a phase costs the samples until it is recognised and the move; where phases are too short for that, or so
// short that they look like scatter, the best one can do is the level that is best for the mixture.
// Invariant: going over to averaging is quick, going back is not before a stay that doubles each time that following
// turns out wrong again, so that no rhythm makes the two modes alternate for long.
#pragma once

#include "controller/noise.hpp"
#include "controller/phases.hpp"

namespace charm::controller {

class Pace {
 public:
  /// \param follow ticks that phases must last on average to be followed.
  Pace(double band, int follow) : band_(band), follow_(follow) {}

  [[nodiscard]] bool averaging() const { return averaging_; }
  /// Mean ticks of a phase; huge where hardly any change was seen.
  [[nodiscard]] double phase_length(long now) const { return clock_.mean_length(now, 1e9); }

  /// Takes every tick's sample. \param passed_over the tick is part of a phase that is too short to be followed, beside
  /// others that are not. \returns whether the mode changed.
  bool feed(const Sample& tick, long now, bool passed_over = false);

  /// A change of phase that was seen while phases are followed.
  void note_change(long now) {
    if (!averaging_) clock_.note(now);
  }
  /// The workers move: throughputs from now on do not compare with those before.
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
  Mean throughput_, intensity_;  // since the last change seen while averaging
  int odd_ = 0;                  // samples in a row unlike these
  long stay_ = 0, changed_ = 0;
  double passed_over_ = 0;  // share of such ticks while phases are followed
};

}  // namespace charm::controller
