// Which rank has which elements of an array that is divided into consecutive parts of the same size.
#pragma once

#include <charm/remote.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class Division {
 public:
  /// \param unit the parts begin at its multiples.
  Division(Index size, Index unit, int ranks) : size_(size) {
    const Index units = (size + unit - 1) / unit;
    part_ = std::max<Index>(1, (units + ranks - 1) / ranks) * unit;
    if (std::has_single_bit(static_cast<std::uint64_t>(part_)))
      shift_ = std::countr_zero(static_cast<std::uint64_t>(part_));
  }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index begin(int rank) const { return std::min(size_, part_ * rank); }
  [[nodiscard]] Index end(int rank) const { return begin(rank + 1); }
  [[nodiscard]] int owner(Index i) const { return static_cast<int>(shift_ >= 0 ? i >> shift_ : i / part_); }

 private:
  Index size_;
  Index part_ = 1;
  int shift_ = -1;  // a division takes longer than the rest of an update
};

}  // namespace charm::workloads
