// A client's random numbers: the numbers of one stream (graph/random.hpp), one after the other.
#pragma once

#include <cstdint>

#include "workloads/graph/random.hpp"

namespace charm::workloads::oltp {

__extension__ using Wide = unsigned __int128;

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : seed_(seed) {}

  std::uint64_t next() { return random_at(seed_, position_++); }
  /// In [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }
  /// In [low, high], all numbers alike.
  std::int64_t within(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
};

}  // namespace charm::workloads::oltp
