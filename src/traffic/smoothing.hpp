// From readings of the buses' traffic to what others use, as steady as weights need it.
//
// A program that takes its own traffic for somebody else's flees from itself: the weights leave the memory that it
// uses, the traffic follows, and the weights come back. Two programs that see the same reading move together and
// collide again. Three measures, each of which can be switched off to show what it is for:
// the own flow is subtracted, readings are averaged (EWMA), and what changes little does not count (hysteresis).
#pragma once

#include "traffic/flow.hpp"
#include "traffic/model.hpp"

namespace charm::traffic {

struct Smoothing {
  double part = 0.2;        ///< of a new reading in the average; 1: no averaging
  double hysteresis = 0.1;  ///< change of a bandwidth, as a part of its capacity, that is passed on; 0: every change
  bool subtract_own = true;
};

/// What a flow of GB/s from each memory to `root` puts on every bus and controller.
Bandwidths flow_on_buses(const Model& model, int root, const Weights& gb_per_s);

class TrafficView {
 public:
  explicit TrafficView(const Model& model, Smoothing smoothing = {});

  /// \param reading what the buses and controllers carry in all. \param own of this what the asking program causes.
  void add(const Bandwidths& reading, const Bandwidths& own);

  /// What others use; changes only when it has changed enough.
  [[nodiscard]] const Bandwidths& others() const { return passed_on_; }
  /// Increases whenever others() changes.
  [[nodiscard]] int changes() const { return changes_; }

 private:
  Bandwidths capacity_;
  Smoothing smoothing_;
  Bandwidths average_, passed_on_;
  bool empty_ = true;
  int changes_ = 0;
};

}  // namespace charm::traffic
