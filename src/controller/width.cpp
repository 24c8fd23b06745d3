#include "controller/width.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace charm::controller {
namespace {

constexpr std::size_t most_records = 16;
constexpr double tick_s = 0.05, look_s = 0.025;  // a sample, and one at full width on the way to a narrow one
constexpr double settle_s = 0.01;                // in which workers wake, or come to rest
constexpr std::size_t looked_back = 20;          // ticks over which dropped ones are counted
constexpr double least_cpu_share = 0.9;          // of the time in which workers run tasks
constexpr double least_coverage = 0.8;           // of that time: by tasks and iterations whose cost is known
constexpr double most_still_busy = 0.2;  // of the time of workers that are to rest: by work that is theirs alone
constexpr int patience = 4;              // ticks for them to come to rest
constexpr double second_band = 0.2;      // relative change of fills or of work by task that is another phase
constexpr double few_fills = 1;          // per 1,000 instructions: a difference of a fifth of that says nothing
constexpr double unlike_sigmas = 4;      // standard deviations beyond which a sample is not scatter
constexpr double least_gain = 0.05;      // over full width; a mistake costs up to (N-1)/N
constexpr double gain_errors = 2.5;      // standard errors by which a gain must exceed nothing
constexpr double at_once = 0.15;         // below full width by that much, one sample ends a trial
constexpr int first_samples = 4, most_first_samples = 60, least_samples = 2, most_samples = 40;
constexpr double fine = 0.02;  // scatter of which those least numbers are enough
constexpr int most_trials = 9, most_refined = 16;
constexpr long refine_every = 20, pause_after_a_round = 1280;  // ticks
constexpr double for_trials_s = 0.01 * Ledger::seconds, in_all_s = 0.03 * Ledger::seconds;
constexpr double reserved_ticks = 4;  // of which a trial may lose all
constexpr double blind_beat_s = 1.2;  // that may be lost before a change shows itself at full width alone
constexpr double first_beat_s = 2, longest_beat_s = 16;
constexpr int most_lost_beats = 3;

bool differs(const std::optional<double>& now, const Mean& known) {
  return now && known.count > 0 && std::abs(*now - known.value) > std::log(1 + second_band);
}

double percent(double gain) { return std::round(1000 * gain) / 10; }

std::string signed_percent(double gain) {
  std::string text = std::to_string(percent(gain));
  text.resize(text.find('.') + 2);
  return (gain >= 0 ? "+" : "") + text + " %";
}

}  // namespace

Width::Width(const Setup& setup, std::unique_ptr<Controller> spread)
    : setup_(setup), inner_(std::move(spread)), sampler_(setup.traits), level_(full()) {}

double Width::period() const {
  const double usual = std::min(inner_->period(), tick_s);
  if (settling_ > 0 && unsettled_ == 0) return std::min(usual, settle_s);
  const bool looks = state_ == State::beat || (state_ == State::full && current_ == nothing && !records_.empty());
  return looks ? std::min(usual, look_s) : usual;
}

int Width::tick(const Signals& signals) {
  ++now_;
  const bool whole = state_ == State::full && settling_ == 0;
  if (whole) {
    inner_->tick(signals);
    copy_decisions();
  }
  if (setup_.workers > 1) step(measure(signals));
  return spread();
}

Width::Measure Width::measure(const Signals& signals) {
  Measure now;
  now.time = signals.time;
  now.elapsed = signals.elapsed;
  const auto sample = sampler_.sample(signals);
  if (sampler_.unit_changed()) {
    forget_phase(now, "the work is counted in another unit");
    records_.clear();
    noise_ = {};
  }
  now.works = sample.has_value();
  if (!sample) return now;
  now.speed = sample->throughput;
  now.trusted = sampler_.counts_work() && signals.waited <= (1 - least_cpu_share) * signals.busy;
  // Fewer thieves mean fewer forks that are counted.
  if (!sampler_.counts_by_user() && signals.task_work < least_coverage * signals.busy && level_ == full())
    now.trusted = false;
  if (sample->counters) now.fills = std::log(sample->intensity + few_fills);
  if (sampler_.counts_by_user() && signals.tasks > 0) now.by_task = std::log(signals.user_work / signals.tasks);
  if (level_ != full()) {
    const double resting = signals.elapsed * (setup_.workers - level_.workers);
    unsettled_ = signals.resting_busy > most_still_busy * resting ? unsettled_ + 1 : 0;
  }
  return now;
}

