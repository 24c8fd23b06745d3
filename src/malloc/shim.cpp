// malloc(3) as programs see it: libcharm_malloc.so (TAPMM §3.3). Normal blocks are jemalloc's, from an arena whose
// memory lies near the thread; huge ones come from an arena that spreads every block by the weights of the moment.
//
// Allocating a small block takes one comparison and a jump to jemalloc; free() is jemalloc's own. Everything else
// happens now and then: the thread checks where it runs when jemalloc has refilled its cache of small blocks, or has
// been asked for larger ones, `look_every` times.
// S1  `quick_below` is 0 until the thread has looked for the first time, and `largest_normal` until the process has
//     decided whether it places memory, so that the first allocation, by whichever thread and however early, takes the
//     slow way.
// S2  Nothing here is constructed at run time: allocations come before constructors and after destructors.
// S3  Within a refill nothing is done but counting: the next allocation looks, outside of jemalloc.
#include "malloc/shim.hpp"

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "malloc/arenas.hpp"
#include "malloc/placement.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {

constinit thread_local std::size_t quick_below = 0;  // S1

namespace {

constinit std::atomic<std::size_t> largest_normal{0};  // S1
constinit std::atomic<int> decided{0};                 // 0: no, 1: a thread is about to, 2: yes

constexpr int look_every = 16;  // a refill has 10 to 100 blocks
// jemalloc's cache serves smaller blocks by its shortest way; for larger ones a check more does not count.
constexpr std::size_t quick = 4097;

constinit thread_local int calls_left = 0;  // until the next look
constinit thread_local int thread_root = -1;
constinit thread_local std::size_t thread_slot = 0;
constinit thread_local bool inside = false;  // of decide(), or of jemalloc's mallctl

void decide_once(bool serves) noexcept {
  int state = decided.load(std::memory_order_acquire);
  if (state == 2) return;
  if (state == 0 && decided.compare_exchange_strong(state, 1, std::memory_order_acq_rel)) {
    inside = true;
    decide(serves);
    inside = false;
    largest_normal.store(places() ? normal_limit() : SIZE_MAX, std::memory_order_release);
    decided.store(2, std::memory_order_release);
    return;
  }
  while (!inside && decided.load(std::memory_order_acquire) != 2) os::bare::give_way();
}

/// Uses an arena of the node that the thread runs on. Within the node the thread keeps its arena while no other uses it,
/// too; else it takes that of its cpu, so that threads which run at the same time do not wait for each other.
void look_where() noexcept {
  const int cpu = os::bare::current_cpu();
  const int root = root_of(cpu);
  if (root < 0) return;
  const std::size_t slot = static_cast<std::size_t>(cpu) % arenas_per_root;
  const bool moved = root != thread_root;
  if (!moved && (!is_shared(static_cast<std::size_t>(root), thread_slot, &calls_left) || slot == thread_slot)) return;
  const int arena = normal_arena(static_cast<std::size_t>(root), slot);
  if (arena < 0) return;
  auto number = static_cast<unsigned>(arena);
  if (charm_je_mallctl("thread.arena", nullptr, nullptr, &number, sizeof number) != 0) return;
  is_shared(static_cast<std::size_t>(root), slot, &calls_left);
  if (moved && thread_root >= 0) count(statistics().moves);
  thread_root = root;
  thread_slot = slot;
}

/// What has to be done now and then. \param serves whether the program has called.
[[gnu::noinline]] void look(bool serves = true) noexcept {
  decide_once(serves);
  if (!places()) {
    calls_left = INT_MAX;
    quick_below = SIZE_MAX;
    return;
  }
  calls_left = look_every;
  quick_below = quick;
  if (inside) return;  // jemalloc allocates on our behalf
  inside = true;
  look_where();
  inside = false;
}

/// Of a block that is not below `quick_below`.
bool is_normal(std::size_t bytes) noexcept {
  return bytes <= largest_normal.load(std::memory_order_relaxed) && --calls_left >= 0;
}

/// The flags of a huge block; -1: it is not one, or there is no arena for it. After the slow way was taken.
int huge_flags(std::size_t bytes) noexcept {
  if (bytes <= largest_normal.load(std::memory_order_relaxed) || inside) return -1;
  const int root = root_of(os::bare::current_cpu());
  if (root < 0) return -1;
  inside = true;
  const int arena = huge_arena(static_cast<std::size_t>(root));
  inside = false;
  return arena < 0 ? -1 : static_cast<int>(MALLOCX_ARENA(arena)) | MALLOCX_TCACHE_NONE;
}

void* told(void* block) noexcept {
  if (block == nullptr) os::bare::set_out_of_memory();
  return block;
}

/// jemalloc's realloc() leaves errno as it was. Of no bytes the result may be null without an error.
void* told_again(void* block, std::size_t bytes) noexcept {
  if (block == nullptr && bytes > 0) os::bare::set_out_of_memory();
  return block;
}

[[gnu::noinline]] void* slow_zeroed(std::size_t items, std::size_t bytes, std::size_t all) noexcept {
  if (is_normal(all)) return charm_je_calloc(items, bytes);
  look();
  const int flags = huge_flags(all);
  return flags < 0 ? charm_je_calloc(items, bytes) : told(charm_je_mallocx(all, flags | MALLOCX_ZERO));
}

[[gnu::noinline]] void* slow_again(void* block, std::size_t bytes) noexcept {
  if (is_normal(bytes)) return told_again(charm_je_realloc(block, bytes), bytes);
  look();
  const int flags = huge_flags(bytes);
  if (flags < 0) return told_again(charm_je_realloc(block, bytes), bytes);
  return told(block == nullptr ? charm_je_mallocx(bytes, flags) : charm_je_rallocx(block, bytes, flags));
}

bool is_power_of_two(std::size_t number) noexcept { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

[[gnu::noinline]] void* allocate_slowly(std::size_t bytes) noexcept {
  if (is_normal(bytes)) return charm_je_malloc(bytes);
  look();
  const int flags = huge_flags(bytes);
  return flags < 0 ? charm_je_malloc(bytes) : told(charm_je_mallocx(bytes, flags));
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
  if (bytes >= quick_below && !is_normal(bytes)) {
    look();
    const int flags = is_power_of_two(alignment) ? huge_flags(bytes) : -1;
    if (flags >= 0) return told(charm_je_mallocx(bytes, flags | static_cast<int>(MALLOCX_ALIGN(alignment))));
  }
  return charm_je_aligned_alloc(alignment, bytes);
}

void release(void* block, std::size_t bytes) noexcept {
  if (block != nullptr) charm_je_sdallocx(block, bytes, 0);
}

namespace {
/// In most programs the linker has allocated before; in the others jemalloc's own constructor would start it undecided.
[[gnu::constructor(101)]] void at_start() {
  look(false);
  const int root = places() ? root_of(os::bare::current_cpu()) : -1;
  if (root >= 0) see_static_arrays(static_cast<std::size_t>(root));
}
}  // namespace

}  // namespace charm::shim

// S3: jemalloc's own function, which it calls when a cache has no block of a size left; redirected by the linker
// (--wrap).
extern "C" {
void* __real_je_tcache_alloc_small_hard(void* thread, void* arena, void* cache, void* bin, unsigned size, bool* good);

[[gnu::used]] void* __wrap_je_tcache_alloc_small_hard(void* thread, void* arena, void* cache, void* bin, unsigned size,
                                                      bool* good) {
  if (--charm::shim::calls_left < 0) charm::shim::quick_below = 0;
  return __real_je_tcache_alloc_small_hard(thread, arena, cache, bin, size, good);
}
}

#define CHARM_EXPORT extern "C" [[gnu::visibility("default")]]

using charm::shim::allocate;
using charm::shim::allocate_aligned;

CHARM_EXPORT void* malloc(std::size_t bytes) noexcept { return allocate(bytes); }

CHARM_EXPORT void* calloc(std::size_t items, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(items, bytes, &all)) return charm_je_calloc(items, bytes);  // which refuses
  if (all < charm::shim::quick_below) [[likely]] {
    return charm_je_calloc(items, bytes);
  }
  return charm::shim::slow_zeroed(items, bytes, all);
}

