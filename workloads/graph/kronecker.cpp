// Keys of the generator's label permutation.
#include "workloads/graph/kronecker.hpp"

#include <algorithm>

namespace charm::workloads {

Kronecker::Kronecker(int scale, int degree, std::uint64_t seed)
    : scale_(scale),
      degree_(degree),
      seed_(mix(seed ^ 0x6b726f6e65636b65U)),
      mask_((std::uint32_t{1} << scale) - 1),
      fold_(std::max(1, scale / 2)) {
  for (std::uint64_t round = 0; round < 3; ++round) {
    std::uint64_t key = random_at(seed_ ^ 0x6c6162656c73U, round);
    odd_[round] = static_cast<std::uint32_t>(key) | 1U;
    shift_by_[round] = static_cast<std::uint32_t>(key >> 32);
  }
}

}  // namespace charm::workloads
