// Whether a descent has found what it was to find: against the objective in double precision and the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workloads/sgd/reference.hpp"
#include "workloads/sgd/sgd.hpp"

namespace charm::workloads {

inline constexpr double float_tolerance = 1e-4;  // of sums in single precision, relative to the largest

inline std::vector<double> widened(const Array<float>& model) { return {model.begin(), model.end()}; }

/// The objective at which `share` of what can be removed of the loss, which is log 2 at first, is left.
inline double objective_with(const Reference& best, double share) {
  return best.objective + share * (std::log(2.0) - best.objective);
}

/// \param exact the objective of the model that was found. \param target the share that may be left. \return empty if
/// the answer is right.
inline std::string complaint(double exact, const Descent& found, const Reference& best, double target) {
  if (!(std::fabs(exact - found.objective) <= float_tolerance * std::log(2.0)))
    return fmt::format("the objective is {:.8g}, not {:.8g}", exact, found.objective);
  if (exact < best.objective - best.gap - float_tolerance)
    return fmt::format("the objective {:.8g} is below the least possible, {:.8g}", exact, best.objective);
  if (exact <= objective_with(best, target) + float_tolerance) return {};
  const double left = (exact - best.objective) / (std::log(2.0) - best.objective);
  return fmt::format(
      "after {} epoch{} {:.1f} % of the loss that can be removed is left, not {:.1f} %; take more --epochs",
      found.epochs, found.epochs == 1 ? "" : "s", 100 * left, 100 * target);
}

/// \param bytes that a pass reads.
inline std::string describe(const Descent& found, const Reference& best, double bytes) {
  return fmt::format(
      "objective {:.4f}, at best {:.4f}; {} epoch{}, {} replica{}; updates {:.2f} GB/s, loss {:.2f} GB/s",
      found.objective, best.objective, found.epochs, found.epochs == 1 ? "" : "s", found.replicas,
      found.replicas == 1 ? "" : "s", bytes * found.epochs / std::max(found.update_seconds, 1e-9) / 1e9,
      bytes * (found.epochs + 1) / std::max(found.loss_seconds, 1e-9) / 1e9);
}

}  // namespace charm::workloads
