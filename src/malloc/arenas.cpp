#include "malloc/arenas.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "malloc/hook.hpp"
#include "malloc/jemalloc.hpp"
#include "malloc/mutex.hpp"
#include "malloc/placement.hpp"
#include "malloc/shared.hpp"
#include "malloc/statistics.hpp"
#include "memory/weight_page.hpp"
#include "os/memory/bare.hpp"

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
  std::atomic<int> number{0};  // 0: not there yet, -1: refused; else jemalloc's number + 1
};

struct Huge {
  extent_hooks_t hooks{};  // jemalloc hands its address to every hook
  std::size_t root = 0;
  std::atomic<int> number{0};  // as above
};
static_assert(offsetof(Huge, hooks) == 0);

constinit Normal normal[memory::most_roots][arenas_per_root];
constinit Huge huge[memory::most_roots];    // blocks with mappings of their own
constinit Huge shared[memory::most_roots];  // blocks that share them

/// The normal arenas by jemalloc's number of them (default hooks, redirected).
constexpr std::size_t most_numbers = 1 + memory::most_roots * (arenas_per_root + 2);
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
  const Hook hook;
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
    // Chunks grow, so that a large heap has few. What is left of the old one was never touched. The first is as large
    // as jemalloc's: what grows in place touches new pages where old ones would do.
    std::size_t size = chunk != nullptr ? 2 * chunk->bytes : 2 * mib;
    if (size > 64 * mib) size = 64 * mib;
    void* memory = os::bare::map_aligned(size, 2 * mib);
    if (memory == nullptr) return nullptr;
    place_normal(memory, size, arena.root);
    auto* fresh = new (memory) Chunk{size, os::bare::page_bytes()};
    if (!arena.chunk.compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel)) os::bare::unmap(memory, size);
  }
}

/// What the extents with mappings of their own have of them, in repeats of the layers (memory/layers.hpp), each of
/// which has at most one for every memory. As jemalloc tells of every extent that is made, cut, joined and given back,
/// this is the sum over those that there are.
constinit std::atomic<std::size_t> repeats_in_use{0};
constinit std::size_t most_repeats = SIZE_MAX;

std::size_t repeats_of(std::size_t bytes) noexcept {
  const std::size_t each = memory::repeat_bytes(bytes);
  const std::size_t repeats = (bytes + each / 2) / each;
  return repeats == 0 ? 1 : repeats;
}

void use(std::size_t repeats) noexcept { repeats_in_use.fetch_add(repeats, std::memory_order_relaxed); }

