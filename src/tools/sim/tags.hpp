// The tags of one set-associative cache with random replacement. Lines are small integers; a line is in at most one way
// of its set, and an empty way is used before any line is evicted. Each tag has space for a short note beside the line,
// so that the cache's owner can keep data about a line without a second load.
//
// The ways of a set are compared without branches, its empty ways are bits of a mask, and the set is found by
// multiplying: an access costs some nanoseconds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace charm::sim {

template <int ways>
class Tags {
 public:
  static constexpr int mark_bits = 10;
  static constexpr std::uint32_t most_lines = (1U << (32 - mark_bits)) - 1;  // ids are below this
  static constexpr std::uint32_t none = 0xFFFFFFFFU;                         // no line has this id

  explicit Tags(double lines)
      : sets_(static_cast<std::uint32_t>(std::clamp(lines / ways + 0.5, 1.0, static_cast<double>(most_lines) / ways))),
        inverse_((std::uint64_t{1} << reach) / sets_ + 1),
        slots_(static_cast<std::size_t>(sets_) * ways, none),
        empty_(sets_, static_cast<std::uint16_t>((1U << ways) - 1)) {}

  /// The slot of a line, or -1.
  [[nodiscard]] std::int64_t find(std::uint32_t line) const {
    const std::size_t first = set_of(line) * ways;
    const std::uint32_t* slot = slots_.data() + first;
    std::uint32_t found = 0;
    for (std::uint32_t way = 0; way < ways; ++way) found |= (slot[way] >> mark_bits) == line ? way + 1 : 0;
    return found == 0 ? -1 : static_cast<std::int64_t>(first + found - 1);
  }

  /// Puts a line in that is not there. \returns the slot; `out` is the line that had to go, or none.
  std::size_t insert(std::uint32_t line, base::Random& random, std::uint32_t& out) {
    const std::size_t set = set_of(line);
    std::uint16_t& empty = empty_[set];
    std::size_t slot = set * ways;
    if (empty != 0) {
      slot += static_cast<std::size_t>(std::countr_zero(empty));
      empty = static_cast<std::uint16_t>(empty & (empty - 1));
      out = none;
    } else {
      slot += static_cast<std::size_t>(random.next() >> 40) % ways;
      out = slots_[slot] >> mark_bits;
    }
    slots_[slot] = line << mark_bits;
    return slot;
  }

  void remove(std::uint32_t line) {
    const std::int64_t slot = find(line);
    if (slot < 0) return;
    const auto at = static_cast<std::size_t>(slot);
    slots_[at] = none;
    empty_[at / ways] = static_cast<std::uint16_t>(empty_[at / ways] | (1U << (at % ways)));
  }

  [[nodiscard]] std::uint32_t mark(std::size_t slot) const { return slots_[slot] & ((1U << mark_bits) - 1); }
  void set_mark(std::size_t slot, std::uint32_t mark) {
    slots_[slot] = (slots_[slot] & ~((1U << mark_bits) - 1)) | (mark & ((1U << mark_bits) - 1));
  }

  void prefetch(std::uint32_t line) const { __builtin_prefetch(slots_.data() + set_of(line) * ways); }

 private:
  static_assert(ways >= 4 && ways <= 16, "set_of() is exact for these, and empty ways are bits of 16");

  // line % sets_, exactly: line * sets_ is below 2^22 * 2^20, which is all that the rounded inverse asks for.
  static constexpr int reach = 42;
  [[nodiscard]] std::size_t set_of(std::uint32_t line) const {
    const auto turns = static_cast<std::uint32_t>((line * inverse_) >> reach);
    return line - turns * sets_;
  }

  std::uint32_t sets_;
  std::uint64_t inverse_;
  std::vector<std::uint32_t> slots_;  // line and mark
  std::vector<std::uint16_t> empty_;  // by set, a bit for each way
};

}  // namespace charm::sim
