// Fill sources: where the cache lines of a core come from, named alike on all machines (CHARM §4.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace charm::topology {

/// Seen from the core that asked for the line, the nearest first.
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
constexpr std::string_view name(FillSource source) noexcept {
  constexpr std::array<std::string_view, fill_sources> names = {
      "own_l2", "own_chiplet", "other_chiplet", "remote_cache", "local_dram", "remote_dram", "other"};
  return names[index(source)];
}

}  // namespace charm::topology
