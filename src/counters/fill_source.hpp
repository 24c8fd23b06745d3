// Fill sources: where the cache lines of a core come from, named alike on all machines (CHARM §4.5), and sets of
// such sources.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace charm::counters {

/// Seen from the core that asked for the line.
enum class FillSource : std::uint8_t {
  own_l2,         ///< its own L2
  own_chiplet,    ///< the L3, or another core's cache, of its chiplet
  other_chiplet,  ///< a cache of another chiplet, if the line's home is the core's own node
  remote_cache,   ///< a cache of another node or socket, or of any chiplet if the line's home is another node
  local_dram,     ///< memory of the core's own node
  remote_dram,    ///< memory of another node
  other,          ///< CXL and other extension memory, devices
};
inline constexpr std::size_t fill_sources = 7;

inline constexpr std::array<FillSource, fill_sources> all_fill_sources = {
    FillSource::own_l2,     FillSource::own_chiplet, FillSource::other_chiplet, FillSource::remote_cache,
    FillSource::local_dram, FillSource::remote_dram, FillSource::other};

constexpr std::size_t index(FillSource source) noexcept { return static_cast<std::size_t>(source); }

/// "own_l2", "own_chiplet", ...: the names of files, settings and JSON.
std::string_view name(FillSource source) noexcept;
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