CHARM_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  if (bytes < charm::shim::quick_below) [[likely]] {
    return charm::shim::told_again(charm_je_realloc(block, bytes), bytes);
  }
  return charm::shim::slow_again(block, bytes);
}

CHARM_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  constexpr int invalid = 22;  // EINVAL: the alignment is none
  constexpr int no_memory = 12;
  if (alignment % sizeof(void*) != 0 || !charm::shim::is_power_of_two(alignment)) return invalid;
  const int before = charm::os::bare::error();
  void* made = allocate_aligned(alignment, bytes);
  charm::os::bare::set_error(before);  // the result tells, errno does not
  if (made == nullptr) return no_memory;
  *block = made;
  return 0;
}

CHARM_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return allocate_aligned(alignment, bytes);
}

CHARM_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return allocate_aligned(alignment, bytes);
}

CHARM_EXPORT void* valloc(std::size_t bytes) noexcept { return allocate_aligned(charm::os::bare::page_bytes(), bytes); }

/// jemalloc has none; the C library's would take memory that this free() does not know.
CHARM_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = charm::os::bare::page_bytes();
  if (bytes > SIZE_MAX - page) {
    charm::os::bare::set_out_of_memory();
    return nullptr;
  }
  return allocate_aligned(page, bytes == 0 ? page : (bytes + page - 1) / page * page);
}
