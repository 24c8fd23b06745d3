#include "controller/phases.hpp"

#include <algorithm>
#include <cmath>

namespace charm::controller {
namespace {

double log_distance(double a, double b) { return std::abs(std::log(std::max(a, 1e-300) / std::max(b, 1e-300))); }

double intensity_distance(const Phase& phase, const Sample& sample) {
  return std::abs(std::log(sample.intensity) - phase.intensity.value);
}

bool comparable(const Phase& phase, const Sample& sample) { return sample.intensity > 0 && phase.intensity.count > 0; }

}  // namespace

int PhaseMemory::create(int level, const Sample& sample, long now) {
  std::size_t at = phases_.size();
  if (at < phase_limit) {
    phases_.emplace_back();
  } else {
    at = 0;
    for (std::size_t p = 1; p < phases_.size(); ++p) {
      if (phases_[p].last_seen < phases_[at].last_seen) at = p;
    }
    phases_[at] = {};
  }
  Phase& phase = phases_[at];
  phase.home = level;
  phase.throughput.resize(levels_);
  phase.failures.resize(levels_);
  phase.broken.resize(levels_);
  phase.wait_until.resize(levels_);
  phase.was_home.resize(levels_);
  phase.was_home[static_cast<std::size_t>(level)] = true;
  phase.throughput[static_cast<std::size_t>(level)].add(sample.throughput);
  if (sample.intensity > 0) phase.intensity.add(std::log(sample.intensity));
  phase.last_seen = now;
  return static_cast<int>(at);
}

void PhaseMemory::drop(int phase) {
  Phase& gone = phases_[static_cast<std::size_t>(phase)];
  gone = {};
  gone.throughput.resize(levels_);  // matches nothing, and is the first to be replaced
  gone.last_seen = -1;
}

bool PhaseMemory::differs_in_intensity(int phase, const Sample& sample, const Bands& bands) const {
  const Phase& known = phases_[static_cast<std::size_t>(phase)];
  return comparable(known, sample) && intensity_distance(known, sample) > bands.intensity;
}

bool PhaseMemory::differs(int phase, int level, const Sample& sample, const Bands& bands) const {
  if (differs_in_intensity(phase, sample, bands)) return true;
  const Mean& known = phases_[static_cast<std::size_t>(phase)].throughput[static_cast<std::size_t>(level)];
  return known.count > 0 && log_distance(sample.throughput, known.value) > bands.throughput;
}

int PhaseMemory::match(int except, int level, const Sample& sample, const Bands& bands) const {
  // Where the intensity alone already says that the work is not the current phase's, a phase of that intensity is taken
  // also on an unlike throughput, which may stem from a sample on the border of two phases; it is checked on arrival.
  bool sure = except != no_phase && differs_in_intensity(except, sample, bands);
  int best = no_phase;
  double least = 1e300;
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    const Phase& phase = phases_[p];
    if (static_cast<int>(p) == except ||
        (comparable(phase, sample) && intensity_distance(phase, sample) > bands.intensity))
      continue;
    double score = comparable(phase, sample) ? intensity_distance(phase, sample) / bands.intensity : 0;
    if (const Mean& known = phase.throughput[static_cast<std::size_t>(level)]; known.count > 0) {
      double distance = log_distance(sample.throughput, known.value) / bands.throughput;
      if (distance > 1 && !(sure && comparable(phase, sample))) continue;
      score += distance > 1 ? 2 : distance;
    } else if (!comparable(phase, sample)) {
      continue;
    } else {
      score += 0.5;
    }
    if (score < least) {
      least = score;
      best = static_cast<int>(p);
    }
  }
  return best;
}

}  // namespace charm::controller
