#include "workloads/streamcluster/points.hpp"

#include <array>
#include <cstddef>

namespace charm::workloads {

float squared_distance(const float* a, const float* b, Index dimensions) {
  constexpr Index lanes = 16;  // independent sums, which compilers turn into vectors of any length
  std::array<float, lanes> sums{};
  Index j = 0;
  for (; j + lanes <= dimensions; j += lanes) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const float difference = a[j + lane] - b[j + lane];
      sums[static_cast<std::size_t>(lane)] += difference * difference;
    }
  }
  float rest = 0;
  for (; j < dimensions; ++j) rest += (a[j] - b[j]) * (a[j] - b[j]);
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0] + rest;
}

}  // namespace charm::workloads
