// Compares the papers' figures and tables with the model, point by point. A figure is a function that contains the
// paper's values (each with its place in the paper) and asks the model for the same; a new one is one file in figures/
// and one line in reproduce.cpp.
//
// A point is hard if it states a sign, a crossing, a plateau or an order: those must hold. Magnitudes are reported with
// their deviation and are not fitted one by one; costs.hpp names all fitted numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/sim/run.hpp"

namespace charm::sim {

/// What a point rests on. A test moves every number that was fitted, or chosen with a figure in view, and fails where a
/// predicted point needs it.
enum class Basis { predicted, fitted, assumed };

struct Point {
  std::string series;
  double x = 0;
  double paper = 0;  // the paper's value; of an order the ratio at which it turns (1), or 0
  double model = 0;
  bool hard = false;
  bool holds = true;   // whether `claim` is true; for a magnitude: whether it is within a quarter of the paper's value
  std::string claim;   // the statement of a hard point
  std::string source;  // where the paper gives the value
  Basis basis = Basis::predicted;

  /// Whether the paper says here which is larger, and gives no value.
  [[nodiscard]] bool order() const { return hard && (paper == 1 || paper == 0); }
  [[nodiscard]] Point on(Basis what) && {
    basis = what;
    return std::move(*this);
  }
};

struct Reproduction {
  std::string figure;
  std::string title, x, y;
  std::vector<Point> points;
  std::vector<std::string> not_captured;  // what the model leaves out, one sentence each
};

struct Figure {
  std::string_view name;  // "charm:fig5"
  std::string_view title;
  Reproduction (*make)(const Free& free);
};

std::span<const Figure> figures();

/// \throws Error (bad_config) that names the figures there are.
Reproduction reproduce(std::string_view figure, const Free& free = {});

/// Adds a magnitude, which is reported and not required.
Point magnitude(std::string series, double x, double paper, double model, std::string source);
/// Adds a hard point, which must hold. \param paper 1 or 0 where the paper states an order without a value.
Point required(std::string series, double x, double paper, double model, bool holds, std::string claim,
               std::string source);

}  // namespace charm::sim
