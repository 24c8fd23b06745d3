#include "controller/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "controller/policies.hpp"

namespace charm::controller {
namespace {

constexpr Parameter kParameters[] = {
    {"tick", "0.05", "seconds between decisions", ""},
    {"settle", "1", "samples dropped after a move", ""},
    {"band", "0.1", "relative change of throughput or intensity that may be a new phase", ""},
    {"expand", "0.03", "gain that spreading further must bring", ""},
    {"contract", "0.01", "loss that contracting may cost", ""},
    {"min_samples", "2", "samples of a probe at least", ""},
    {"max_samples", "100", "samples of a probe at most, however noisy", ""},
    {"backoff", "20", "ticks until a level that failed is tried again; doubles each time", ""},
    {"backoff_max", "1280", "ticks that it waits at most", ""},
    {"stall_floor", "0.02", "share of stalled time below which there is nothing to gain by spreading", ""},
    {"grain", "20e-6", "seconds of a task below which only contraction is tried", ""},
    {"idle", "0.3", "share of idle time above which only contraction is tried", ""},
    {"follow", "8", "ticks that phases must last on average to be followed one by one", ""},
    {"window", "32", "ticks over which shorter phases are averaged", ""},
};

constexpr double kSure = 2.5;            // standard errors at which a probe ends before its last sample
constexpr double kOutlier = 4;           // standard deviations beyond which a sample is not scatter
constexpr long kLongestDistrust = 8192;  // ticks
constexpr double kShort = 200;           // ticks
constexpr int kRestarts = 4;             // of one probe, while its samples differ
constexpr int kBroken = 5;  // probes in a row that a change of intensity breaks off before it is distrusted
constexpr int kDrift = 8;   // samples whose mean is held against the phase's, for steps that hide in scatter

std::string percent(const char* text, double share) {
  char line[96];
  std::snprintf(line, sizeof line, text, 100 * share);
  return line;
}

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
    current_ = PhaseMemory::kNone;
    probing_ = false;
  }
  if (!raw) return spread();
  if (pace_.feed(*raw, now_)) change_mode();
  add(window_, signals);
  if (++window_ticks_ < (pace_.averaging() ? set_.window : 1)) return spread();
  auto sample = sampler_.sample(window_);
  restart_window();
  if (sample) step(*sample);
  return spread();
}

void Adaptive::step(Sample sample) {
  // A mixture of phases changes its proportions with the level, and its intensity with them.
  if (pace_.averaging() || now_ < distrust_until_) sample.intensity = 0;
  throughput_noise_.add(sample.throughput);
  if (sample.intensity > 0) intensity_noise_.add(sample.intensity);
  if (current_ == PhaseMemory::kNone) {
    current_ = memory_.match(PhaseMemory::kNone, level_, sample, bands());
    if (current_ == PhaseMemory::kNone) {
      current_ = memory_.create(level_, sample, now_);
    } else {
      resume(sample);
    }
    return;
  }
  phase().last_seen = now_;
  if (is_news(sample)) return;
  odd_ = 0;
  if (sample.intensity > 0) phase().intensity.add(std::log(sample.intensity));
  if (probing_) {
    probe(sample);
  } else {
    hold(sample);
  }
}

Bands Adaptive::bands() const {
  return {std::max(std::log(1 + set_.band), kOutlier * throughput_noise_.sigma()),
          std::max(std::log(1 + set_.band), kOutlier * intensity_noise_.sigma())};
}

/// True where the sample does not belong to the current phase (or may not) and has been dealt with.
bool Adaptive::is_news(const Sample& sample) {
  // During a probe a change of throughput is what one asks for; only the intensity can tell that the work changed.
  bool odd = probing_ ? memory_.differs_in_intensity(current_, sample, bands())
                      : memory_.differs(current_, level_, sample, bands());
  if (!odd) return false;
  ++odd_;
  int known = memory_.match(current_, level_, sample, bands());
  // One sample is enough where counters recognise a phase: a sample on the border of two looks like neither.
  Bands clearly = bands();
  clearly.intensity *= 2;
  bool recognised = known != PhaseMemory::kNone && memory_.differs_in_intensity(current_, sample, clearly);
  if (odd_ >= 2 || recognised) change_phase(sample, known);
  return true;
}

void Adaptive::change_phase(const Sample& sample, int known) {
  if (probing_) {
    log_.resolve("broken off, the work changed");
    // Once or twice that may be. When no probe gets through, it is the level that changes the intensity.
    if (++broken_ >= kBroken) {
      distrust_ = std::min(2 * distrust_, kLongestDistrust);
      distrust_until_ = now_ + distrust_;
      broken_ = 0;
    }
  }
  probing_ = false;
  odd_ = 0;
  recent_ = {};
  pace_.note_change(now_);
  doubt();
  if (known == PhaseMemory::kNone) {
    current_ = memory_.create(level_, sample, now_);
    return;
  }
  current_ = known;
  resume(sample);
}

