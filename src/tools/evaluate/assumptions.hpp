// What the model assumes beside the machines' numbers, and what the papers' figures say when it is wrong: every free
// number moved by 30 %, and the fitted ones fitted to some figures only, with the others as a test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evaluate/reproduction.hpp"

namespace charm::evaluate {

struct Assumption {
  enum class Kind { fitted, chosen, estimate };
  std::string_view name;
  double sim::Free::* member;
  Kind kind;
  std::string_view unit, source;
};

/// All of them, in the order in which they are shown.
std::span<const Assumption> assumptions();

/// The numbers with one of them multiplied.
sim::Free moved(const Assumption& assumption, double factor);

struct Sensitivity {
  const Assumption* assumption = nullptr;
  double factor = 1;
  int hard = 0;                        // points of which something is claimed
  std::vector<std::string> fallen;     // those that hold at the default and not here: "charm-tab1: cc at 64"
  std::vector<std::string> predicted;  // those among them that are marked as predicted
  double largest_change = 0;           // of any point's value, relative
  std::string changed_most;            // that point
};

/// The experiments that depend on the numbers: those of CHARM's and OLAP's figures.
std::vector<const Experiment*> dependent_experiments();

std::vector<Sensitivity> sensitivities(std::span<const Assumption> of, const std::vector<const Experiment*>& figures,
                                       int jobs = 1);

/// How many points rest on what.
struct BasisCount {
  int predicted = 0, fitted = 0, assumed = 0;
  int predicted_held = 0;  // that agree with the paper
  [[nodiscard]] int all() const { return predicted + fitted + assumed; }
};
BasisCount count(std::span<const Reproduction> figures);

/// A number fitted to some points, and the error at others that were not used.
struct CrossValidation {
  std::string number, fitted_to, predicts;
  double value = 0, published = 0;    // what the fit gives, and what the figures use
  double error_there = 0, error = 0;  // mean deviation from the paper's values at the points of the fit; at the others
  bool shape_holds = true;            // the shares among the others are within .15
};
std::vector<CrossValidation> cross_validate(int jobs = 1);

}  // namespace charm::evaluate
