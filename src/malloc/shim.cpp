// malloc(3) as programs see it: libcharm_malloc.so (TAPMM §3.3). Normal blocks are jemalloc's, from an arena whose
// memory lies near the thread; huge ones come from an arena that spreads every block by the weights of the moment.
//
// malloc(), calloc() and free() are jemalloc's own, so that small blocks take not one instruction more. The linker
// redirects what jemalloc calls when they need more than the thread's cache has:
//   pthread_atfork              what jemalloc does around fork() is left out while there is one thread
//   decide_before_jemalloc()    (system.cpp) when jemalloc starts: whether this process places memory is decided before
//   je_tcache_alloc_small_hard  a cache has no block of a size left: its refill comes from an arena near the thread
//   je_large_malloc             a larger block: from such an arena, too, or if it is huge, from an arena for those
// A thread checks where it runs at every `look_every`-th of these calls.
// - Undecided is 0: `largest_normal` is 0 until the process has decided whether it places memory: whoever asks before
//   that decides.
// - Nothing here is constructed at run time: allocations come before constructors and after destructors.
// - Called back without locks: jemalloc is called back from within only where it holds no lock: in these functions,
//   once it has started.
#include "malloc/shim.hpp"

#include <atomic>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "malloc/arenas.hpp"
#include "malloc/hook.hpp"
#include "malloc/jemalloc.hpp"
#include "malloc/placement.hpp"
#include "malloc/sandbox.hpp"
#include "malloc/shared.hpp"
#include "os/memory/bare.hpp"

