// Random numbers that are the same for a seed everywhere: the standard library's generators are portable, its
// distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace charm::compare {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Below `bound`, which is not 0. Its bias, bound / 2^64, is nothing for the bounds of this room.
  std::size_t below(std::size_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(engine_()) * bound) >> 64U);
  }

  template <class Container>
  void shuffle(Container& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace charm::compare
