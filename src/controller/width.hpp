// How many workers run: the second thing that a controller chooses, beside how far they are spread. The others rest.
//
// Some programs are faster with fewer workers: those that update one line, queue at one lock, ask memory for more than
// it gives, or have more data in use than fits into the caches. CHARM and ARCAS keep the number fixed; this is not in
// the papers.
//
// States: FULL, where every program begins; TRY of a width; NARROW, at one that was better; BEAT, a look at full width
// from there.
// Invariants: no width is kept that was not measured to be faster than full width in this phase, and none longer than a
// beat without looking again. What is lost against full width, or may be lost by what is tried, stays within the
// ledger: 1 % of a minute for trials, 3 % in all. A phase is recognised at full width only. Nothing is decided by
// instructions (threads that spin retire more of them the worse it gets), or by ticks in which workers waited for their
// cpus.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/controller.hpp"
#include "controller/ledger.hpp"
#include "controller/noise.hpp"
#include "controller/phases.hpp"
#include "controller/width_levels.hpp"

namespace charm::controller {

/// A controller of the spread, and of the width beside it. While a width is tried or kept, the spread stays.
class Width final : public Controller {
 public:
  /// \param spread decides over how many chiplets the workers are spread, for all of them together.
  Width(const Setup& setup, std::unique_ptr<Controller> spread);

  int tick(const Signals& signals) override;
  [[nodiscard]] int spread() const override { return inner_->spread(); }
  /// Shorter at full width where that is only looked at, since it costs there what the narrow one has gained.
  [[nodiscard]] double period() const override;
  [[nodiscard]] std::span<const char> resting() const override { return resting_; }
  void entered() override;

  [[nodiscard]] const WidthLevel& level() const { return level_; }

 private:
  enum class State { full, trying, narrow, beat };
  struct Measure {
    double time = 0, elapsed = 0;
    double speed = 0;  // work per second
    // What the work is, whatever its speed. The logarithm of fills by instruction, which differs from width to width: a
    // line that one worker alone updates stays in its cache. And that of work by task, which does not.
    std::optional<double> fills, by_task;
    bool works = false;  // there was any
    bool trusted = false;
  };
  /// What is known of a phase.
  struct Record {
    Mean full;        // speed at full width
    Mean fills;       // there
    Mean by_task;     // at any width
    WidthLevel best;  // the best width; full: none was better
    Mean best_speed;  // there
    Mean best_fills;  // there
    std::vector<WidthLevel> tried;
    long wait_until = 0;  // tick before which nothing is tried
    bool failed = false;  // a whole round was without a gain
    int lost = 0;         // beats in a row that found full width better
    double beat_s = 0;    // seconds until the next beat; 0: the first
    long last_seen = 0;
  };

  Measure measure(const Signals& signals);
  void step(const Measure& now);
  void at_full(const Measure& now);
  void at_beat(const Measure& now);
  void trying(const Measure& now);
  void at_narrow(const Measure& now);
  void enter_loss(const Measure& now);
  void look_for_a_width(const Measure& now);
  [[nodiscard]] const WidthLevel* next();
  [[nodiscard]] bool room(const Measure& now, const WidthLevel& level);
  [[nodiscard]] bool is_other_work(const Measure& now);
  [[nodiscard]] Mean& fills_here();
  [[nodiscard]] bool is_like(const Record& record, const Measure& now) const;
  [[nodiscard]] double band() const;
  void recognise(const Measure& now);
  void forget_phase(const Measure& now, const std::string& why);
  void accept(const Measure& now);
  void reject(const Measure& now);
  void keep(const Measure& now);
  void begin_beat();
  void back_to_full(const Measure& now, const std::string& why);
  void go(const WidthLevel& level);
  void report(const Measure& now, const WidthLevel& to, const std::string& reason, const std::string& outcome);
  void copy_decisions();
  [[nodiscard]] WidthLevel full() const { return {setup_.workers, WidthShape::thin}; }
  [[nodiscard]] Record& record() { return records_[current_]; }
  [[nodiscard]] double beat_length();

  Setup setup_;
  std::unique_ptr<Controller> inner_;
  Sampler sampler_;
  NoiseMeter noise_;
  Ledger ledger_;

  State state_ = State::full;
  WidthLevel level_;
  std::vector<char> resting_;  // empty: none rests
  int settling_ = 0;           // ticks until samples are of this width
  int unsettled_ = 0;          // ticks in which workers that are to rest have not come to it
  int workless_ = 0;           // ticks without work
  int odd_ = 0;
  std::deque<bool> dropped_;  // of the last ticks: whether they were
  long now_ = 0;              // ticks
  long refined_ = 0;          // tick of the last try from a width
  int trials_ = 0;            // of this round
  bool shows_second_ = false;

  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  std::deque<Record> records_;
  std::size_t current_ = nothing;
  WidthLevel tried_;
  Mean trial_;          // speeds at the width that is tried, or at full width in a beat
  Mean trial_fills_;    // at the width that is tried
  double beat_at_ = 0;  // s
  double kept_since_ = 0;
  std::size_t copied_ = 0;  // decisions of the inner controller that are in the log
};

}  // namespace charm::controller