namespace charm::shim {

constinit std::atomic<int> decided{0};

namespace {

constinit std::atomic<std::size_t> largest_normal{0};  // undecided is 0
constinit std::atomic<bool> started{false};            // called back without locks
enum : int { undecided, deciding, is_decided };        // `decided`

constexpr int look_every = 16;              // a refill has 10 to 100 blocks
constinit thread_local int calls_left = 0;  // until the next look
constinit thread_local void* thread_arena = nullptr;
constinit thread_local void* cache_arena = nullptr;  // that its cache was joined to; nullptr: jemalloc's choice
constinit thread_local int thread_root = -1;
constinit thread_local int thread_number = 0;  // of thread_arena; jemalloc begins with arena 0
constinit thread_local int rests = 0;          // looks until it is worth while to search for an arena again
constinit thread_local bool inside = false;    // of decide(), or of choosing an arena

[[gnu::noinline]] void decide_once(bool serves) noexcept {
  int state = decided.load(std::memory_order_acquire);
  if (state == is_decided) return;
  if (state == undecided && decided.compare_exchange_strong(state, deciding, std::memory_order_acq_rel)) {
    inside = true;
    decide(serves);
    inside = false;
    largest_normal.store(places() ? normal_limit() : SIZE_MAX, std::memory_order_release);
    decided.store(is_decided, std::memory_order_release);
    return;
  }
  while (!inside && decided.load(std::memory_order_acquire) != is_decided) os::bare::give_way();
}

/// -1 where it is not known.
int cpu_here() noexcept { return is_sandboxed() && !os::bare::knows_cpu_without_call() ? -1 : os::bare::current_cpu(); }

/// Uses an arena of the node that the thread runs on, and of those one that no other thread uses, while there can be
/// one more. \param thread jemalloc's state of it. \param chosen the arena that jemalloc has for it so far: another one
/// than it was given where jemalloc allocates for itself, or the thread is about to end.
void look_where(void* thread, void* chosen) noexcept {
  const int root = root_of(cpu_here());
  if (root < 0 || (thread_arena != nullptr && chosen != thread_arena)) return;
  const bool moved = root != thread_root;
  if (!moved) {
    if (rests > 0) {
      --rests;
      return;
    }
    if (!is_shared(thread_number)) return;
  }
  const int arena = normal_arena(static_cast<std::size_t>(root), thread_number, thread);
  if (arena < 0 || (!moved && arena == thread_number)) {
    rests = look_every;
    return;
  }
  move_thread(thread, chosen, arena);
  if (moved && thread_root >= 0) count(statistics().moves);
  thread_arena = je_arenas[arena].load(std::memory_order_acquire);
  thread_root = root;
  thread_number = arena;
}

/// What has to be done now and then. \param cache of the thread; nullptr where it is not known.
[[gnu::noinline]] void look(void* thread, void* cache, void* chosen) noexcept {
  decide_once(true);
  if (!places()) {
    calls_left = INT_MAX;
    return;
  }
  calls_left = look_every;
  if (inside) return;  // jemalloc allocates on our behalf
  see_weights();
  inside = true;
  look_where(thread, chosen);
  if (cache != nullptr && cache_arena != thread_arena) {
    join_cache(thread, cache, thread_arena);
    cache_arena = thread_arena;
  }
  inside = false;
}

/// The root of this thread's cpu; -1 where nothing is placed.
int root_here() noexcept { return places() && !inside ? root_of(cpu_here()) : -1; }

/// jemalloc's number of the arena for a huge block of this thread; -1 where there is none.
int huge_arena_here(void* thread, std::size_t bytes) noexcept {
  const int root = root_here();
  if (root < 0) return -1;
  see_weights();
  inside = true;
  const int arena = huge_arena(static_cast<std::size_t>(root), bytes, thread);
  inside = false;
  return arena;
}

/// The one with shared mappings, for a block that got no memory from the arena before.
int shared_arena_here(void* thread) noexcept {
  const int root = root_here();
  if (root < 0) return -1;
  inside = true;
  const int arena = shared_arena(static_cast<std::size_t>(root), thread);
  inside = false;
  return arena;
}

bool is_huge(std::size_t bytes) noexcept { return bytes > largest_normal.load(std::memory_order_relaxed); }

/// Once a huge block is there, and no lock is held: what is to be said about where it lies.
void see_placed(const void* block, std::size_t bytes) noexcept {
  const int root = block != nullptr ? root_here() : -1;
  if (root >= 0) see_full_nodes(bytes, static_cast<std::size_t>(root));
  report_refusal();
}

int flags_of(int arena) noexcept {
  return arena < 0 ? -1 : static_cast<int>(MALLOCX_ARENA(arena)) | MALLOCX_TCACHE_NONE;
}

/// The flags of a block that is_huge(); -1: it is not, as is known now, or there is no arena for it.
int huge_flags(std::size_t bytes) noexcept {
  decide_once(true);
  return flags_of(is_huge(bytes) ? huge_arena_here(nullptr, bytes) : -1);
}

/// make(flags), and once more with shared mappings if there is no memory: the process may have all the mappings that it
/// may have.
template <class Make>
void* make_huge(int flags, std::size_t bytes, Make make) noexcept {
  void* block = make(flags);
  const int others = block == nullptr ? flags_of(shared_arena_here(nullptr)) : -1;
  if (others >= 0 && others != flags) block = make(others);
  see_placed(block, bytes);
  return block;
}

/// The arena to refill a cache from. \param chosen by jemalloc.
void* arena_for_refill(void* thread, void* cache, void* chosen) noexcept {
  if (inside) return chosen;
  started.store(true, std::memory_order_relaxed);
  look(thread, cache, chosen);
  if (places()) report_refusal();
  return thread_arena != nullptr ? thread_arena : chosen;
}

bool may_choose(const void* thread) noexcept {
  return !inside && thread != nullptr && started.load(std::memory_order_relaxed);
}

/// The arena for a larger block that is not huge.
void* arena_for_large(void* thread, void* chosen) noexcept {
  // Without `chosen` jemalloc chooses later. Of huge blocks it is the arena for those, and not the thread's.
  if (chosen != nullptr && --calls_left < 0) look(thread, nullptr, chosen);
  return thread_arena != nullptr ? thread_arena : chosen;
}

/// jemalloc takes its locks before fork(), and would wait for ever where a signal handler forks that has interrupted
/// it. In a process of one thread no lock is needed: if jemalloc was interrupted, it goes on in both processes.
struct AroundFork {
  void (*before)() = nullptr;
  void (*in_parent)() = nullptr;
  void (*in_child)() = nullptr;
};
constinit AroundFork around_fork;
constinit thread_local bool fork_is_guarded = false;

/// In the order in which they are taken elsewhere.
void before_fork() {
  fork_is_guarded = !os::bare::has_one_thread();
  if (!fork_is_guarded) return;
  hold_weights();
  hold_arenas();
  around_fork.before();
  hold_shared();
}
void release_own_locks() noexcept {
  release_arenas();
  release_weights();
}
void after_fork_in_parent() {
  if (!fork_is_guarded) return;
  release_shared();
  around_fork.in_parent();
  release_own_locks();
}
void after_fork_in_child() {
  if (!fork_is_guarded) return;
  forget_kernel_calls();
  release_shared();
  around_fork.in_child();
  release_own_locks();
}

void* reported(void* block) noexcept {
  if (block == nullptr) os::bare::set_out_of_memory();
  return block;
}

/// jemalloc's realloc() leaves errno as it was. Of no bytes the result may be null without an error.
void* reported(void* block, std::size_t bytes) noexcept {
  if (block == nullptr && bytes > 0) os::bare::set_out_of_memory();
  return block;
}

[[gnu::noinline]] void* huge_again(void* block, std::size_t bytes) noexcept {
  const int flags = huge_flags(bytes);
  if (flags < 0) return reported(charm_je_realloc(block, bytes), bytes);
  return reported(make_huge(flags, bytes, [&](int with) {
    return block == nullptr ? charm_je_mallocx(bytes, with) : charm_je_rallocx(block, bytes, with);
  }));
}

bool is_power_of_two(std::size_t number) noexcept { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

void decide_when_called() noexcept { decide_once(true); }

void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept {
  if (is_huge(bytes) && is_power_of_two(alignment)) {
    const int flags = huge_flags(bytes);
    if (flags >= 0) {
      return reported(make_huge(flags, bytes, [&](int with) {
        return charm_je_mallocx(bytes, with | static_cast<int>(MALLOCX_ALIGN(alignment)));
      }));
    }
  }
  return charm_je_aligned_alloc(alignment, bytes);
}

void release(void* block, std::size_t bytes) noexcept {
  if (block != nullptr) charm_je_sdallocx(block, bytes, 0);
}

namespace {
/// In most programs the linker has allocated before; in the others jemalloc's own constructor would start it undecided.
[[gnu::constructor(101)]] void at_start() {
  decide_once(false);
  started.store(true, std::memory_order_relaxed);
  const int root = root_here();
  if (root >= 0) see_static_arrays(static_cast<std::size_t>(root));
}
}  // namespace

}  // namespace charm::shim

extern "C" {
int __real_pthread_atfork(void (*before)(), void (*in_parent)(), void (*in_child)());
void* __real_je_tcache_alloc_small_hard(void* thread, void* arena, void* cache, void* bin, unsigned size, bool* good);
void* __real_je_large_malloc(void* thread, void* arena, std::size_t bytes, bool zero);

/// jemalloc's handlers.
[[gnu::used]] int __wrap_pthread_atfork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  charm::shim::around_fork = {before, in_parent, in_child};
  return __real_pthread_atfork(charm::shim::before_fork, charm::shim::after_fork_in_parent,
                               charm::shim::after_fork_in_child);
}

[[gnu::used]] void* __wrap_je_tcache_alloc_small_hard(void* thread, void* arena, void* cache, void* bin, unsigned size,
                                                      bool* good) {
  charm::shim::expect_no_hook();
  if (--charm::shim::calls_left < 0) [[unlikely]]
    arena = charm::shim::arena_for_refill(thread, cache, arena);
  return __real_je_tcache_alloc_small_hard(thread, arena, cache, bin, size, good);
}

[[gnu::used]] void* __wrap_je_large_malloc(void* thread, void* arena, std::size_t bytes, bool zero) {
  using namespace charm::shim;
  expect_no_hook();
  if (!may_choose(thread)) return __real_je_large_malloc(thread, arena, bytes, zero);
  if (!is_huge(bytes)) return __real_je_large_malloc(thread, arena_for_large(thread, arena), bytes, zero);
  const int number = huge_arena_here(thread, bytes);
  if (number < 0) return __real_je_large_malloc(thread, thread_arena != nullptr ? thread_arena : arena, bytes, zero);
  const auto made_in = [&](int which) {
    return __real_je_large_malloc(thread, je_arenas[which].load(std::memory_order_acquire), bytes, zero);
  };
  void* block = made_in(number);
  const int other = block == nullptr ? shared_arena_here(thread) : -1;
  if (other >= 0 && other != number) block = made_in(other);
  see_placed(block, bytes);
  return block;
}
}

#define CHARM_EXPORT extern "C" [[gnu::visibility("default")]]

using charm::shim::allocate_aligned;

CHARM_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  if (charm::shim::is_huge(bytes)) [[unlikely]] {
    return charm::shim::huge_again(block, bytes);
  }
  return charm::shim::reported(charm_je_realloc(block, bytes), bytes);
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

/// As in glibc, any alignment is rounded up to a power of two.
CHARM_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  constexpr std::size_t most = SIZE_MAX / 2 + 1;
  constexpr int invalid = 22;  // EINVAL
  if (alignment <= most) return allocate_aligned(alignment == 0 ? 1 : std::bit_ceil(alignment), bytes);
  charm::os::bare::set_error(invalid);
  return nullptr;
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

// glibc's own names, by which some programs call its malloc; what they get there they give to free().
CHARM_EXPORT void* __libc_malloc(std::size_t bytes) noexcept { return malloc(bytes); }
CHARM_EXPORT void* __libc_calloc(std::size_t count, std::size_t bytes) noexcept { return calloc(count, bytes); }
CHARM_EXPORT void* __libc_realloc(void* block, std::size_t bytes) noexcept { return realloc(block, bytes); }
CHARM_EXPORT void __libc_free(void* block) noexcept { free(block); }
CHARM_EXPORT void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}
CHARM_EXPORT void* __libc_valloc(std::size_t bytes) noexcept { return valloc(bytes); }
CHARM_EXPORT void* __libc_pvalloc(std::size_t bytes) noexcept { return pvalloc(bytes); }
