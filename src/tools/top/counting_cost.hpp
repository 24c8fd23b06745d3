// Decides how much of a program may be counted, so that watching it costs at most one percent of a cpu, or of the cpus
// that the program uses if that is more. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "counters/switch_cost.hpp"

namespace charm::top {

/// Everything, fills without instructions and cycles, or nothing.
enum class Counted { all, fills, nothing };

class CountingCost {
 public:
  /// \param cost of a switch; nothing: not known, and everything is counted. \param fills number of the events that
  /// count fills.
  explicit CountingCost(std::optional<counters::SwitchCost> cost = {}, std::size_t fills = 0)
      : cost_(cost), fills_(fills) {}

  /// Whether any program can switch often enough for the cost to matter. With real counters, which cost a few hundred
  /// nanoseconds, none can.
  [[nodiscard]] bool matters() const { return cost_ && cost_->added_s() >= matters_from_s; }

  /// \param cpus that the program uses.
  [[nodiscard]] Counted affordable(double switches_per_s, double cpus) const;

  /// What is left out and why; empty for all.
  [[nodiscard]] std::string why(Counted counted, double switches_per_s) const;

 private:
  static constexpr double matters_from_s = 1e-6;

  std::optional<counters::SwitchCost> cost_;
  std::size_t fills_;
};

}  // namespace charm::top
