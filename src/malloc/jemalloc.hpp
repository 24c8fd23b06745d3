// jemalloc inside of the shim. Its public functions carry the prefix charm_je_ here (symbols.txt renames them in a copy
// of the static library), so that they do not clash with the functions that the shim exports or with a second jemalloc
// in the program. malloc, calloc, free and malloc_usable_size keep their names and are exported unchanged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#define JEMALLOC_NO_DEMANGLE
#define JEMALLOC_NO_RENAME
#include <jemalloc/jemalloc.h>

extern "C" {
// NOLINTBEGIN(bugprone-dynamic-static-initializers): they are jemalloc's, which sets them at compile time
extern const char* charm_je_malloc_conf;                // options, read by jemalloc when it starts
extern const char* charm_je_malloc_conf_2_conf_harder;  // read last: they win over the variable MALLOC_CONF
// NOLINTEND(bugprone-dynamic-static-initializers)

void* charm_je_realloc(void* block, std::size_t bytes);
int charm_je_posix_memalign(void** block, std::size_t alignment, std::size_t bytes);
void* charm_je_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* charm_je_memalign(std::size_t alignment, std::size_t bytes);
void* charm_je_mallocx(std::size_t bytes, int flags);
void* charm_je_rallocx(void* block, std::size_t bytes, int flags);
void charm_je_sdallocx(void* block, std::size_t bytes, int flags);

// Functions and variables inside of jemalloc 5.3. A `thread` is its state of one, a `cache` the thread's of free
// blocks, which begins with a pointer to its `slow` part.
struct JemallocArenaConfig {
  extent_hooks_t* hooks;
  bool hooks_for_metadata;
};
// NOLINTBEGIN(bugprone-dynamic-static-initializers): as above
extern const JemallocArenaConfig je_arena_config_default;
extern std::atomic<void*> je_arenas[];  // by number
extern __thread char je_tsd_tls;        // the state of this thread
extern unsigned je_manual_arena_base;   // arenas from this number on keep lists of all that they have given out
// NOLINTEND(bugprone-dynamic-static-initializers)
unsigned je_narenas_total_get();
void* je_arena_init(void* thread, unsigned number, const JemallocArenaConfig* config);
void je_arena_migrate(void* thread, void* from, void* to);
void je_tcache_arena_reassociate(void* thread, void* slow, void* cache, void* arena);
unsigned je_arena_nthreads_get(void* arena, bool for_jemalloc);
bool je_arena_decay_ms_set(void* thread, void* arena, int state, std::intptr_t ms);
}