bool purge(extent_hooks_t* /*hooks*/, void* extent, std::size_t /*size*/, std::size_t offset, std::size_t bytes,
           unsigned /*number*/) {
  const Hook hook;
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

bool huge_split(extent_hooks_t* /*hooks*/, void* /*extent*/, std::size_t size, std::size_t first, std::size_t second,
                bool /*committed*/, unsigned /*number*/) {
  use(repeats_of(first) + repeats_of(second) - repeats_of(size));
  return false;
}

bool huge_merge(extent_hooks_t* /*hooks*/, void* /*first*/, std::size_t first_bytes, void* /*second*/,
                std::size_t second_bytes, bool /*committed*/, unsigned /*number*/) {
  use(repeats_of(first_bytes + second_bytes) - repeats_of(first_bytes) - repeats_of(second_bytes));
  return false;
}

/// On the border of a huge page, so that the kernel can use some where it is set to.
std::size_t border_of(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes >= 2 * mib && alignment < 2 * mib ? 2 * mib : alignment;
}

void* huge_alloc(extent_hooks_t* hooks, void* wanted, std::size_t bytes, std::size_t alignment, bool* zero,
                 bool* commit, unsigned /*number*/) {
  const Hook hook;
  void* extent =
      wanted != nullptr ? os::bare::map(wanted, bytes) : os::bare::map_aligned(bytes, border_of(bytes, alignment));
  if (extent == nullptr) return nullptr;
  use(repeats_of(bytes));
  place_huge(extent, bytes, reinterpret_cast<Huge*>(hooks)->root, wanted != nullptr);
  *zero = true;
  *commit = true;
  return extent;
}

bool huge_dalloc(extent_hooks_t* /*hooks*/, void* extent, std::size_t bytes, bool /*committed*/, unsigned /*number*/) {
  const Hook hook;
  os::bare::unmap(extent, bytes);
  repeats_in_use.fetch_sub(repeats_of(bytes), std::memory_order_relaxed);
  return false;
}

constexpr extent_hooks_t huge_hooks = {.alloc = huge_alloc,
                                       .dalloc = huge_dalloc,
                                       .destroy = nullptr,
                                       .commit = nullptr,
                                       .decommit = nullptr,
                                       .purge_lazy = nullptr,
                                       .purge_forced = purge,
                                       .split = huge_split,
                                       .merge = huge_merge};

void* shared_alloc(extent_hooks_t* hooks, void* wanted, std::size_t bytes, std::size_t alignment, bool* zero,
                   bool* commit, unsigned /*number*/) {
  const Hook hook;
  void* extent = shared_extent(reinterpret_cast<Huge*>(hooks)->root, wanted, bytes, border_of(bytes, alignment));
  if (extent != nullptr) *zero = *commit = true;
  return extent;
}

bool shared_dalloc(extent_hooks_t* /*hooks*/, void* /*extent*/, std::size_t /*bytes*/, bool /*committed*/,
                   unsigned /*number*/) {
  return true;  // jemalloc keeps it
}

constexpr extent_hooks_t shared_hooks = {.alloc = shared_alloc,
                                         .dalloc = shared_dalloc,
                                         .destroy = nullptr,
                                         .commit = nullptr,
                                         .decommit = nullptr,
                                         .purge_lazy = nullptr,
                                         .purge_forced = purge,
                                         .split = split,
                                         .merge = merge};

/// jemalloc's arena 0, which it has in any case, becomes the first arena for normal blocks: an arena of its own more
/// takes some 100 KiB. What it has mapped before stays where it is.
constinit std::atomic<bool> first_is_used{false};

/// Held by the thread that makes an arena, and around fork(), so that a child never has half of one.
constinit Mutex making;

/// Makes an arena with these hooks, or with jemalloc's own. \return its number; -1 where jemalloc refuses.
int create(extent_hooks_t* hooks, void* thread) noexcept {
  JemallocArenaConfig config = je_arena_config_default;
  if (hooks != nullptr) config = {hooks, false};  // what jemalloc notes down about extents is no huge block
  // All arenas are as jemalloc's own: lists of all blocks serve to reset an arena, and take a cache miss for each slab.
  je_manual_arena_base = most_numbers;
  const unsigned number = je_narenas_total_get();
  const bool made = number < most_numbers && je_arena_init(thread, number, &config) != nullptr;
  return made ? static_cast<int>(number) : -1;
}

int make(Normal& arena, std::size_t root, void* thread) noexcept {
  arena.root = root;
  const int made = first_is_used.exchange(true, std::memory_order_relaxed) ? create(nullptr, thread) : 0;
  if (made >= 0) normal_by_number[made].store(&arena, std::memory_order_release);
  return made;
}

int make(Huge& arena, std::size_t root, void* thread) noexcept {
  if (thread == nullptr) {  // a block makes sure that jemalloc knows the thread
    void* const block = charm_je_mallocx(1, 0);
    if (block == nullptr) return -1;
    charm_je_sdallocx(block, 1, 0);
    thread = &je_tsd_tls;
  }
  arena.hooks = &arena >= shared && &arena < shared + memory::most_roots ? shared_hooks : huge_hooks;
  arena.root = root;
  const int made = create(&arena.hooks, thread);
  if (made < 0) return -1;
  for (const int state : {1, 2})  // dirty, muzzy
    je_arena_decay_ms_set(thread, je_arenas[made].load(std::memory_order_acquire), state, 0);
  return made;
}

/// Makes the arena if nobody has.
template <class Arena>
int number_of(Arena& arena, std::size_t root, void* thread) noexcept {
  int number = arena.number.load(std::memory_order_acquire);
  if (number == 0) {
    const Locked lock(making);
    number = arena.number.load(std::memory_order_acquire);
    if (number == 0) {
      const int made = make(arena, root, thread);
      if (made >= 0) count(statistics().arenas);
      number = made >= 0 ? made + 1 : -1;
      arena.number.store(number, std::memory_order_release);
    }
  }
  return number > 0 ? number - 1 : -1;
}

unsigned threads_of(int number) noexcept {
  return je_arena_nthreads_get(je_arenas[number].load(std::memory_order_acquire), false);
}

}  // namespace

int normal_arena(std::size_t root, int current, void* thread) noexcept {
  std::size_t best = arenas_per_root;
  unsigned fewest = ~0U;
  std::size_t slot = 0;
  for (; slot < arenas_per_root && fewest > 0; ++slot) {
    const int number = normal[root][slot].number.load(std::memory_order_acquire);
    if (number == 0) break;    // nor are those behind it there
    if (number < 0) continue;  // refused
    unsigned users = threads_of(number - 1);
    if (number - 1 == current && users > 0) --users;  // the thread itself
    if (users > fewest || (users == fewest && number - 1 != current)) continue;
    best = slot;
    fewest = users;
  }
  if (fewest > 0 && slot < arenas_per_root && (slot == 0 || slot < 4 * cpus_of(root))) best = slot;
  return best < arenas_per_root ? number_of(normal[root][best], root, thread) : -1;
}

bool is_shared(int arena) noexcept { return threads_of(arena) > 1; }

void move_thread(void* thread, void* from, int to) noexcept {
  je_arena_migrate(thread, from, je_arenas[to].load(std::memory_order_acquire));
}

void join_cache(void* thread, void* cache, void* arena) noexcept {
  je_tcache_arena_reassociate(thread, *static_cast<void**>(cache), cache, arena);
}

void allow_mappings(std::size_t mappings) noexcept { most_repeats = mappings; }

int huge_arena(std::size_t root, std::size_t bytes, void* thread) noexcept {
  // A quarter of the mappings for blocks of which there can be many, and as much again for those that cover much memory
  // with each; half is left to the program itself.
  const std::size_t budget = memory::repeat_bytes(bytes) > bytes / 16 ? most_repeats / 4 : most_repeats / 2;
  if (repeats_in_use.load(std::memory_order_relaxed) + repeats_of(bytes) > budget) return shared_arena(root, thread);
  return number_of(huge[root], root, thread);
}

int shared_arena(std::size_t root, void* thread) noexcept { return number_of(shared[root], root, thread); }

void hold_arenas() noexcept { making.lock(); }
void release_arenas() noexcept { making.unlock(); }

}  // namespace charm::shim

// Default hooks, redirected: what jemalloc calls for its own arenas' extents.
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
