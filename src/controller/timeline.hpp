// The signals and the spread of a control group, tick by tick, in bounded memory: when the record is full, neighbouring
// points are merged, so that it always covers the whole run and only its resolution falls.
//
// Invariant: points do not overlap, are in order of time, and their lengths add up to what was recorded. Ticks at
// different spreads are merged like any others, and the longer one's spread is kept.
#pragma once

#include <charm/decision.hpp>

#include <cstddef>
#include <vector>

namespace charm::controller {

class Timeline {
 public:
  static constexpr std::size_t most_points = 2048;

  void record(const TimelinePoint& point) {
    if (filled_ > 0 && filled_ < stride_) {
      merge(points_.back(), point);
    } else {
      points_.push_back(point);
      filled_ = 0;
    }
    ++filled_;
    if (points_.size() > most_points) halve();
  }
  [[nodiscard]] const std::vector<TimelinePoint>& points() const { return points_; }

 private:
  static void merge(TimelinePoint& into, const TimelinePoint& next) {
    const double whole = into.seconds + next.seconds;
    if (whole <= 0) return;
    auto mean = [&](double a, double b) { return (a * into.seconds + b * next.seconds) / whole; };
    into.throughput = mean(into.throughput, next.throughput);
    into.idle = mean(into.idle, next.idle);
    const bool known = into.stall_dram >= 0 && next.stall_dram >= 0;
    into.stall_dram = known ? mean(into.stall_dram, next.stall_dram) : -1;
    into.stall_other_chiplet = known ? mean(into.stall_other_chiplet, next.stall_other_chiplet) : -1;
    if (next.seconds > into.seconds) {
      into.spread = next.spread;
      into.workers = next.workers;
    }
    into.time = next.time;
    into.seconds = whole;
  }

  /// There is one more than the most, which is odd: the last one, which has just begun, goes on alone.
  void halve() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); i += 2, ++kept) {
      points_[kept] = points_[i];
      if (i + 1 < points_.size()) merge(points_[kept], points_[i + 1]);
    }
    points_.resize(kept);
    stride_ *= 2;
  }
  static_assert(most_points % 2 == 0);

  std::vector<TimelinePoint> points_;
  std::size_t stride_ = 1;  // ticks in one point
  std::size_t filled_ = 0;  // ticks in the last point
};

}  // namespace charm::controller
