// The weights of a machine as the malloc shim reads them: a small file of plain numbers, which no program has to parse.
//
// `charm malloc weights --publish` renames a new file into place. The sampler, which refreshes the weights while
// programs run, rewrites the file under a seqlock (tools/os/sequenced_file.hpp). In both cases a reader gets the old
// page or the new one, never a mixture. Readers copy the page and keep nothing open or mapped, because some programs
// close files that they do not know, and a mapped file that somebody truncates would kill them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "memory/layers.hpp"

namespace charm::memory {

inline constexpr std::uint64_t page_magic = 0x326c616d72616863;  // "charmal2", little-endian
inline constexpr std::size_t most_roots = 64;
inline constexpr std::size_t most_cpus = 4096;
inline constexpr std::uint8_t no_root = 255;
inline constexpr std::uint16_t most_weight = 1000;

struct WeightPage {
  std::uint64_t sequence = 0;  ///< odd while it is being written
  std::uint64_t magic = 0;
  std::uint64_t bytes = 0;       ///< sizeof(WeightPage), so that another version is not misread
  std::uint64_t generation = 0;  ///< another value: other weights
  std::uint32_t memories = 0;
  std::uint32_t roots = 0;
  std::uint64_t sampled_ms = 0;                       ///< since 1970, when traffic was read last; 0: it never is
  std::array<char, 32> policy{};                      ///< its name, for people
  std::array<char, 32> source{};                      ///< of the traffic; empty where there is none
  std::array<std::int32_t, most_memories> os_node{};  ///< by memory
  std::array<std::int16_t, most_roots> normal{};      ///< by root: the memory of normal blocks; -1: the kernel's choice
  std::array<std::uint8_t, most_roots> socket{};      ///< by root: roots of a socket have the same number
  std::array<std::array<std::uint16_t, most_memories>, most_roots> weights{};  ///< 0 to most_weight
  std::array<std::uint8_t, most_cpus> root_of_cpu{};                           ///< no_root where the cpu has none
};
static_assert(std::is_trivially_copyable_v<WeightPage> && std::has_unique_object_representations_v<WeightPage>);

/// Whether a reader can trust every index in it.
constexpr bool is_sound(const WeightPage& page) {
  if (page.magic != page_magic || page.bytes != sizeof(WeightPage)) return false;
  if (page.memories == 0 || page.memories > most_memories || page.roots == 0 || page.roots > most_roots) return false;
  if (page.policy.back() != '\0' || page.source.back() != '\0') return false;
  for (std::size_t m = 0; m < page.memories; ++m) {
    if (page.os_node[m] < 0 || page.os_node[m] >= 1024) return false;
  }
  for (std::size_t r = 0; r < page.roots; ++r) {
    if (page.normal[r] < -1 || page.normal[r] >= static_cast<int>(page.memories) || page.socket[r] >= most_roots)
      return false;
  }
  for (const std::uint8_t root : page.root_of_cpu) {
    if (root != no_root && root >= page.roots) return false;
  }
  return true;
}

/// The weights of a root, for layers_of().
constexpr std::span<const std::uint16_t> weights_of(const WeightPage& page, std::size_t root) {
  return {page.weights[root].data(), page.memories};
}

}  // namespace charm::memory
