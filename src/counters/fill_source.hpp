// Sets of fill sources, and how a machine counts them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/fill_source.hpp"

namespace charm::counters {

using topology::all_fill_sources;
using topology::fill_sources;
using topology::FillSource;
using topology::index;
using topology::name;

std::optional<FillSource> fill_source_named(std::string_view name) noexcept;

/// A set of sources.
class FillSet {
 public:
  constexpr FillSet() = default;
  constexpr FillSet(std::initializer_list<FillSource> sources) {
    for (const FillSource source : sources) add(source);
  }
  constexpr void add(FillSource source) noexcept { bits_ = static_cast<std::uint8_t>(bits_ | (1U << index(source))); }
  constexpr void add(FillSet more) noexcept { bits_ = static_cast<std::uint8_t>(bits_ | more.bits_); }
  [[nodiscard]] constexpr bool has(FillSource source) const noexcept { return ((bits_ >> index(source)) & 1U) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr int size() const noexcept { return std::popcount(bits_); }
  friend constexpr bool operator==(FillSet, FillSet) = default;

 private:
  std::uint8_t bits_ = 0;
};

/// "own_chiplet + other_chiplet"; "nothing" for the empty set.
std::string to_text(FillSet set);

/// One number that a machine counts. If `covers` has more than `reported_as`, the machine cannot tell those sources
/// apart: their sum is in fills[reported_as], and the fills of the others are not measured.
struct FillClass {
  FillSource reported_as = FillSource::other;
  FillSet covers;
  std::string meaning;  ///< one sentence: what the event counts, and what it does not see
};

/// The sources that are counted separately.
FillSet told_apart(const std::vector<FillClass>& classes);

/// Sources that are counted, alone or within a sum.
FillSet counted(const std::vector<FillClass>& classes);

}  // namespace charm::counters
