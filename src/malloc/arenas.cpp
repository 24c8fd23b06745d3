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

/// Memory on one node that normal arenas cut extents from; the header is in its first page.
struct Chunk {
  std::size_t bytes;
  std::atomic<std::size_t> used;
};

struct Normal {
  std::size_t root = 0;
  std::atomic<Chunk*> chunk{nullptr};
  std::atomic<int> number{0};  // 0: not there yet, -1: being made, -2: refused; else jemalloc's number + 1
  std::atomic<const void*> user{nullptr};
};

struct Huge {
  extent_hooks_t hooks{};  // jemalloc hands its address to every hook
  std::size_t root = 0;
  std::atomic<int> number{0};  // as above
};
static_assert(offsetof(Huge, hooks) == 0);

constinit Normal normal[traffic::most_roots][arenas_per_root];
constinit Huge huge[traffic::most_roots];

/// The normal arenas by jemalloc's number of them (A3).
constexpr std::size_t most_numbers = 1 + traffic::most_roots * (arenas_per_root + 1);
constinit std::atomic<Normal*> normal_by_number[most_numbers];

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

/// Memory for an extent of a normal arena, untouched and thus zero.
void* normal_extent(Normal& arena, void* wanted, std::size_t bytes, std::size_t alignment) noexcept {
  if (wanted != nullptr) {  // growing in place: anywhere else what lies behind belongs to another extent
    Chunk* chunk = arena.chunk.load(std::memory_order_acquire);
    return chunk != nullptr && cut_at(chunk, wanted, bytes) ? wanted : nullptr;
  }
  for (;;) {
    Chunk* chunk = arena.chunk.load(std::memory_order_acquire);
    void* extent = chunk != nullptr ? cut(chunk, bytes, alignment) : nullptr;
    if (extent != nullptr) return extent;
    if (bytes + alignment > 2 * mib) {
      extent = os::bare::map_aligned(bytes, alignment);
      if (extent != nullptr) place_normal(extent, bytes, arena.root);
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
  place_huge(extent, bytes, reinterpret_cast<Huge*>(hooks)->root);
  *zero = true;
  *commit = true;
  return extent;
}

bool huge_dalloc(extent_hooks_t* /*hooks*/, void* extent, std::size_t bytes, bool /*committed*/, unsigned /*number*/) {
  os::bare::unmap(extent, bytes);
  return false;
}

constexpr extent_hooks_t huge_hooks = {.alloc = huge_alloc,
                                       .dalloc = huge_dalloc,
                                       .destroy = nullptr,
                                       .commit = nullptr,
                                       .decommit = nullptr,
                                       .purge_lazy = nullptr,
                                       .purge_forced = purge,
                                       .split = split,
                                       .merge = merge};

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

/// Makes an arena with these hooks, or with jemalloc's own. \return its number; -1 where jemalloc refuses.
int create(extent_hooks_t* hooks) noexcept {
  unsigned made = 0;
  std::size_t bytes = sizeof made;
  extent_hooks_t** given = hooks != nullptr ? &hooks : nullptr;
  const std::size_t given_bytes = hooks != nullptr ? sizeof(extent_hooks_t*) : 0;
  return charm_je_mallctl("arenas.create", &made, &bytes, static_cast<void*>(given), given_bytes) == 0
             ? static_cast<int>(made)
             : -1;
}

int make(Normal& arena, std::size_t root) noexcept {
  arena.root = root;
  const int made = first_is_used.exchange(true, std::memory_order_relaxed) ? create(nullptr) : 0;
  if (made < 0 || static_cast<std::size_t>(made) >= most_numbers) return -1;
  normal_by_number[made].store(&arena, std::memory_order_release);
  return made;
}

int make(Huge& arena, std::size_t root) noexcept {
  arena.hooks = huge_hooks;
  arena.root = root;
  const int made = create(&arena.hooks);
  if (made < 0) return -1;
  set_number("arena.", static_cast<unsigned>(made), ".dirty_decay_ms", 0);
  set_number("arena.", static_cast<unsigned>(made), ".muzzy_decay_ms", 0);
  return made;
}

/// Makes the arena if nobody has. Another thread that makes it at the moment is waited for; after a fork() in that
/// moment the child has an arena that stays "being made", so the wait has an end.
template <class Arena>
int number_of(Arena& arena, std::size_t root) noexcept {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    int number = arena.number.load(std::memory_order_acquire);
    if (number > 0) return number - 1;
    if (number == -2) return -1;
    if (number == 0 && arena.number.compare_exchange_strong(number, -1, std::memory_order_acq_rel)) {
      const int made = make(arena, root);
      if (made >= 0) count(statistics().arenas);
      arena.number.store(made >= 0 ? made + 1 : -2, std::memory_order_release);
      continue;
    }
    os::bare::give_way();
  }
  return -1;
}

}  // namespace

int normal_arena(std::size_t root, std::size_t slot) noexcept { return number_of(normal[root][slot], root); }

bool is_shared(std::size_t root, std::size_t slot, const void* thread) noexcept {
  std::atomic<const void*>& user = normal[root][slot].user;
  if (user.load(std::memory_order_relaxed) == thread) return false;
  user.store(thread, std::memory_order_relaxed);
  return true;
}

int huge_arena(std::size_t root) noexcept { return number_of(huge[root], root); }

}  // namespace charm::shim

// A3: what jemalloc calls for its own arenas' extents.
extern "C" {
using charm::shim::normal_by_number;

void* __real_je_ehooks_default_alloc_impl(void* thread, void* wanted, std::size_t bytes, std::size_t alignment,
                                          bool* zero, bool* commit, unsigned number);
bool __real_je_ehooks_default_dalloc_impl(void* extent, std::size_t bytes);

[[gnu::used]] void* __wrap_je_ehooks_default_alloc_impl(void* thread, void* wanted, std::size_t bytes,
                                                        std::size_t alignment, bool* zero, bool* commit,
                                                        unsigned number) {
  charm::shim::Normal* arena =
      number < charm::shim::most_numbers ? normal_by_number[number].load(std::memory_order_acquire) : nullptr;
  if (arena == nullptr)
    return __real_je_ehooks_default_alloc_impl(thread, wanted, bytes, alignment, zero, commit, number);
  void* extent = charm::shim::normal_extent(*arena, wanted, bytes, alignment);
  if (extent != nullptr) *zero = *commit = true;
  return extent;
}

/// Memory of normal arenas is kept: jemalloc then gives back its pages and uses the addresses again.
[[gnu::used]] bool __wrap_je_ehooks_default_dalloc_impl(void* extent, std::size_t bytes) {
  return charm::shim::places() || __real_je_ehooks_default_dalloc_impl(extent, bytes);
}
}
