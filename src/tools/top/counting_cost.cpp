#include "tools/top/counting_cost.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace charm::top {
namespace {

constexpr double most_share = 0.01;

}  // namespace

Counted CountingCost::affordable(double switches_per_s, double cpus) const {
  if (!cost_ || !matters()) return Counted::all;
  const double most = most_share * std::max(1.0, cpus);
  const double whole = switches_per_s * cost_->added_s();
  if (whole <= most) return Counted::all;
  const double part = static_cast<double>(fills_) / static_cast<double>(cost_->events);
  return fills_ > 0 && fills_ < cost_->events && whole * part <= most ? Counted::fills : Counted::nothing;
}

std::string CountingCost::why(Counted counted, double switches_per_s) const {
  if (counted == Counted::all || !cost_) return "";
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(),
                "%s: at %.0f switches a second they would take %.2f cpus (%.1f us each, as where a hypervisor emulates "
                "counters); --events says what to count all the same",
                counted == Counted::fills ? "instructions and cycles are not counted" : "nothing is counted",
                switches_per_s, switches_per_s * cost_->added_s(), 1e6 * cost_->added_s());
  return text.data();
}

}  // namespace charm::top
