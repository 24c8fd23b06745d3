// How a block's pages are spread over memories by weight with few system calls: layered interleaving.
//
// The weights are cut into layers. A layer is the part of the block in which all memories above its lower edge take
// turns page by page, which the kernel's plain interleaving does: weights 40, 40, 15, 15 are 60 of 110 parts over all
// four and 50 parts over the first two, two calls instead of one for each page. The layers are repeated along the
// block, so that a scan always uses every memory; contiguous spans by weight would use one controller at a time.
//
// Without memory of its own, because the malloc shim calls it while it allocates.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace charm::memory {

inline constexpr std::size_t most_memories = 64;

struct Layer {
  std::uint64_t members = 0;  ///< bit i: memory i takes part
  std::uint64_t parts = 0;    ///< of the sum over all layers
};

struct Layers {
  std::array<Layer, most_memories> layers{};
  std::size_t count = 0;
  std::uint64_t parts = 0;  ///< the sum
};

/// \param weights by memory, at most `most_memories`; equal ones share a layer. All zero: no layers.
constexpr Layers layers_of(std::span<const std::uint16_t> weights) {
  Layers result;
  std::uint64_t lower = 0;
  while (result.count < most_memories) {
    std::uint64_t upper = 0;
    std::uint64_t members = 0;
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < weights.size() && i < most_memories; ++i) {
      if (weights[i] <= lower) continue;
      members |= std::uint64_t{1} << i;
      ++size;
      if (upper == 0 || weights[i] < upper) upper = weights[i];
    }
    if (members == 0) break;
    result.layers[result.count++] = {members, (upper - lower) * size};
    result.parts += (upper - lower) * size;
    lower = upper;
  }
  return result;
}

/// Bytes after which the layers begin anew: 8 to 64 MiB, and more in blocks beyond 32 GiB, because a process may have
/// only some 65,000 mappings (vm.max_map_count) and every layer is one.
constexpr std::size_t repeat_bytes(std::size_t block_bytes) {
  constexpr std::size_t mib = std::size_t{1} << 20U;
  std::size_t bytes = block_bytes / 16;
  bytes = bytes < 8 * mib ? 8 * mib : bytes > 64 * mib ? 64 * mib : bytes;
  return bytes < block_bytes / 512 ? block_bytes / 512 : bytes;
}

/// Calls place(offset, bytes, members) for each run of a block; runs follow each other without a gap. Each run but the
/// last has whole turns of its members: a kernel whose pages are large begins every repeat with the same member, so
/// that this one would have all that is left over.
/// \param page bytes of a page, which every run but the last is a multiple of.
template <class Place>
constexpr void for_each_run(const Layers& layers, std::size_t block_bytes, std::size_t page, Place place) {
  if (layers.count == 0 || block_bytes == 0) return;
  if (layers.count == 1) return place(std::size_t{0}, block_bytes, layers.layers[0].members);
  const std::size_t pages = (block_bytes + page - 1) / page;
  const std::size_t each = repeat_bytes(block_bytes) / page;
  std::size_t repeats = (pages + each / 2) / (each == 0 ? 1 : each);
  if (repeats == 0) repeats = 1;
  std::array<std::size_t, most_memories> given{};  // pages, by layer
  std::size_t begin = 0;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    // Rounded from the sums over layers and repeats, so that errors do not add up.
    const std::uint64_t due = 2 * (pages * (repeat + 1) / repeats);
    std::uint64_t parts = 0;
    std::size_t before = 0;  // given to the layers up to this one
    for (std::size_t i = 0; i < layers.count; ++i) {
      const auto turn = static_cast<std::size_t>(std::popcount(layers.layers[i].members));
      parts += layers.layers[i].parts;
      before += given[i];
      const std::size_t wanted = due * parts / layers.parts + turn;
      const std::size_t more = wanted > 2 * before ? (wanted - 2 * before) / (2 * turn) * turn : 0;
      given[i] += more;
      before += more;
      const bool last = repeat + 1 == repeats && i + 1 == layers.count;
      std::size_t end = begin + more * page;
      if (last || end > block_bytes) end = block_bytes;
      if (end > begin) place(begin, end - begin, layers.layers[i].members);
      begin = end;
    }
  }
}

}  // namespace charm::memory
