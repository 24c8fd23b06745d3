/* A library that allocates while it is loaded and unloaded, and hands blocks over to its user. */
#include <stdlib.h>

static void* kept;
__attribute__((constructor)) static void begin(void) { kept = malloc(3000); }
__attribute__((destructor)) static void end(void) { free(kept); }
void* plugin_make(size_t bytes) { return calloc(bytes, 1); }
void plugin_take(void* block) { free(block); }
