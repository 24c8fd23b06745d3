#include "malloc/arenas.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "malloc/jemalloc.hpp"
#include "malloc/placement.hpp"
#include "malloc/statistics.hpp"
#include "os/memory/bare.hpp"
#include "traffic/weight_page.hpp"

namespace charm::shim {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr std::size_t arenas_per_root = 16;

/// Memory on one node that normal arenas cut extents from; the header is in its first page.
struct Chunk {
  std::size_t bytes;
  std::atomic<std::size_t> used;
};

struct Arena {
  extent_hooks_t hooks{};  // jemalloc hands its address to every hook
  std::size_t root = 0;
  std::atomic<Chunk*> chunk{nullptr};
  std::atomic<int> number{0};  // 0: not there yet, -1: being made, -2: refused; else jemalloc's number + 1
};
static_assert(offsetof(Arena, hooks) == 0);

Arena normal[traffic::most_roots][arenas_per_root];
Arena huge[traffic::most_roots];

Arena& arena_of(extent_hooks_t* hooks) noexcept { return *reinterpret_cast<Arena*>(hooks); }

/// Cuts an extent out of the chunk; nullptr where it does not fit.
void* cut(Chunk* chunk, std::size_t bytes, std::size_t alignment) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(chunk);
  std::size_t used = chunk->used.load(std::memory_order_relaxed);
  for (;;) {
    const std::uintptr_t begin = (base + used + alignment - 1) & ~(alignment - 1);
    const std::size_t end = begin - base + bytes;
    if (end > chunk->bytes || end < bytes) return nullptr;
    if (chunk->used.compare_exchange_weak(used, end, std::memory_order_relaxed)) return reinterpret_cast<void*>(begin);
  }
}

/// The bytes behind the last extent of the chunk, so that a growing block needs no second place meanwhile.
bool cut_at(Chunk* chunk, const void* wanted, std::size_t bytes) noexcept {
  std::size_t used = reinterpret_cast<std::uintptr_t>(wanted) - reinterpret_cast<std::uintptr_t>(chunk);
  if (used > chunk->bytes || bytes > chunk->bytes - used) return false;  // also where it lies before the chunk
  return chunk->used.compare_exchange_strong(used, used + bytes, std::memory_order_relaxed);
}

void* normal_alloc(extent_hooks_t* hooks, void* wanted, std::size_t bytes, std::size_t alignment, bool* zero,
                   bool* commit, unsigned /*number*/) {
  Arena& arena = arena_of(hooks);
  if (wanted != nullptr) {  // growing in place: anywhere else what lies behind belongs to another extent
    Chunk* chunk = arena.chunk.load(std::memory_order_acquire);
    if (chunk == nullptr || !cut_at(chunk, wanted, bytes)) return nullptr;
    *zero = true;
    *commit = true;
    return wanted;
  }
  for (;;) {
    Chunk* chunk = arena.chunk.load(std::memory_order_acquire);
    void* extent = chunk != nullptr ? cut(chunk, bytes, alignment) : nullptr;
    if (extent == nullptr && bytes + alignment > 2 * mib) {
      extent = os::bare::map_aligned(bytes, alignment);
      if (extent == nullptr) return nullptr;
      place_normal(extent, bytes, arena.root);
    }
    if (extent != nullptr) {
      *zero = true;
      *commit = true;
      return extent;
    }
    // Chunks grow, so that a large heap has few. What is left of the old one was never touched.
    std::size_t size = chunk != nullptr ? 2 * chunk->bytes : 4 * mib;
    if (size > 64 * mib) size = 64 * mib;
    void* memory = os::bare::map_aligned(size, 2 * mib);
    if (memory == nullptr) return nullptr;
    place_normal(memory, size, arena.root);
    auto* fresh = new (memory) Chunk{size, os::bare::page_bytes()};
    if (!arena.chunk.compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel)) os::bare::unmap(memory, size);
  }
}

bool keep(extent_hooks_t* /*hooks*/, void* /*extent*/, std::size_t /*bytes*/, bool /*committed*/, unsigned /*number*/) {
  return true;
}

bool purge(extent_hooks_t* /*hooks*/, void* extent, std::size_t /*size*/, std::size_t offset, std::size_t bytes,
           unsigned /*number*/) {
  return !os::bare::forget(static_cast<char*>(extent) + offset, bytes);
}

bool split(extent_hooks_t* /*hooks*/, void* /*extent*/, std::size_t /*size*/, std::size_t /*first*/,
           std::size_t /*second*/, bool /*committed*/, unsigned /*number*/) {
  return false;
}

