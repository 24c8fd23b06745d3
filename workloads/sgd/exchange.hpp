// What a descent of one process exchanges with those of other processes that descend on other rows at the same time.
#pragma once

#include <span>

namespace charm::workloads {

/// All processes call these in the same order, and get the same results, to the last bit.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Each element becomes the sum of that element over all processes.
  virtual void sum(std::span<float> values) const = 0;
  [[nodiscard]] virtual double sum(double value) const = 0;
  [[nodiscard]] virtual double most(double value) const = 0;

 protected:
  Exchange() = default;
  Exchange(const Exchange&) = default;
  Exchange& operator=(const Exchange&) = default;
};

}  // namespace charm::workloads