/// Where phases change often, a level that is merely as good is not worth the moves to it and back.
bool Adaptive::phases_are_short() const { return !pace_.averaging() && pace_.phase_length(now_) < kShort; }

/// Takes the current phase, which is remembered, to its level.
void Adaptive::resume(const Sample& sample) {
  Phase& p = phase();
  p.last_seen = now_;
  if (p.home == level_) return;
  const Mean &here = p.throughput[at(level_)], &home = p.throughput[at(p.home)];
  if (phases_are_short() && here.count >= set_.min_samples && home.value < here.value * (1 + set_.expand)) {
    p.home = level_;
    return;
  }
  jump_ = {current_, level_, now_};
  move(p.home, sample, "a phase that is remembered");
  log_.resolve("moved");
}

/// What was concluded a moment before the work turned out to be other than thought is taken back: where home is not
/// what it was when a probe comes back to it, the probe compared two kinds of work; and where a remembered phase is not
/// met at its level, it was mistaken for this one and must not be again.
void Adaptive::doubt() {
  for (Conclusion* last : {&rollback_, &jump_}) {
    auto [phase, level, when] = std::exchange(*last, {});
    if (phase != current_ || now_ - when > set_.settle + 2) continue;
    memory_[phase].throughput[at(level)] = {};
    memory_[phase].wait_until[at(level)] = 0;
  }
}

/// Before anything is tried in a phase that seems new: by now its mean tells better than its first samples did whether
/// it is one that is remembered.
bool Adaptive::join_twin(const Sample& sample) {
  const Mean& home = phase().throughput[at(level_)];
  Sample mean = sample;
  mean.throughput = home.value;
  mean.intensity = sample.intensity > 0 ? std::exp(phase().intensity.value) : 0;
  double band = std::log(1 + set_.band), part = kOutlier * std::sqrt(2.0 / home.count);
  int twin = memory_.match(
      current_, level_, mean,
      {std::max(band, part * throughput_noise_.sigma()), std::max(band, part * intensity_noise_.sigma())});
  if (twin == PhaseMemory::kNone || memory_[twin].throughput[at(level_)].count == 0) return false;
  memory_.drop(current_);
  current_ = twin;
  resume(sample);
  return true;
}

void Adaptive::hold(const Sample& sample) {
  Mean& home = phase().throughput[at(level_)];
  recent_.add(sample.throughput);
  if (recent_.count >= kDrift) {
    double error =
        throughput_noise_.sigma() * std::sqrt(1.0 / kDrift + 1.0 / std::min(std::max(home.count, 1), Mean::kMemory));
    double limit = std::max(std::log(1 + set_.band), kOutlier * error);
    bool drifted = home.count >= kDrift && std::abs(std::log(recent_.value / home.value)) > limit;
    recent_ = {};
    if (drifted) {
      change_phase(sample, PhaseMemory::kNone);
      return;
    }
  }
  home.add(sample.throughput);
  // What to try is judged by some samples together: one on the border of two phases shows the stalls of either.
  if (sample.counters) {
    phase().stall_remote.add(sample.stall_remote, kDrift);
    phase().stall_dram.add(sample.stall_dram, kDrift);
  }

  double sigma = throughput_noise_.sigma();
  int needed = std::clamp(static_cast<int>(sigma * sigma / (0.05 * 0.05)), set_.min_samples, set_.max_samples);
  if (home.count < needed || throughput_noise_.count() < NoiseMeter::kEnough) return;
  int next = candidate(sample);
  if (next < 0) return;
  if (std::exchange(phase().fresh, false) && join_twin(sample)) return;
  double dram = phase().stall_dram.value, remote = phase().stall_remote.value;
  std::string why = !sample.counters                   ? "no counters, trying"
                    : dram + remote < set_.stall_floor ? "hardly stalled, trying fewer"
                    : dram >= remote                   ? percent("%.0f %% of the time on memory", dram)
                                                       : percent("%.0f %% of the time on other chiplets", remote);
  move(next, sample, why);
  probing_ = true;
  probed_ = {};
  restarts_ = 0;
}

/// The level to try next, or -1.
int Adaptive::candidate(const Sample& sample) {
  Phase& p = phase();
  double phase_length = pace_.phase_length(now_);
  auto open = [&](int level) {
    if (level < 0 || level > top() || level == p.home || p.wait_until[at(level)] > now_) return false;
    double refill = setup_.refill_s.empty() ? 0 : setup_.refill_s[at(p.home)][at(level)] / set_.tick;
    return pace_.averaging() || refill * 10 < phase_length;
  };
  if (int further = std::exchange(p.look_further, -1); further >= 0 && open(further)) return further;
  if (now_ < p.next_probe) return -1;

  int up = p.home + 1, down = p.home - 1;
  bool only_down = sample.idle > set_.idle || (sample.grain > 0 && sample.grain < set_.grain) ||
                   (sample.counters && p.stall_dram.value + p.stall_remote.value < set_.stall_floor);
  bool up_first = !sample.counters || p.stall_dram.value >= p.stall_remote.value;
  if (p.direction != 0) up_first = p.direction > 0;  // what paid is continued first
  std::vector<int> order;
  if (only_down) {
    order = {down, 0};
  } else if (up_first) {
    order = {up, down, top(), 0};
  } else {
    order = {down, up, 0, top()};
  }
  for (int level = 0; level <= top(); ++level) order.push_back(level);  // the curve need not be convex
  int best = -1;  // what failed least often, so that none of them starves
  for (int level : order) {
    if (!open(level) || (only_down && level > p.home)) continue;
    if (best < 0 || p.failures[at(level)] < p.failures[at(best)]) best = level;
  }
  return best;
}