void Width::step(const Measure& now) {
  if (state_ == State::trying || state_ == State::narrow) enter_loss(now);
  if (unsettled_ > 0) {
    if (unsettled_ > patience) back_to_full(now, "most of the work is bound to workers that were to rest");
    return;
  }
  if (settling_ > 0) {
    --settling_;
    return;
  }
  if (!now.works) {
    if (level_ != full() && ++workless_ >= 2) back_to_full(now, "no work was finished");
    return;
  }
  workless_ = 0;
  dropped_.push_back(!now.trusted);
  if (dropped_.size() > looked_back) dropped_.pop_front();
  if (!now.trusted) {
    const auto dropped = std::count(dropped_.begin(), dropped_.end(), true);
    if (level_ != full() && 2 * static_cast<std::size_t>(dropped) > looked_back)
      back_to_full(now, "workers had to wait for their cpus");
    return;
  }
  switch (state_) {
    case State::full:
      return at_full(now);
    case State::beat:
      return at_beat(now);
    case State::trying:
      return trying(now);
    case State::narrow:
      return at_narrow(now);
  }
}

/// Gains count where a second signal tells that the work is still the same, and at most as much as there is time; else
/// what full width would have done is not known.
void Width::enter_loss(const Measure& now) {
  if (current_ == nothing || record().full.count == 0) return;
  if (now.works && !now.trusted) return;
  const double lost = now.elapsed * (1 - now.speed / record().full.value);
  ledger_.add(now.time, shows_second_ ? std::max(lost, -now.elapsed) : std::max(lost, 0.0));
}

double Width::band() const { return std::max(std::log(1.1), unlike_sigmas * noise_.sigma()); }

/// What is known of the fills at the width at which the workers are.
Mean& Width::fills_here() {
  return state_ == State::narrow ? record().best_fills : state_ == State::trying ? trial_fills_ : record().fills;
}

bool Width::is_other_work(const Measure& now) {
  shows_second_ = now.fills || now.by_task;
  return differs(now.fills, fills_here()) || differs(now.by_task, record().by_task);
}

/// At full width.
bool Width::is_like(const Record& known, const Measure& now) const {
  return known.full.count > 0 && std::abs(std::log(now.speed / known.full.value)) <= band() &&
         !differs(now.fills, known.fills) && !differs(now.by_task, known.by_task);
}

/// At full width: the phase that this sample is of, which may be a new one.
void Width::recognise(const Measure& now) {
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&](const Record& each) { return is_like(each, now); });
  if (found != records_.end()) {
    current_ = static_cast<std::size_t>(found - records_.begin());
    return;
  }
  if (records_.size() == most_records) {
    records_.erase(std::min_element(records_.begin(), records_.end(),
                                    [](const Record& a, const Record& b) { return a.last_seen < b.last_seen; }));
  }
  records_.emplace_back();
  current_ = records_.size() - 1;
  record().best = full();
  trials_ = 0;
}

void Width::at_full(const Measure& now) {
  if (current_ == nothing) {
    recognise(now);
  } else if (record().full.count > 0 && !is_like(record(), now)) {
    if (++odd_ < 2) return;
    forget_phase(now, "");
    recognise(now);
  }
  odd_ = 0;
  Record& phase = record();
  phase.last_seen = now_;
  phase.full.add(now.speed);
  if (now.fills) phase.fills.add(*now.fills);
  if (now.by_task) phase.by_task.add(*now.by_task);
  shows_second_ = now.fills || now.by_task;
  noise_.add(now.speed);
  look_for_a_width(now);
}

void Width::look_for_a_width(const Measure& now) {
  Record& phase = record();
  if (!inner_->settled()) return;
  if (phase.best != full()) {
    if (now_ < phase.wait_until || !room(now, phase.best)) return;
    const WidthLevel to = phase.best;
    report(now, to, "a phase that was faster so", "went on at its width");
    go(to);
    state_ = State::narrow;
    keep(now);
    return;
  }
  const double sigma = noise_.sigma();
  const int needed = std::clamp(static_cast<int>(sigma * sigma / (fine * fine)), first_samples, most_first_samples);
  if (phase.full.count < needed || noise_.count() < NoiseMeter::enough_differences || now_ < phase.wait_until) return;
  const WidthLevel* to = next();
  if (to == nullptr) {
    // All have failed: later the nearest ones may be tried again.
    phase.tried.clear();
    phase.failed = true;
    phase.wait_until = now_ + pause_after_a_round;
    trials_ = 0;
    return;
  }
  if (!room(now, *to)) return;
  report(now, *to, "fewer may be faster", "");
  go(*to);
  state_ = State::trying;
}