bool merge(extent_hooks_t* /*hooks*/, void* /*first*/, std::size_t /*first_bytes*/, void* /*second*/,
           std::size_t /*second_bytes*/, bool /*committed*/, unsigned /*number*/) {
  return false;
}

void* huge_alloc(extent_hooks_t* hooks, void* wanted, std::size_t bytes, std::size_t alignment, bool* zero,
                 bool* commit, unsigned /*number*/) {
  // On the border of a huge page, so that the kernel can use some where it is set to.
  const std::size_t border = bytes >= 2 * mib && alignment < 2 * mib ? 2 * mib : alignment;
  void* extent = wanted != nullptr ? os::bare::map(wanted, bytes) : os::bare::map_aligned(bytes, border);
  if (extent == nullptr) return nullptr;
  place_huge(extent, bytes, arena_of(hooks).root);
  *zero = true;
  *commit = true;
  return extent;
}

bool huge_dalloc(extent_hooks_t* /*hooks*/, void* extent, std::size_t bytes, bool /*committed*/, unsigned /*number*/) {
  os::bare::unmap(extent, bytes);
  return false;
}

constexpr extent_hooks_t hooks_with(extent_alloc_t* alloc, extent_dalloc_t* dalloc) {
  return {.alloc = alloc,
          .dalloc = dalloc,
          .destroy = nullptr,
          .commit = nullptr,
          .decommit = nullptr,
          .purge_lazy = nullptr,
          .purge_forced = purge,
          .split = split,
          .merge = merge};
}
constexpr extent_hooks_t normal_hooks = hooks_with(normal_alloc, keep);
constexpr extent_hooks_t huge_hooks = hooks_with(huge_alloc, huge_dalloc);

void set_number(const char* before, unsigned arena, const char* after, std::intptr_t value) noexcept {
  char name[64];
  std::size_t length = 0;
  const auto add = [&](const char* text) {
    while (*text != '\0') name[length++] = *text++;
  };
  char digits[12];
  std::size_t count = sizeof digits - 1;
  digits[count] = '\0';
  do {
    digits[--count] = static_cast<char>('0' + arena % 10);
    arena /= 10;
  } while (arena > 0);
  add(before);
  add(digits + count);
  add(after);
  name[length] = '\0';
  charm_je_mallctl(name, nullptr, nullptr, &value, sizeof value);
}

/// jemalloc's arena 0, which it has in any case, becomes the first arena for normal blocks: an arena of its own more
/// takes some 100 KiB. What it has mapped before stays where it is.
constinit std::atomic<bool> first_is_used{false};

bool made_of_the_first(extent_hooks_t* address) noexcept {
  if (first_is_used.exchange(true, std::memory_order_relaxed)) return false;
  return charm_je_mallctl("arena.0.extent_hooks", nullptr, nullptr, &address, sizeof(extent_hooks_t*)) == 0;
}

/// Makes the arena if nobody has. Another thread that makes it at the moment is waited for; after a fork() in that
/// moment the child has an arena that stays "being made", so the wait has an end.
int number_of(Arena& arena, std::size_t root, const extent_hooks_t& hooks, bool returns_at_once) noexcept {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    int number = arena.number.load(std::memory_order_acquire);
    if (number > 0) return number - 1;
    if (number == -2) return -1;
    if (number == 0 && arena.number.compare_exchange_strong(number, -1, std::memory_order_acq_rel)) {
      arena.hooks = hooks;
      arena.root = root;
      extent_hooks_t* address = &arena.hooks;
      unsigned made = 0;
      std::size_t bytes = sizeof made;
      const bool good = (!returns_at_once && made_of_the_first(address)) ||
                        charm_je_mallctl("arenas.create", &made, &bytes, &address, sizeof(extent_hooks_t*)) == 0;
      if (good && returns_at_once) {
        set_number("arena.", made, ".dirty_decay_ms", 0);
        set_number("arena.", made, ".muzzy_decay_ms", 0);
      }
      if (good) count(statistics().arenas);
      arena.number.store(good ? static_cast<int>(made) + 1 : -2, std::memory_order_release);
      continue;
    }
    os::bare::give_way();
  }
  return -1;
}

}  // namespace

int normal_arena(std::size_t root, std::size_t cpu) noexcept {
  return number_of(normal[root][cpu % arenas_per_root], root, normal_hooks, false);
}

int huge_arena(std::size_t root) noexcept { return number_of(huge[root], root, huge_hooks, true); }

}  // namespace charm::shim
