// Measures nothing: the samples are those of a simulated machine, with noise. So a whole evaluation can be tried for a
// machine that nobody has at hand, and its verdicts set beside its predictions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tools/evaluate/measuring.hpp"
#include "tools/sim/model.hpp"

namespace charm::evaluate {

class SimulatedMeasuring : public Measuring {
 public:
  /// \param scatter of every sample, and of what the controllers see; its seed should not be that of the predictions.
  SimulatedMeasuring(const sim::Model& model, const sim::Scatter& scatter)
      : model_(model), scatter_(scatter), random_(scatter.seed) {}

  void begin(const Plan& plan) override;
  double measure(const Variant& variant, double limit_s) override;
  std::vector<Samples> bench(const Job& job, double limit_s) override;
  bool stopped() override { return false; }

 private:
  double sample(double value);

  const sim::Model& model_;
  sim::Scatter scatter_;
  base::Random random_;
  const Plan* plan_ = nullptr;
  std::map<std::string, double> values_;
};

/// Everything that experiments could need, on the machine of a model.
Context simulated_context(sim::Model model, Extent extent);

}  // namespace charm::evaluate
