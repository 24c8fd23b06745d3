#include "controller/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "controller/policies.hpp"

namespace charm::controller {
namespace {

constexpr Parameter adaptive_parameters[] = {
    {"tick", "0.05", "Seconds between decisions.", ""},
    {"settle", "1", "Samples dropped after a move.", ""},
    {"band", "0.1", "Relative change of throughput or intensity that may be a new phase.", ""},
    {"expand", "0.03", "Least relative gain for which the workers stay spread further.", ""},
    {"contract", "0.01", "Largest relative loss at which the workers stay on fewer chiplets.", ""},
    {"min_samples", "2", "Least number of samples of a probe.", ""},
    {"max_samples", "100", "Largest number of samples of a probe, however noisy.", ""},
    {"backoff", "20", "Ticks until a level that failed is tried again; they double with each failure.", ""},
    {"backoff_max", "1280", "Most ticks until a level that failed is tried again.", ""},
    {"stall_floor", "0.02", "Share of time stalled on memory below which spreading is not tried.", ""},
    {"grain", "20e-6", "Mean seconds of a task below which only fewer chiplets are tried.", ""},
    {"idle", "0.3", "Share of idle time above which only fewer chiplets are tried, unless the rest waits for memory.",
     ""},
    {"follow", "8", "Ticks that phases must last on average to be followed one by one.", ""},
    {"window", "32", "Ticks over which shorter phases are averaged.", ""},
};

constexpr double outlier_sigmas = 4;  // standard deviations beyond which a sample is not scatter
constexpr double short_phase = 200;   // ticks
constexpr int broken_limit = 2;    // probes of a level that a change of intensity breaks off before it is the level's
constexpr int mistaken_limit = 3;  // consecutive visits that met other work at a remembered phase's level
constexpr int drift_samples = 8;  // samples whose mean is compared with the phase's, for steps smaller than the scatter

}  // namespace

AdaptiveParameters::AdaptiveParameters(const Parameters& given)
    : tick(given.number("tick")),
      settle(given.count("settle")),
      band(given.number("band")),
      expand(given.number("expand")),
      contract(given.number("contract")),
      min_samples(std::max(1, given.count("min_samples"))),
      max_samples(std::max(min_samples, given.count("max_samples"))),
      backoff(std::max(1, given.count("backoff"))),
      backoff_max(std::max(backoff, given.count("backoff_max"))),
      stall_floor(given.number("stall_floor")),
      grain(given.number("grain")),
      idle(given.number("idle")),
      follow(given.count("follow")),
      window(std::max(1, given.count("window"))) {}

Adaptive::Adaptive(const Setup& setup, const Parameters& parameters)
    : setup_(setup),
      set_(parameters),
      sampler_(setup.traits),
      pace_(set_.band, set_.follow),
      memory_(setup.levels.size()),
      other_mode_(setup.levels.size()),
      level_(setup.initial) {}

int Adaptive::tick(const Signals& signals) {
  ++now_;
  if (setup_.levels.size() < 2) return spread();
  if (settling_ > 0) {
    --settling_;
    return spread();
  }
  auto raw = sampler_.sample(signals);
  if (sampler_.unit_changed()) {
    memory_ = other_mode_ = PhaseMemory(setup_.levels.size());
    current_ = PhaseMemory::no_phase;
    probing_ = false;
  }
  if (!raw) return spread();
  if (pace_.feed(*raw, now_, current_ != PhaseMemory::no_phase && is_short(phase()))) change_mode();
  add(window_, signals);
  if (++window_ticks_ < (pace_.averaging() ? set_.window : 1)) return spread();
  auto sample = sampler_.sample(window_);
  restart_window();
  if (sample) step(*sample);
  return spread();
}

void Adaptive::step(Sample sample) {
  // A mixture of phases changes its proportions with the level, and its intensity with them.
  if (pace_.averaging()) sample.intensity = 0;
  throughput_noise_.add(sample.throughput);
  if (sample.intensity > 0) intensity_noise_.add(sample.intensity);
  if (current_ == PhaseMemory::no_phase) {
    current_ = memory_.match(PhaseMemory::no_phase, level_, sample, bands());
    if (current_ == PhaseMemory::no_phase) {
      current_ = memory_.create(level_, sample, now_);
    } else {
      resume(sample);
    }
    return;
  }
  phase().last_seen = now_;
  if (is_news(sample)) return;
  odd_ = 0;
  if (probing_) {
    probe(sample);
    return;
  }
  if (sample.intensity > 0) phase().intensity.add(std::log(sample.intensity));
  hold(sample);
}

Bands Adaptive::bands() const {
  return {std::max(std::log(1 + set_.band), outlier_sigmas * throughput_noise_.sigma()),
          std::max(std::log(1 + set_.band), outlier_sigmas * intensity_noise_.sigma())};
}

/// True where the sample does not belong to the current phase (or may not) and has been dealt with.
bool Adaptive::is_news(const Sample& sample) {
  // During a probe a change of throughput is expected; only the intensity can tell that the work changed, unless it is
  // the level that changes the intensity.
  bool odd = probing_
                 ? phase().broken[at(level_)] < broken_limit && memory_.differs_in_intensity(current_, sample, bands())
                 : memory_.differs(current_, level_, sample, bands());
  if (!odd) return false;
  ++odd_;
  int known = memory_.match(current_, level_, sample, bands());
  // One sample is enough where counters recognise a phase: a sample on the border of two looks like neither.
  Bands clearly = bands();
  clearly.intensity *= 2;
  bool recognised = known != PhaseMemory::no_phase && memory_.differs_in_intensity(current_, sample, clearly);
  // What is recognised during a probe at another home is followed there. Everything else shows at home.
  bool at_other_home = recognised && memory_[known].home != phase().home;
  if (probing_ && !at_other_home && (odd_ >= 2 || recognised)) {
    break_off();
  } else if (odd_ >= 2 || recognised) {
    change_phase(sample, known);
  }
  return true;
}

void Adaptive::change_phase(const Sample& sample, int known) {
  if (probing_) log_.resolve("broken off, the work changed");
  probing_ = false;
  odd_ = 0;
  recent_ = {};
  pace_.note_change(now_);
  doubt(sample);
  phase().stay.add(static_cast<double>(now_ - entered_), drift_samples);
  entered_ = now_;
  if (known == PhaseMemory::no_phase) {
    current_ = memory_.create(level_, sample, now_);
    return;
  }
  current_ = known;
  resume(sample);
}

/// Where phases change often, a level that is merely as good is not worth the moves to it and back.
bool Adaptive::phases_are_short() const { return !pace_.averaging() && pace_.phase_length(now_) < short_phase; }

bool Adaptive::is_short(const Phase& phase) const { return phase.stay.count >= 3 && phase.stay.value < set_.follow; }

/// A phase that has always been over before following it would have paid, so far this time too.
bool Adaptive::is_interlude() { return !pace_.averaging() && is_short(phase()) && now_ - entered_ < set_.follow; }

/// Takes the current phase, which is remembered, to its level.
void Adaptive::resume(const Sample& sample) {
  Phase& p = phase();
  p.last_seen = now_;
  if (p.home == level_ || is_interlude()) return;
  const Mean &here = p.throughput[at(level_)], &home = p.throughput[at(p.home)];
  if (phases_are_short() && here.count >= set_.min_samples && home.value < here.value * (1 + set_.expand)) {
    p.home = level_;
    return;
  }
  jump_ = {current_, level_, now_};
  move(p.home, sample, "a phase that is remembered");
  log_.resolve("moved");
}

/// Undoes a conclusion if the workload changed right after it: where home is not what it was when a probe comes back to
/// it, the probe compared two kinds of work; and where a remembered phase is not met at its level, it was mistaken for
/// this one and must not be again. Where that happens time after time to work of its own intensity, what it remembers
/// is wrong (two kinds of work in one sample), and it is forgotten: two such phases would send the workers to and fro
/// for ever, and neither would stay long enough to try another level.
void Adaptive::doubt(const Sample& sample) {
  for (Conclusion* last : {&rollback_, &jump_}) {
    auto [phase, level, when] = std::exchange(*last, {});
    if (phase != current_ || now_ - when > set_.settle + 2 || memory_[phase].home == level) continue;
    memory_[phase].throughput[at(level)] = {};
    memory_[phase].wait_until[at(level)] = 0;
    memory_[phase].broken[at(level)] = 0;
    if (last != &jump_ || sample.intensity <= 0) continue;
    if (memory_.differs_in_intensity(phase, sample, bands())) continue;
    if (++memory_[phase].mistaken >= mistaken_limit) memory_.drop(phase);
  }
}

/// Before anything is tried in a phase that seems new: by now its mean tells better than its first samples did whether
/// it is one that is remembered.
bool Adaptive::join_twin(const Sample& sample) {
  const Mean& home = phase().throughput[at(level_)];
  Sample mean = sample;
  mean.throughput = home.value;
  mean.intensity = sample.intensity > 0 ? std::exp(phase().intensity.value) : 0;
  double band = std::log(1 + set_.band), part = outlier_sigmas * std::sqrt(2.0 / home.count);
  int twin = memory_.match(
      current_, level_, mean,
      {std::max(band, part * throughput_noise_.sigma()), std::max(band, part * intensity_noise_.sigma())});
  if (twin == PhaseMemory::no_phase || memory_[twin].throughput[at(level_)].count == 0) return false;
  memory_.drop(current_);
  current_ = twin;
  resume(sample);
  return true;
}

void Adaptive::hold(const Sample& sample) {
  phase().mistaken = 0;
  if (is_interlude()) {
    phase().throughput[at(level_)].add(sample.throughput);
    return;
  }
  if (int here = level_; phase().home != here) {
    resume(sample);
    if (level_ != here) return;
  }
  Mean& home = phase().throughput[at(level_)];
  recent_.add(sample.throughput);
  if (recent_.count >= drift_samples) {
    double error = throughput_noise_.sigma() *
                   std::sqrt(1.0 / drift_samples + 1.0 / std::min(std::max(home.count, 1), Mean::longest_memory));
    double limit = std::max(std::log(1 + set_.band), outlier_sigmas * error);
    bool drifted = home.count >= drift_samples && std::abs(std::log(recent_.value / home.value)) > limit;
    recent_ = {};
    if (drifted) {
      change_phase(sample, PhaseMemory::no_phase);
      return;
    }
  }
  home.add(sample.throughput);
  // Several samples together decide what to try, since a sample on the border of two phases has the stalls of either.
  if (sample.counters) {
    phase().stall_remote.add(sample.stall_remote, drift_samples);
    phase().stall_dram.add(sample.stall_dram, drift_samples);
    phase().memory_gb_per_s.add(sample.memory_gb_per_s, drift_samples);
  }

  double sigma = throughput_noise_.sigma();
  int needed = std::clamp(static_cast<int>(sigma * sigma / (0.05 * 0.05)), set_.min_samples, set_.max_samples);
  if (home.count < needed || throughput_noise_.count() < NoiseMeter::enough_differences) return;
  int next = candidate(sample);
  if (next < 0) return;
  if (std::exchange(phase().fresh, false) && join_twin(sample)) return;
  start_probe(next, sample);
}

void Adaptive::move(int level, const Sample& sample, const std::string& reason) {
  log_.record({sample.time, setup_.control_group, spread(), setup_.levels[at(level)], sample.throughput,
               sample.stall_remote, sample.stall_dram, reason, ""});
  level_ = level;
  settling_ = set_.settle;
  throughput_noise_.cut();
  pace_.moved();
  restart_window();
  odd_ = 0;
  recent_ = {};
}

void Adaptive::restart_window() {
  window_ = {};
  window_ticks_ = 0;
}

/// Goes over between following phases and averaging them; each has its own memory.
void Adaptive::change_mode() {
  if (probing_) {
    log_.resolve("broken off, phases became shorter or longer");
    level_ = phase().home;
  }
  entered_ = now_;
  std::swap(memory_, other_mode_);
  current_ = PhaseMemory::no_phase;
  probing_ = false;
  odd_ = 0;
  recent_ = {};
  throughput_noise_ = intensity_noise_ = {};
  restart_window();
}

namespace {
std::unique_ptr<Controller> make_adaptive(const Setup& setup, const Parameters& parameters) {
  return std::make_unique<Adaptive>(setup, parameters);
}
}  // namespace

constinit const ControllerType adaptive_policy{"adaptive", "tries what the fills suggest and keeps what is faster",
                                               adaptive_parameters, make_adaptive};

}  // namespace charm::controller