/// The next width that this phase has not been tried at; null: none is left for now.
const WidthLevel* Width::next() {
  Record& phase = record();
  const bool from_there = phase.best != full();
  const int most = from_there ? most_refined : phase.failed ? 2 : most_trials;
  if (trials_ >= most) return nullptr;
  for (const WidthLevel& level : from_there ? from_gain(setup_, phase.best) : from_full(setup_)) {
    if (std::find(phase.tried.begin(), phase.tried.end(), level) != phase.tried.end()) continue;
    tried_ = level;
    return &tried_;
  }
  return nullptr;
}

bool Width::room(const Measure& now, const WidthLevel& level) {
  const double share = 1 - static_cast<double>(level.workers) / setup_.workers;
  const double lost = ledger_.last_minute(now.time);
  return lost + reserved_ticks * tick_s * share <= for_trials_s &&
         lost + (shows_second_ ? 0 : blind_beat_s) <= in_all_s;
}

void Width::trying(const Measure& now) {
  if (is_other_work(now)) return forget_phase(now, "the work changed");
  Record& phase = record();
  trial_.add(now.speed);
  if (now.fills) trial_fills_.add(*now.fills);
  const double sigma = noise_.sigma();
  if (trial_.count == 1 && now.speed < phase.full.value * (1 - std::max(at_once, unlike_sigmas * sigma)))
    return reject(now);
  const bool from_there = phase.best != full();
  const Mean& reference = from_there ? phase.best_speed : phase.full;
  const double gain = trial_.value / reference.value - 1;
  const double error =
      sigma * std::sqrt(1.0 / trial_.count + 1.0 / std::clamp(reference.count, 1, Mean::longest_memory));
  const double least = from_there ? least_gain / 2 : least_gain;
  if (trial_.count >= least_samples && gain >= least && std::log1p(gain) > gain_errors * error) return accept(now);
  const int needed = std::clamp(static_cast<int>(sigma * sigma / (fine * fine)), least_samples, most_samples);
  if (trial_.count >= needed || gain + gain_errors * error < least) reject(now);
}

void Width::accept(const Measure& now) {
  Record& phase = record();
  const double gain = trial_.value / phase.full.value - 1;
  log_.resolve("kept, " + signed_percent(gain) + " of full width");
  phase.tried.push_back(level_);
  if (phase.best == full()) trials_ = 0;
  ++trials_;
  phase.best = level_;
  phase.best_speed = trial_;
  phase.best_fills = trial_fills_;
  phase.failed = false;
  phase.lost = 0;
  state_ = State::narrow;
  refined_ = now_;
  keep(now);
}

void Width::reject(const Measure& now) {
  Record& phase = record();
  log_.resolve("not kept, " + signed_percent(trial_.value / phase.full.value - 1) + " of full width");
  phase.tried.push_back(level_);
  ++trials_;
  go(phase.best);
  state_ = phase.best == full() ? State::full : State::narrow;
  refined_ = now_;
  if (state_ == State::narrow) keep(now);
}

/// From here on the width is held; until when it is looked at full width again goes on where it had begun.
void Width::keep(const Measure& now) {
  if (beat_at_ > now.time) return;
  kept_since_ = now.time;
  beat_at_ = now.time + beat_length();
}

double Width::beat_length() {
  if (!shows_second_) return blind_beat_s / (1 - static_cast<double>(record().best.workers) / setup_.workers);
  double& length = record().beat_s;
  length = length <= 0 ? first_beat_s : std::min(2 * length, longest_beat_s);
  return length;
}

void Width::at_narrow(const Measure& now) {
  Record& phase = record();
  const bool strange = phase.best_speed.count > 0 && std::abs(std::log(now.speed / phase.best_speed.value)) > band();
  // One sample is enough, unless it is still better than full width was: then nothing is lost by another look.
  odd_ = strange ? odd_ + 1 : 0;
  if (is_other_work(now) || (strange && (odd_ > 1 || now.speed < phase.full.value)))
    return forget_phase(now, "the work changed");
  if (strange) return;
  phase.best_speed.add(now.speed);
  if (now.fills) phase.best_fills.add(*now.fills);
  phase.last_seen = now_;
  if (now.time >= beat_at_) return begin_beat();
  if (now_ - refined_ < refine_every) return;
  refined_ = now_;
  const WidthLevel* to = next();
  if (to == nullptr || !room(now, *to)) return;
  report(now, *to, "another number may be faster still", "");
  go(*to);
  state_ = State::trying;
}

