// Random numbers that are the same on every machine and with every compiler, so that a seed always gives the same run.
// (The standard library's generators are portable, its distributions are not.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace charm::base {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a good number from any counter.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The next number of xorshift64* (Vigna, 2016). \param state not 0.
constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1DULL;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed(seed) | 1) {}

  std::uint64_t next() { return next_random(state_); }
  /// A number in [0, limit).
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
  }
  /// An index into `size` items; fewer than 2^32.
  std::size_t index(std::size_t size) { return below(static_cast<std::uint32_t>(size)); }
  /// A number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Normal, mean 0 and deviation 1: the sum of twelve, which needs no library function.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }
  template <class Container>
  void shuffle(Container& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[index(left)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace charm::base
