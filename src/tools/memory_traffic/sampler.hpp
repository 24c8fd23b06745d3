// Turns readings of the traffic into the page of weights, continuously: one sampler for all programs of a machine.
//
// The traffic of others is the reading less the traffic of the programs under the malloc, averaged, and passed on only
// if it has changed enough (smoothing.hpp). A part of every bus and memory stays available, whatever others take
// (`least`), so that nobody is shut out of a full bus, not even by traffic of its own that the reading cannot tell from
// others'. A change of the weights takes several readings to take full effect (`step`), so that programs which follow
// one page do not all move to the memory that is idle at the moment.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "memory/weight_page.hpp"
#include "tools/memory_traffic/smoothing.hpp"
#include "tools/memory_traffic/weight_policy.hpp"

namespace charm::memory_traffic {

struct SamplerOptions {
  Smoothing smoothing = {};
  double least = 0.1;  ///< part of every bandwidth that stays available
  double step = 0.5;   ///< part of the difference to the new weights that a reading applies; 1: all of it
  double demand_gb_per_s = unlimited;
};

class Sampler {
 public:
  /// \param model, policy must stay. \throws Error (bad_input) as weight_page() does.
  Sampler(const Model& model, const Machine& cpus, const Policy& policy, SamplerOptions options = {});

  /// \param own what of the reading the programs under the malloc cause; all zero where nobody knows.
  /// \return whether the weights have changed.
  bool add(const Bandwidths& reading, const Bandwidths& own);

  /// The present weights, without source and time.
  [[nodiscard]] const memory::WeightPage& page() const { return page_; }
  /// What is left for programs under the malloc.
  [[nodiscard]] const Bandwidths& left() const { return left_; }
  /// What others use.
  [[nodiscard]] const Bandwidths& others() const { return view_.others(); }

 private:
  void move_towards(const memory::WeightPage& wanted);

  const Model& model_;
  Machine cpus_;
  const Policy& policy_;
  SamplerOptions options_;
  TrafficView view_;
  Bandwidths left_;
  memory::WeightPage page_;
};

}  // namespace charm::memory_traffic
