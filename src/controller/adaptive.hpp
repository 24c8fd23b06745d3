// The default controller: cache fills say which spread to try, and throughput decides whether to keep it.
//
// It replaces CHARM §4.2, Algorithm 1, whose single threshold can suit only one kind of work. Where no data is shared
// there are no fills from other chiplets, so nothing makes it spread; where data is shared, spreading raises the very
// rate that makes it spread further. Here the fills only suggest what to try first; a level is kept if it was measured
// to be faster.
//
// States: HOLD at a phase's home level, or PROBE of another level.
// Invariants: the controller leaves a level only after a comparison in the present phase, or because it recognised the
// phase. Spreading must gain `expand`, packing may cost `contract`, and both differences must exceed the scatter, so
// that no two levels can each look better than the other. The pause before a failed level is tried again doubles each
// time. Once all levels have failed, probes of any kind come at most every `backoff_max` ticks.
#pragma once

#include "controller/controller.hpp"
#include "controller/noise.hpp"
#include "controller/pace.hpp"
#include "controller/phases.hpp"

namespace charm::controller {

struct AdaptiveParameters {
  explicit AdaptiveParameters(const Parameters& given);
  double tick;
  int settle;
  double band, expand, contract;
  int min_samples, max_samples;
  int backoff, backoff_max;
  double stall_floor, grain, idle;
  int follow, window;
};

class Adaptive final : public Controller {
 public:
  Adaptive(const Setup& setup, const Parameters& parameters);

  int tick(const Signals& signals) override;
  [[nodiscard]] int spread() const override { return setup_.levels[at(level_)]; }
  [[nodiscard]] double period() const override { return set_.tick; }
  [[nodiscard]] bool settled() const override { return !probing_; }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] int top() const { return static_cast<int>(setup_.levels.size()) - 1; }
  [[nodiscard]] Phase& phase() { return memory_[current_]; }

  void step(Sample sample);
  void hold(const Sample& sample);
  void start_probe(int level, const Sample& sample);
  void probe(const Sample& sample);
  [[nodiscard]] bool is_news(const Sample& sample);
  void change_phase(const Sample& sample, int known);
  [[nodiscard]] int candidate(const Sample& sample);
  [[nodiscard]] int level_for_bandwidth();
  [[nodiscard]] bool is_calm(const Sample& sample);
  void accept(double gain);
  void reject(double gain, double error);
  [[nodiscard]] bool phases_are_short() const;
  [[nodiscard]] bool is_short(const Phase& phase) const;
  [[nodiscard]] bool is_interlude();
  void resume(const Sample& sample);
  void doubt(const Sample& sample);
  [[nodiscard]] bool join_twin(const Sample& sample);
  bool wait_for_next_round();
  void break_off();
  void return_home(int tried);
  [[nodiscard]] long pause(int failures) const;
  void move(int level, const Sample& sample, const std::string& reason);
  void restart_window();
  [[nodiscard]] Bands bands() const;

  void change_mode();

  Setup setup_;
  AdaptiveParameters set_;
  Sampler sampler_;
  NoiseMeter throughput_noise_, intensity_noise_;  // scatter of the samples that are compared: ticks, or windows
  Pace pace_;
  PhaseMemory memory_, other_mode_;  // phases of the present mode (following or averaging), and of the other one

  long now_ = 0;      // ticks
  long entered_ = 0;  // tick at which the current phase began
  int level_;
  int current_ = PhaseMemory::no_phase;
  bool probing_ = false;
  Mean probed_;
  int restarts_ = 0;
  struct Conclusion {
    int phase = PhaseMemory::no_phase, level = 0;
    long when = 0;
  };
  Conclusion rollback_, jump_;  // why the last probe failed; why workers jumped to a remembered phase's level
  int odd_ = 0;                 // consecutive samples unlike the current phase
  Mean recent_;                 // mean of the samples since the last comparison with the phase's own mean
  int settling_ = 0;

  Signals window_;  // signals since the last sample: of one tick, or of `window` ticks while phases are averaged
  int window_ticks_ = 0;
};

}  // namespace charm::controller
