// From readings of the traffic to the page of weights, again and again: one sampler for all programs of a machine.
//
// What others use is the reading without what the programs under the malloc cause themselves, averaged, and passed on
// only where it has changed enough (smoothing.hpp). Of every bus and memory some part stays available, whatever others
// take (`least`): nobody is shut out of a full bus, and a reading that cannot tell the own flow from others' must not
// close what the own flow fills. And a change of the weights takes several readings to arrive in whole (`step`), so
// that programs which follow one page do not all move to the memory that is idle at the moment and collide there.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "traffic/policy.hpp"
#include "traffic/smoothing.hpp"
#include "traffic/weight_page.hpp"

namespace charm::traffic {

struct SamplerOptions {
  Smoothing smoothing = {};
  double least = 0.1;  ///< part of every bandwidth that is available, whatever others use
  double step = 0.5;   ///< part of the way to the new weights that a reading goes; 1: all of it at once
  double demand_gb_per_s = unlimited;
};

class Sampler {
 public:
  /// \param model, policy must stay. \throws Error (bad_input) as weight_page() does.
  Sampler(const Model& model, const Machine& cpus, const Policy& policy, SamplerOptions options = {});

  /// \param own what of the reading the programs under the malloc cause; all zero where nobody knows.
  /// \return whether the weights have changed.
  bool add(const Bandwidths& reading, const Bandwidths& own);

  /// For everybody who wants to see them: the weights now, without source and time.
  [[nodiscard]] const WeightPage& page() const { return page_; }
  /// What is left for programs under the malloc.
  [[nodiscard]] const Bandwidths& left() const { return left_; }
  /// What others use.
  [[nodiscard]] const Bandwidths& others() const { return view_.others(); }

 private:
  void move_towards(const WeightPage& wanted);

  const Model& model_;
  Machine cpus_;
  const Policy& policy_;
  SamplerOptions options_;
  TrafficView view_;
  Bandwidths left_;
  WeightPage page_;
};

}  // namespace charm::traffic
