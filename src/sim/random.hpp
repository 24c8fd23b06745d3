// Random numbers that are the same on every machine and compiler: what a seed gives today it gives for ever.
#pragma once

#include <cmath>
#include <cstdint>

namespace charm::sim {

/// splitmix64: a good number from any counter.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// xorshift64*.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed(seed) | 1) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  /// In [0, below).
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Normal, mean 0 and deviation 1: the sum of twelve, which needs no library function.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace charm::sim