void Adaptive::probe(const Sample& sample) {
  // A sample unlike those before it: caches are still filling, or the work changes. Either way one has to look again.
  bool unlike = probed_.count > 0 && std::abs(std::log(sample.throughput / probed_.value)) > bands().throughput;
  if (unlike && restarts_ < kRestarts) {
    ++restarts_;
    probed_ = {};
  }
  probed_.add(sample.throughput);
  if (probed_.count < set_.min_samples) return;
  const Mean& home = phase().throughput[at(phase().home)];
  bool expands = level_ > phase().home;
  double gain = probed_.value / home.value - 1;
  double bar = expands || phases_are_short() ? set_.expand : -set_.contract;
  double sigma = throughput_noise_.sigma();
  double error = sigma * std::sqrt(1.0 / probed_.count + 1.0 / std::min(home.count, Mean::kMemory));
  int enough = std::clamp(static_cast<int>(sigma * sigma / (0.02 * 0.02)), set_.min_samples, set_.max_samples);
  if (gain - kSure * error >= bar) {
    accept(gain);
  } else if (gain + kSure * error < bar) {
    reject(gain, error);
  } else if (probed_.count >= enough) {
    // Still unclear: expansion must stand out of the scatter, since on a plateau the lower level is as good.
    if (gain - (expands ? error : 0) >= bar) {
      accept(gain);
    } else {
      reject(gain, error);
    }
  }
}

/// Ticks to wait after the nth failure. A probe of whole windows costs more and has to come more rarely.
long Adaptive::pause(int failures) const {
  long scale = pace_.averaging() ? std::max(1, set_.window / 4) : 1;
  return scale *
         std::min(static_cast<long>(set_.backoff) << std::min(failures, 20), static_cast<long>(set_.backoff_max));
}

void Adaptive::accept(double gain) {
  Phase& p = phase();
  broken_ = 0;
  int old = p.home;
  log_.resolve(percent("kept, %+.1f %%", gain));
  p.throughput[at(level_)] = probed_;
  p.home = level_;
  p.direction = level_ > old ? 1 : -1;
  p.wait_until[at(old)] = now_ + pause(p.failures[at(old)]++);
  // Only real progress opens a new round: levels that are alike must not be exchanged for ever.
  if (p.was_home[at(level_)]) {
    ++p.rejections;
  } else if (gain > set_.band) {
    p.rejections = 0;
  }
  p.was_home[at(level_)] = true;
  probing_ = false;
  recent_ = {};
}

void Adaptive::reject(double gain, double error) {
  Phase& p = phase();
  broken_ = 0;
  int tried = level_;
  p.throughput[at(tried)] = probed_;
  p.direction = 0;
  p.wait_until[at(tried)] = now_ + pause(p.failures[at(tried)]++);
  // The first round through all levels is free; from then on the pauses between probes grow, too.
  int rounds = ++p.rejections - static_cast<int>(setup_.levels.size());
  if (rounds >= 0) {
    p.next_probe = now_ + pause(2 * rounds);
  }
  bool plateau = tried > p.home && tried < top() && gain > -set_.contract - error;
  if (plateau && rounds < 0) p.look_further = tried + 1;
  log_.resolve(percent("rolled back, %+.1f %%", gain));
  rollback_ = {current_, tried, now_};
  probing_ = false;
  level_ = p.home;
  settling_ = set_.settle;
  throughput_noise_.cut();
  pace_.moved();
  restart_window();
  recent_ = {};
}

void Adaptive::move(int level, const Sample& sample, const std::string& reason) {
  log_.record({sample.time, setup_.gang, spread(), setup_.levels[at(level)], sample.throughput, sample.stall_remote,
               sample.stall_dram, reason, ""});
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
  if (probing_) log_.resolve("broken off, phases became shorter or longer");
  if (current_ != PhaseMemory::kNone) level_ = phase().home;
  std::swap(memory_, other_mode_);
  current_ = PhaseMemory::kNone;
  probing_ = false;
  odd_ = 0;
  recent_ = {};
  throughput_noise_ = intensity_noise_ = {};
  restart_window();
}

namespace {
std::unique_ptr<Controller> make(const Setup& setup, const Parameters& parameters) {
  return std::make_unique<Adaptive>(setup, parameters);
}
}  // namespace

constinit const Policy adaptive_policy{"adaptive", "tries what the fills suggest and keeps what is faster", kParameters,
                                       make};

}  // namespace charm::controller
