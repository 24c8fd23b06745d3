#include "malloc/shared.hpp"

#include <cstdint>

#include "malloc/mutex.hpp"
#include "malloc/placement.hpp"
#include "memory/weight_page.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr std::size_t first_chunk = 64 * mib;
constexpr std::size_t largest_chunk = std::size_t{64} << 30U;

/// Addresses of one layer; what lies behind `used` was never given out.
struct Chunk {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0, used = 0;
};

struct Shared {
  memory::Layers layers;
  Chunk chunks[memory::most_memories];         // by layer
  std::uint64_t given[memory::most_memories];  // bytes, by layer
  std::size_t next_chunk;
};

constinit Mutex mutex;
constinit Shared all[memory::most_roots] = {};

/// The layer that lacks most of its part.
std::size_t next_layer(const Shared& shared, std::size_t bytes) noexcept {
  std::uint64_t sum = bytes;
  for (std::size_t i = 0; i < shared.layers.count; ++i) sum += shared.given[i];
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < shared.layers.count; ++i) {
    const double part = static_cast<double>(shared.layers.layers[i].parts) / static_cast<double>(shared.layers.parts);
    const double lacks = part * static_cast<double>(sum) - static_cast<double>(shared.given[i]);
    if (i > 0 && lacks <= most) continue;
    most = lacks;
    best = i;
  }
  return best;
}

void* cut(Chunk& chunk, std::size_t bytes, std::size_t alignment) noexcept {
  const std::uintptr_t at = (chunk.begin + chunk.used + alignment - 1) & ~(alignment - 1);
  const std::size_t end = at - chunk.begin + bytes;
  if (chunk.bytes == 0 || end > chunk.bytes || end < bytes) return nullptr;
  chunk.used = end;
  return reinterpret_cast<void*>(at);
}

/// A smaller one where the addresses or the memory of the process are limited.
Chunk make_chunk(std::size_t wanted, std::size_t least) noexcept {
  for (std::size_t bytes = wanted > least ? wanted : least;; bytes = bytes / 2 > least ? bytes / 2 : least) {
    void* memory = os::bare::map_aligned(bytes, 2 * mib);
    if (memory != nullptr) return {reinterpret_cast<std::uintptr_t>(memory), bytes, 0};
    if (bytes == least) return {};
  }
}

/// Gives the layer a chunk for at least so many bytes, and reads the weights again where the first layer gets one.
bool renew(Shared& shared, std::size_t root, std::size_t layer, std::size_t least) noexcept {
  if (layer == 0) {
    const memory::Layers now = layers_of_root(root);
    if (now.count == 0) return false;
    if (now.count != shared.layers.count) {
      for (Chunk& chunk : shared.chunks) chunk = {};
      for (std::uint64_t& each : shared.given) each = 0;
      layer = 0;
    }
    shared.layers = now;
    shared.next_chunk = shared.next_chunk == 0                  ? first_chunk
                        : shared.next_chunk < largest_chunk / 2 ? 2 * shared.next_chunk
                                                                : largest_chunk;
  }
  const Chunk made = make_chunk(shared.next_chunk, least);
  if (made.bytes == 0) return false;
  place_layer(reinterpret_cast<void*>(made.begin), made.bytes, shared.layers.layers[layer].members);
  shared.chunks[layer] = made;
  return true;
}

void* extend(Shared& shared, void* wanted, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(wanted);
  for (std::size_t i = 0; i < shared.layers.count; ++i) {
    Chunk& chunk = shared.chunks[i];
    if (chunk.begin + chunk.used != at || bytes > chunk.bytes - chunk.used) continue;
    chunk.used += bytes;
    shared.given[i] += bytes;
    count_shared(bytes, shared.layers.layers[i].members, true);
    return wanted;
  }
  return nullptr;
}

}  // namespace

void* shared_extent(std::size_t root, void* wanted, std::size_t bytes, std::size_t alignment) noexcept {
  const Locked lock(mutex);
  Shared& shared = all[root];
  if (wanted != nullptr) return extend(shared, wanted, bytes);
  if (bytes + alignment < bytes) return nullptr;
  if (shared.layers.count == 0 && !renew(shared, root, 0, bytes + alignment)) return nullptr;
  const std::size_t layer = next_layer(shared, bytes);
  void* extent = cut(shared.chunks[layer], bytes, alignment);
  if (extent == nullptr && renew(shared, root, layer, bytes + alignment))
    extent = cut(shared.chunks[layer], bytes, alignment);
  if (extent == nullptr) return nullptr;
  shared.given[layer] += bytes;
  count_shared(bytes, shared.layers.layers[layer].members, false);
  return extent;
}

void hold_shared() noexcept { mutex.lock(); }
void release_shared() noexcept { mutex.unlock(); }

}  // namespace charm::shim