void Width::begin_beat() {
  go(full());
  state_ = State::beat;
}

/// Full width again, for a few samples: is it still slower?
void Width::at_beat(const Measure& now) {
  Record& phase = record();
  if (is_other_work(now)) return forget_phase(now, "the work changed");
  trial_.add(now.speed);
  const double gain = phase.best_speed.value / trial_.value - 1;
  // A beat costs what was gained, so it is short where the answer is clear.
  const bool clear = std::log1p(gain) > std::log1p(least_gain / 2) + unlike_sigmas * noise_.sigma();
  if (!clear && trial_.count < (noise_.sigma() > fine ? 3 : 1)) return;
  if (gain >= least_gain / 2) {
    phase.full.add(trial_.value);
    phase.lost = 0;
    go(phase.best);
    state_ = State::narrow;
    beat_at_ = 0;
    keep(now);
    return;
  }
  const double ticks_s = now.time - kept_since_;
  ledger_.add(now.time, std::max(0.0, -gain) * ticks_s);
  report(now, full(), "full width is not slower any more", "went on so");
  const bool stale = ++phase.lost >= most_lost_beats;
  phase.best = full();
  phase.best_speed = phase.best_fills = {};
  phase.full = {};
  phase.tried.clear();
  phase.beat_s = 0;
  trials_ = 0;
  beat_at_ = 0;
  state_ = State::full;
  if (stale) {
    phase.wait_until = now_ + pause_after_a_round;
    phase.lost = 0;
  }
}

/// Goes on as another phase, whose width is not known: at full width.
void Width::forget_phase(const Measure& now, const std::string& why) {
  if (state_ == State::trying) log_.resolve("broken off, " + why);
  ledger_.forget_gains(now.time);
  current_ = nothing;
  odd_ = 0;
  trials_ = 0;
  beat_at_ = 0;
  if (level_ != full() || state_ == State::beat) {
    if (state_ == State::narrow) report(now, full(), why, "went on so");
    go(full());
  }
  state_ = State::full;
}

void Width::back_to_full(const Measure& now, const std::string& why) {
  if (state_ == State::trying) {
    log_.resolve("broken off, " + why);
  } else {
    report(now, full(), why, "went on so");
  }
  if (current_ != nothing) record().wait_until = now_ + pause_after_a_round;
  if (current_ != nothing) record().best = full();
  beat_at_ = 0;
  go(full());
  state_ = State::full;
  unsettled_ = workless_ = 0;
  dropped_.clear();
}

/// Its part of the program begins anew: recognised by its speed at full width, it goes to its width after one sample.
void Width::entered() {
  inner_->entered();
  if (state_ == State::trying) log_.resolve("broken off, the region was left");
  current_ = nothing;
  beat_at_ = 0;
  odd_ = unsettled_ = workless_ = 0;
  go(full());
  state_ = State::full;
}

void Width::go(const WidthLevel& level) {
  level_ = level;
  settling_ = 1;
  trial_ = trial_fills_ = {};
  odd_ = unsettled_ = 0;
  noise_.cut();
  resting_ = level == full() ? std::vector<char>() : resting_at(setup_, level, spread());
}

void Width::report(const Measure& now, const WidthLevel& to, const std::string& reason, const std::string& outcome) {
  Decision decision;
  decision.time = now.time;
  decision.control_group = setup_.control_group;
  decision.from = decision.to = spread();
  decision.workers_from = level_.workers;
  decision.workers_to = to.workers;
  decision.throughput = now.speed;
  decision.reason = reason;
  if (to.shape == WidthShape::packed) decision.reason += ", on as few chiplets as hold them";
  decision.outcome = outcome;
  log_.record(std::move(decision));
}

/// Those of the inner controller are told as if they were made here. It decides nothing while a width is tried, so its
/// last one is the last of all as long as its outcome is not known.
void Width::copy_decisions() {
  const DecisionLog& log = inner_->log();
  if (copied_ > 0 && copied_ <= log.total() && !log_.entries().empty() && log_.entries().back().outcome.empty()) {
    const std::size_t first = log.total() - log.entries().size();
    if (copied_ - 1 >= first) log_.resolve(log.entries()[copied_ - 1 - first].outcome);
  }
  for (std::size_t first = log.total() - log.entries().size(); copied_ < log.total(); ++copied_)
    log_.record(log.entries()[std::max(copied_, first) - first]);
}

}  // namespace charm::controller
