// Runs experiments one after the other: first all plans with their predictions, which are stored before anything is
// measured; then each experiment's jobs, and its verdict. Pure except for the back-end and the callbacks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/evaluate/evaluation.hpp"
#include "tools/evaluate/measuring.hpp"

namespace charm::evaluate {

/// What else happened while an experiment ran.
struct Meanwhile {
  std::vector<std::string> disturbances;  ///< a clause each
  /// Other programs took so much of the machine that the measurement is worthless.
  bool too_busy = false;
};

struct Callbacks {
  std::function<double()> now;  ///< seconds of a monotonic clock
  /// Called with the evaluation after the plans and after each experiment; it must be stored when this returns.
  std::function<void(const Evaluation&)> store;
  /// \param left_s about how long the rest takes.
  std::function<void(const std::string& doing, double share, double left_s)> progress;
  /// Called before an experiment; the function that it returns tells afterwards what disturbed it. May be empty.
  std::function<std::function<Meanwhile()>()> watch;
};

/// The results with their plans, nothing measured. An experiment whose needs are not met has its verdict already.
std::vector<Result> planned(const std::vector<const Experiment*>& chosen, const Context& context);

/// Takes over the experiments that `before` has measured. \throws Error (bad_input) that says why the two do not fit.
void take_over(Evaluation& evaluation, const Evaluation& before);

/// About how long the experiments take that are left, in seconds.
double seconds_left(const Evaluation& evaluation);

/// Measures what is planned. \param limit_s of all together; experiments for which no time is left say so.
/// \returns false if a stop was requested; the interrupted experiment counts as not begun.
bool measure(Evaluation& evaluation, const std::vector<const Experiment*>& chosen, const Context& context,
             Measuring& measuring, const Callbacks& callbacks, double limit_s);

}  // namespace charm::evaluate
