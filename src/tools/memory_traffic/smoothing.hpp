// Turns readings of the buses' traffic into a steady estimate of what other programs use.
//
// If a program took its own traffic for that of others, the weights would leave the memory that it uses, the traffic
// would follow, and the weights would come back. Two programs that see the same reading would move together. Three
// measures prevent this, and each can be switched off in tests: the program's own flow is subtracted, readings are
// averaged (EWMA), and small changes are ignored (hysteresis).
#pragma once

#include "tools/memory_traffic/flow.hpp"
#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

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

}  // namespace charm::memory_traffic
