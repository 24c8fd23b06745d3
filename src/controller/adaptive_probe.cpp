// The default controller's PROBE: which level is tried next, how long it is measured, and when it is kept.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "controller/adaptive.hpp"
#include "controller/memory_bandwidth.hpp"

namespace charm::controller {
namespace {

constexpr double sure_errors = 2.5;      // standard errors at which a probe ends before its last sample
constexpr int restart_limit = 4;         // restarts of one probe while its samples differ
constexpr double bandwidth_bound = 0.5;  // share of what a level can read that its lines from memory reach: writes come
                                         // on top of it
constexpr double memory_bound = 0.1;     // share of busy time on memory from which on idle workers may wait at barriers

std::string percent(const char* text, double share) {
  char line[96];
  std::snprintf(line, sizeof line, text, 100 * share);
  return line;
}

}  // namespace

/// Where memory's bandwidth is what the workers wait for: the level with the fewest chiplets that read as much of it as
/// any; -1 where they do not wait for it, or other levels read no more.
int Adaptive::level_for_bandwidth() {
  const std::vector<double>& rates = setup_.memory_gb_per_s;
  const Phase& p = phase();
  if (rates.size() != setup_.levels.size() || p.stall_dram.value < p.stall_remote.value) return -1;
  if (p.memory_gb_per_s.value < bandwidth_bound * rates[at(p.home)]) return -1;
  const int level = saturating_level(rates);
  return rates[at(level)] > rates[at(p.home)] * (1 + set_.expand) ? level : -1;
}

/// Whether it waits neither for memory nor for other chiplets.
bool Adaptive::is_calm(const Sample& sample) {
  return sample.counters && phase().stall_dram.value + phase().stall_remote.value < set_.stall_floor;
}

/// The level to try next, or -1.
int Adaptive::candidate(const Sample& sample) {
  Phase& p = phase();
  double phase_length = pace_.phase_length(now_);
  // Further sockets are tried for their memory and caches alone: what the workers share would be farther away.
  bool on_memory = !sample.counters || p.stall_dram.value >= p.stall_remote.value;
  auto enters_sockets = [&](int level) {
    return !setup_.sockets.empty() && setup_.sockets[at(level)] > setup_.sockets[at(p.home)];
  };
  auto open = [&](int level) {
    if (level < 0 || level > top() || level == p.home || p.wait_until[at(level)] > now_) return false;
    if (!on_memory && enters_sockets(level)) return false;
    double refill = setup_.refill_s.empty() ? 0 : setup_.refill_s[at(p.home)][at(level)] / set_.tick;
    return pace_.averaging() || refill * 10 < phase_length;
  };
  if (int further = std::exchange(p.look_further, -1); further >= 0 && open(further)) return further;
  if (now_ < p.next_probe) return -1;

  int up = p.home + 1, down = p.home - 1;
  // Who has no work gains nothing by more caches; but workers also idle at barriers, for those that wait for memory.
  // Without counters nobody can tell which of the two it is: fewer chiplets are tried first, and then more.
  bool idle = sample.idle > set_.idle;
  bool no_work = idle && sample.counters && p.stall_dram.value <= memory_bound;
  // What hardly stalls, and small tasks that do not wait for memory, are mostly best where workers are closest. But
  // they may gain by caches that they share with fewer, which no fill tells: so wider levels come last, one by one.
  bool small = sample.grain > 0 && sample.grain < set_.grain && !(sample.counters && p.stall_dram.value > memory_bound);
  bool closer = small || is_calm(sample);
  bool up_first = sample.counters ? p.stall_dram.value >= p.stall_remote.value : !idle;
  if (p.direction != 0) up_first = p.direction > 0;  // the direction that brought a gain is continued first
  std::vector<int> order;
  if (no_work || closer) {
    order = {down, 0};
  } else if (up_first) {
    order = {level_for_bandwidth(), up, down, top(), 0};
  } else {
    order = {down, up, 0, top()};
  }
  for (int level = 0; level <= top(); ++level) order.push_back(level);  // the curve need not be convex
  int best = -1;  // the level that failed least often, so that every level is tried
  for (int level : order) {
    if (!open(level) || (no_work && level > p.home)) continue;
    if (best < 0 || p.failures[at(level)] < p.failures[at(best)]) best = level;
  }
  return best;
}

void Adaptive::start_probe(int level, const Sample& sample) {
  double dram = phase().stall_dram.value, remote = phase().stall_remote.value;
  std::string why = !sample.counters  ? "no counters, trying"
                    : is_calm(sample) ? level < phase().home ? "hardly stalled, trying fewer" : "hardly stalled, trying"
                    : level == level_for_bandwidth()
                        ? percent("%.0f %% of the time on memory, ", std::min(1.0, dram)) +
                              bandwidth_reason(setup_, phase().home, level, phase().memory_gb_per_s.value)
                    : dram >= remote ? percent("%.0f %% of the time on memory", std::min(1.0, dram))
                                     : percent("%.0f %% of the time on other chiplets", std::min(1.0, remote));
  move(level, sample, why);
  probing_ = true;
  probed_ = {};
  restarts_ = 0;
}

void Adaptive::probe(const Sample& sample) {
  // A sample unlike those before it: caches are still filling, or the work changes. In either case the probe begins
  // anew.
  bool unlike = probed_.count > 0 && std::abs(std::log(sample.throughput / probed_.value)) > bands().throughput;
  if (unlike && restarts_ < restart_limit) {
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
  double error = sigma * std::sqrt(1.0 / probed_.count + 1.0 / std::min(home.count, Mean::longest_memory));
  int enough = std::clamp(static_cast<int>(sigma * sigma / (0.02 * 0.02)), set_.min_samples, set_.max_samples);
  if (gain - sure_errors * error >= bar) {
    accept(gain);
  } else if (gain + sure_errors * error < bar) {
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

/// The work looks different during a probe. Whether it has changed shows at home. If it looks as before there, time
/// after time, it is the level that changes how the work looks.
void Adaptive::break_off() {
  ++phase().broken[at(level_)];
  log_.resolve("broken off, the work looks different");
  return_home(level_);
}

/// The first round through all levels is free; from then on the pauses between probes grow, too. \returns whether it is
/// the first.
bool Adaptive::wait_for_next_round() {
  int rounds = phase().rejections - static_cast<int>(setup_.levels.size());
  if (rounds >= 0) phase().next_probe = now_ + pause(2 * rounds);
  return rounds < 0;
}

void Adaptive::accept(double gain) {
  Phase& p = phase();
  int old = p.home;
  log_.resolve(percent("kept, %+.1f %%", gain));
  p.throughput[at(level_)] = probed_;
  if (p.broken[at(level_)] > 0) p.intensity = {};  // it is another one here
  p.home = level_;
  p.direction = level_ > old ? 1 : -1;
  p.wait_until[at(old)] = now_ + pause(p.failures[at(old)]++);
  // Only a real gain begins a new round: otherwise levels that are equally good would be exchanged for ever.
  if (p.was_home[at(level_)]) {
    ++p.rejections;
  } else if (gain > set_.band) {
    p.rejections = 0;
  }
  p.was_home[at(level_)] = true;
  wait_for_next_round();
  probing_ = false;
  recent_ = {};
}

void Adaptive::reject(double gain, double error) {
  Phase& p = phase();
  int tried = level_;
  p.throughput[at(tried)] = probed_;
  p.direction = 0;
  p.wait_until[at(tried)] = now_ + pause(p.failures[at(tried)]++);
  ++p.rejections;
  bool first_round = wait_for_next_round();
  bool plateau = tried > p.home && tried < top() && gain > -set_.contract - error;
  if (plateau && first_round) p.look_further = tried + 1;
  log_.resolve(percent("rolled back, %+.1f %%", gain));
  return_home(tried);
}

void Adaptive::return_home(int tried) {
  Phase& p = phase();
  rollback_ = {current_, tried, now_};
  probing_ = false;
  odd_ = 0;
  level_ = p.home;
  settling_ = set_.settle;
  throughput_noise_.cut();
  pace_.moved();
  restart_window();
  recent_ = {};
}

}  // namespace charm::controller
