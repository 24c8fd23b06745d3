// The tags of one set-associative cache with random replacement. Lines are small integers; a line sits in at most one
// way of its set, and an empty way is taken before any line is thrown out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"

namespace charm::sim {

template <int ways>
class Tags {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFU;

  explicit Tags(double lines)
      : sets_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(lines / ways + 0.5))),
        slots_(static_cast<std::size_t>(sets_) * ways, none) {}

  /// The slot of a line, or -1.
  [[nodiscard]] std::int64_t find(std::uint32_t line) const {
    const std::size_t first = set_of(line);
    for (std::size_t way = 0; way < ways; ++way) {
      if (slots_[first + way] == line) return static_cast<std::int64_t>(first + way);
    }
    return -1;
  }

  /// Puts a line in that is not there. \returns the slot; `out` is the line that had to go, or none.
  std::size_t insert(std::uint32_t line, Random& random, std::uint32_t& out) {
    const std::size_t first = set_of(line);
    std::size_t slot = first + static_cast<std::size_t>(random.next() >> 40) % ways;
    for (std::size_t way = 0; way < ways; ++way) {
      if (slots_[first + way] == none) {
        slot = first + way;
        break;
      }
    }
    out = slots_[slot];
    slots_[slot] = line;
    return slot;
  }

  void remove(std::uint32_t line) {
    if (const std::int64_t slot = find(line); slot >= 0) slots_[static_cast<std::size_t>(slot)] = none;
  }

  [[nodiscard]] std::size_t slots() const { return slots_.size(); }

 private:
  [[nodiscard]] std::size_t set_of(std::uint32_t line) const { return static_cast<std::size_t>(line % sets_) * ways; }

  std::uint32_t sets_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace charm::sim
