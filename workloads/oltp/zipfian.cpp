#include "workloads/oltp/zipfian.hpp"

#include <algorithm>
#include <cmath>

namespace charm::workloads::oltp {

double Zipfian::zeta(std::uint64_t count, double theta) {
  // Beyond these terms the sum is an integral with the first correction of Euler and Maclaurin.
  constexpr std::uint64_t summed = 1U << 16U;
  const std::uint64_t direct = std::min(count, summed);
  double sum = 0;
  for (std::uint64_t i = direct; i > 0; --i) sum += std::pow(static_cast<double>(i), -theta);
  if (direct == count) return sum;
  const auto last = static_cast<double>(count);
  const auto first = static_cast<double>(direct);
  return sum + (std::pow(last, 1 - theta) - std::pow(first, 1 - theta)) / (1 - theta) +
         (std::pow(last, -theta) - std::pow(first, -theta)) / 2;
}

Zipfian::Zipfian(std::uint64_t count, double theta)
    : count_(std::max<std::uint64_t>(count, 1)), theta_(theta), zeta_(zeta(count_, theta)), alpha_(1 / (1 - theta)) {
  eta_ = (1 - std::pow(2.0 / static_cast<double>(count_), 1 - theta)) / (1 - zeta(2, theta) / zeta_);
}

std::uint64_t Zipfian::rank(double u) const {
  const double uz = u * zeta_;
  if (uz < 1 || count_ == 1) return 0;
  if (uz < 1 + std::pow(.5, theta_) || count_ == 2) return 1;
  const double found = static_cast<double>(count_) * std::pow(eta_ * u - eta_ + 1, alpha_);
  return std::min(static_cast<std::uint64_t>(found), count_ - 1);
}

}  // namespace charm::workloads::oltp
