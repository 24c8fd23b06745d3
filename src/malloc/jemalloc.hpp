// jemalloc inside of the shim. Its public functions carry the prefix charm_je_ here (symbols.txt renames them in a copy
// of the static library), so that they do not clash with the functions that the shim exports or with a second jemalloc
// in the program. malloc, calloc, free and malloc_usable_size keep their names and are exported unchanged.
#pragma once

#include <cstddef>

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
int charm_je_mallctl(const char* name, void* old, std::size_t* old_bytes, void* value, std::size_t value_bytes);
}
