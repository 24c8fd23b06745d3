// The experiments as the model predicts them on the papers' machines, at the papers' sizes. Nothing is measured.
#pragma once

#include <string>
#include <vector>

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

struct Reproduction {
  const Experiment* experiment = nullptr;
  Plan plan;        ///< with predictions; its notes are what the model leaves out
  Verdict verdict;  ///< of the claim, by the model
};

/// Those whose machine has a model.
std::vector<const Experiment*> reproducible();

/// \param free numbers of the model to try in place of the usual ones. \throws Error (bad_config) if the experiment's
/// machine has no model.
Reproduction reproduce(const Experiment& experiment, const sim::Free& free = {});

/// Whether what is predicted of a point agrees with the paper: it is on the side that is claimed, or, where nothing is
/// claimed, within a quarter of what is published.
bool agrees(const Point& point);

/// How many claims came out how.
struct Tally {
  int confirmed = 0, smaller = 0, not_confirmed = 0, cannot_tell = 0;
  void add(Finding finding);
  [[nodiscard]] int all() const { return confirmed + smaller + not_confirmed + cannot_tell; }
};

/// "23 claims: 9 confirmed, 3 smaller than published, 8 not confirmed, 3 that cannot be told".
std::string text_of(const Tally& tally);

}  // namespace charm::evaluate
