// The back-end of an evaluation, which measures runs. On this machine it is LiveMeasuring (live.hpp), on a described
// one SimulatedMeasuring (simulated.hpp); tests have one that invents the results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/evaluate/experiment.hpp"
#include "tools/evaluate/run.hpp"

namespace charm::evaluate {

class Measuring {
 public:
  Measuring() = default;
  virtual ~Measuring() = default;
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  /// Told before the jobs of a plan, which stays until the next one.
  virtual void begin(const Plan& /*plan*/) {}
  /// One sample. \param limit_s it need not go on after so long. \throws Error if it cannot be measured.
  virtual double measure(const Variant& variant, double limit_s) = 0;
  /// All rows of a benchmark, each with a sample for each trial. \throws Error as measure(), also where an answer was
  /// wrong or the time was up.
  virtual std::vector<Samples> bench(const Job& job, double limit_s) = 0;
  /// Whether somebody asked to stop.
  virtual bool stopped() = 0;
};

}  // namespace charm::evaluate
