#include "tools/sim/residency.hpp"

#include <algorithm>
#include <cmath>

namespace charm::sim {
namespace {

/// The mean of exp(-z t) over t in [0, 1].
double mean_decay(double z) { return z < 1e-9 ? 1 - z / 2 : (1 - std::exp(-z)) / z; }

/// Rates per line of one class: accesses from here, writes from elsewhere, all writes.
struct LineRates {
  double here = 0, writes_elsewhere = 0, writes = 0;
};

LineRates rates_of(const Share& s, const Popularity::Class& c) {
  const double one = s.component->accesses * c.accesses / std::max(1.0, c.lines * s.lines);
  return {one * s.here, one * (s.all - s.here) * s.component->writes, one * s.all * s.component->writes};
}

bool is_sweep(const Share& s) { return s.component->order == Component::Order::sweep; }
bool is_pair(const Share& s) { return s.component->reach == Component::Reach::pair; }

/// Operations from one touch of a line to the next: by any worker of the group if the line wanders, else from this
/// cache.
double interval(const Share& s) {
  const double touchers = s.wanders ? s.all : s.here;
  return s.lines / std::max(1e-12, s.component->accesses * touchers);
}

/// Operations from the write of a mailbox's line to its reading, and from there to the next write.
double half_round(const Share& s) { return s.lines / 2 / std::max(1e-12, s.component->accesses); }

/// Wandering: chance that the line is here just after a touch by any worker.
double after_touch(const Share& s, double here, double evict) {
  const double q = here / s.all, x = std::exp(-evict * interval(s));
  return q / (1 - (1 - q) * (1 - s.component->writes) * x);
}

template <class F>
double sum_over_classes(const Share& s, F&& f) {
  double sum = 0;
  for (const auto& c : s.component->popularity.classes) sum += f(c);
  return sum;
}

double sweep_loss(const Share& s, double evict) { return evict + rates_of(s, {1, 1}).writes_elsewhere; }

}  // namespace

double occupancy(const Share& s, double evict) {
  if (is_pair(s)) {
    const double t = half_round(s), mailbox = s.lines / 2;
    if (s.pair_together) return s.lines * mean_decay(evict * t);
    return mailbox * mean_decay(evict * 2 * t) + mailbox * mean_decay(evict * t) / 2;
  }
  if (is_sweep(s)) {
    const double t = interval(s);
    if (s.wanders) return s.lines * after_touch(s, s.here, evict) * mean_decay(evict * t);
    return s.lines * mean_decay(sweep_loss(s, evict) * t);
  }
  return sum_over_classes(s, [&](const Popularity::Class& c) {
    const LineRates r = rates_of(s, c);
    return c.lines * s.lines * r.here / (r.here + evict + r.writes_elsewhere);
  });
}

double hit_rate(const Share& s, double evict) {
  if (is_pair(s)) {
    const double t = half_round(s), y = std::exp(-evict * t);
    // Apart, a reader finds the line changed by its partner; a writer finds the one that it wrote a round ago.
    return s.pair_together ? y : y * y / 2;
  }
  if (is_sweep(s)) {
    const double t = interval(s);
    if (s.wanders) return after_touch(s, s.here, evict) * std::exp(-evict * t);
    return std::exp(-sweep_loss(s, evict) * t);
  }
  return sum_over_classes(s, [&](const Popularity::Class& c) {
    const LineRates r = rates_of(s, c);
    return c.accesses * r.here / (r.here + evict + r.writes_elsewhere);
  });
}

double dirty_elsewhere(const Share& s, double evict_here, double evict_there) {
  const double w = s.component->writes, q = s.here / s.all;
  if (q >= 1 || w <= 0) return 0;
  const double missed = 1 - hit_rate(s, evict_here);
  if (missed <= 1e-12) return 0;
  if (is_sweep(s) && s.wanders) {
    const double x = std::exp(-evict_there * interval(s));
    return std::min(1.0, w * (1 - q) * x / (1 - (1 - w) * (1 - q) * x) / missed);
  }
  // The share of the missing accesses whose line was last written elsewhere and is still there.
  double dirty = 0;
  const auto count = [&](const Popularity::Class& c) {
    const LineRates r = rates_of(s, c);
    const double hit = is_sweep(s) ? std::exp(-sweep_loss(s, evict_here) * interval(s))
                                   : r.here / (r.here + evict_here + r.writes_elsewhere);
    dirty += c.accesses * (1 - hit) * r.writes_elsewhere / (r.writes_elsewhere + evict_there);
  };
  for (const auto& c : s.component->popularity.classes) count(c);
  return std::min(1.0, dirty / missed);
}

double presence_there(const Share& s, double there, double evict_there) {
  if (is_sweep(s) && s.wanders) return after_touch(s, there, evict_there) * std::exp(-evict_there * interval(s));
  return sum_over_classes(s, [&](const Popularity::Class& c) {
    const double one = s.component->accesses * c.accesses / std::max(1.0, c.lines * s.lines);
    const double others_write = one * (s.all - there) * s.component->writes;
    return c.accesses * one * there / (one * there + evict_there + others_write);
  });
}

double write_backs(const Share& s, double evict) {
  const double w = s.component->writes;
  if (evict <= 0) return 0;
  if (is_pair(s)) return 0.5 * (1 - std::exp(-evict * 2 * half_round(s)));
  if (w <= 0) return 0;
  if (is_sweep(s) && (s.wanders || s.all <= s.here)) {
    const double x = std::exp(-evict * interval(s));
    return w * (1 - w * x / (1 - (1 - w) * x));
  }
  return sum_over_classes(s, [&](const Popularity::Class& c) {
    const LineRates r = rates_of(s, c);
    return c.accesses * w * evict / (evict + r.writes);
  });
}

}  // namespace charm::sim
