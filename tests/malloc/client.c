/* A program in C that uses all of malloc(3) and checks what it promises. Run with and without libcharm_malloc.so.
   client PART: contract, threads, fork, plugin FILE, limit, mappings, exec, again COUNT, growing, moving,
   arenas beside|after COUNT, many COUNT, title COUNT, elsewhere COUNT, data FILE, fails PLUGIN. Exit code 0,
   or a line that says what was wrong.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const size_t mib = (size_t)1 << 20;

static void fill(unsigned char* block, size_t bytes, unsigned char seed) {
  for (size_t i = 0; i < bytes; i += 509) block[i] = (unsigned char)(seed + i);
}
static int holds(const unsigned char* block, size_t bytes, unsigned char seed) {
  for (size_t i = 0; i < bytes; i += 509)
    if (block[i] != (unsigned char)(seed + i)) return 0;
  return 1;
}
static int is_zero(const unsigned char* block, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (block[i] != 0) return 0;
  return 1;
}

static void contract(void) {
  static const size_t sizes[] = {1, 7, 16, 100, 4095, 4097, 70000, 1 << 20, (4 << 20) - 1, (4 << 20) + 1, 9 << 20};
  enum { count = sizeof sizes / sizeof *sizes };
  unsigned char* blocks[count];
  for (int i = 0; i < count; ++i) {
    errno = 77;
    blocks[i] = malloc(sizes[i]);
    EXPECT(blocks[i] != NULL && errno == 77);
    EXPECT((uintptr_t)blocks[i] % (sizes[i] < 16 ? 8 : 16) == 0);
    EXPECT(malloc_usable_size(blocks[i]) >= sizes[i]);
    fill(blocks[i], sizes[i], (unsigned char)i);
  }
  for (int i = 0; i < count; ++i) EXPECT(holds(blocks[i], sizes[i], (unsigned char)i));
  for (int i = 0; i < count; ++i) { /* to every other size and back */
    for (int j = 0; j < count; ++j) {
      const size_t less = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
      blocks[i] = realloc(blocks[i], sizes[j]);
      EXPECT(blocks[i] != NULL && holds(blocks[i], less, (unsigned char)i));
      blocks[i] = realloc(blocks[i], sizes[i]);
      EXPECT(blocks[i] != NULL && holds(blocks[i], less, (unsigned char)i));
      fill(blocks[i], sizes[i], (unsigned char)i);
    }
  }
  for (int i = 0; i < count; ++i) {
    errno = 78;
    free(blocks[i]);
    EXPECT(errno == 78);
  }
  for (int i = 0; i < count; ++i) {
    unsigned char* zero = calloc(1, sizes[i]);
    EXPECT(zero != NULL && is_zero(zero, sizes[i]));
    memset(zero, 1, sizes[i]);
    free(zero);
    zero = calloc(sizes[i], 1);
    EXPECT(zero != NULL && is_zero(zero, sizes[i]));
    free(zero);
  }
  free(NULL);
  void* none = malloc(0);
  EXPECT(none != NULL);
  free(none);
  none = realloc(NULL, 5 * mib);
  EXPECT(none != NULL);
  free(none);

  volatile size_t too_much = (size_t)PTRDIFF_MAX + 2;
  errno = 0;
  EXPECT(malloc(too_much) == NULL && errno == ENOMEM);
  errno = 0;
  EXPECT(calloc(too_much, 4) == NULL && errno == ENOMEM);
  void* kept = malloc(5 * mib);
  memset(kept, 3, 5 * mib);
  errno = 0;
  EXPECT(realloc(kept, too_much) == NULL && errno == ENOMEM && ((char*)kept)[mib] == 3);
  errno = 0;
  EXPECT(reallocarray(kept, too_much, 4) == NULL && errno == ENOMEM);
  free(kept);
  errno = 0;
  EXPECT(aligned_alloc(64, too_much) == NULL && errno == ENOMEM);
  errno = 0;
  EXPECT(pvalloc(too_much) == NULL && errno == ENOMEM);

  for (size_t alignment = sizeof(void*); alignment <= 16 * mib; alignment *= 2) {
    for (size_t bytes = 1; bytes <= 8 * mib; bytes = bytes * 23 + 1) {
      void* block = NULL;
      errno = 79;
      EXPECT(posix_memalign(&block, alignment, bytes) == 0 && errno == 79);
      EXPECT((uintptr_t)block % alignment == 0);
      memset(block, 1, bytes);
      free(block);
      block = aligned_alloc(alignment, bytes);
      EXPECT(block != NULL && (uintptr_t)block % alignment == 0);
      free(block);
      block = memalign(alignment, bytes);
      EXPECT(block != NULL && (uintptr_t)block % alignment == 0);
      free(block);
    }
  }
  void* untouched = &none;
  errno = 79;
  EXPECT(posix_memalign(&untouched, 24, 100) == EINVAL && untouched == &none && errno == 79);
  EXPECT(posix_memalign(&untouched, 2, 100) == EINVAL);
  EXPECT(posix_memalign(&untouched, 0, 100) == EINVAL);
  EXPECT(posix_memalign(&untouched, 64, too_much) == ENOMEM && errno == 79);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void* paged = valloc(10);
  EXPECT(paged != NULL && (uintptr_t)paged % page == 0);
  free(paged);
  paged = pvalloc(page + 1);
  EXPECT(paged != NULL && (uintptr_t)paged % page == 0 && malloc_usable_size(paged) >= 2 * page);
  free(paged);

  /* As in glibc, memalign() takes any alignment. */
  for (size_t alignment = 0; alignment < 100; alignment += 33) {
    void* block = memalign(alignment, 100);
    EXPECT(block != NULL && (uintptr_t)block % (alignment == 0 ? 1 : alignment == 33 ? 64 : 128) == 0);
    free(block);
  }
  errno = 0;
  EXPECT(memalign(too_much + 1, 1) == NULL && errno == EINVAL);

  /* glibc's own names for the same. */
  void* (*named)(size_t) = (void* (*)(size_t))dlsym(RTLD_DEFAULT, "__libc_malloc");
  void* (*named_again)(void*, size_t) = (void* (*)(void*, size_t))dlsym(RTLD_DEFAULT, "__libc_realloc");
  void (*named_free)(void*) = (void (*)(void*))dlsym(RTLD_DEFAULT, "__libc_free");
  if (named != NULL && named_again != NULL && named_free != NULL) {
    free(named(100));
    free(named_again(malloc(100), 5 * mib));
    named_free(malloc(100));
  }

  /* What the C library allocates for its callers. */
  char* text = strdup("a text");
  EXPECT(strcmp(text, "a text") == 0);
  free(text);
  EXPECT(asprintf(&text, "%0*d", 5000000, 7) == 5000000 && text[4999999] == '7');
  free(text);
  text = realpath("/", NULL);
  EXPECT(text != NULL && strcmp(text, "/") == 0);
  free(text);
  int* array = reallocarray(NULL, 3 * mib, sizeof(int));
  EXPECT(array != NULL);
  free(array);
}

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void* _Atomic slots[64]; /* blocks that one thread makes and any thread frees */
static int stop;

static void* churn(void* argument) {
  unsigned random = (unsigned)(uintptr_t)argument;
  for (int i = 0; i < 8000; ++i) {
    if (__atomic_load_n(&stop, __ATOMIC_RELAXED)) break;
    const size_t bytes = next_random(&random) % 1000 == 0 ? 5 * mib + next_random(&random) % 65536
                         : next_random(&random) % 50 == 0 ? next_random(&random) % 100000
                                                          : next_random(&random) % 600;
    size_t* block = malloc(bytes + 2 * sizeof(size_t));
    EXPECT(block != NULL);
    block[0] = bytes;
    block[1] = ~bytes;
    size_t* other = atomic_exchange(&slots[next_random(&random) % 64], block);
    if (other != NULL) {
      EXPECT(other[1] == ~other[0]);
      if (next_random(&random) % 4 == 0) {
        other = realloc(other, 3 * sizeof(size_t) + other[0] / 2);
        EXPECT(other != NULL && other[1] == ~other[0]);
      }
      free(other);
    }
  }
  return NULL;
}

static void threads(void) {
  for (int round = 0; round < 4; ++round) { /* born and dying */
    pthread_t all[8];
    for (int i = 0; i < 8; ++i)
      EXPECT(pthread_create(&all[i], NULL, churn, (void*)(uintptr_t)(round * 8 + i + 1)) == 0);
    for (int i = 0; i < 8; ++i) pthread_join(all[i], NULL);
  }
  for (int i = 0; i < 64; ++i) free(slots[i]);
}

static void forks(void) {
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&all[i], NULL, churn, (void*)(uintptr_t)(i + 1)) == 0);
  for (int i = 0; i < 8; ++i) {
    unsigned char* before = malloc(6 * mib);
    fill(before, 6 * mib, 5);
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
      alarm(60);
      EXPECT(holds(before, 6 * mib, 5));
      free(before);
      for (int k = 0; k < 3000; ++k) free(malloc((size_t)k));
      for (int k = 0; k < 5; ++k) {
        unsigned char* huge = malloc((size_t)(5 + k) * mib);
        EXPECT(huge != NULL);
        fill(huge, mib, 1);
        free(huge);
      }
      pthread_t own;
      EXPECT(pthread_create(&own, NULL, churn, (void*)9) == 0);
      __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
      pthread_join(own, NULL);
      _exit(0);
    }
    free(before);
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
}

static void plugin(const char* file) {
  for (int i = 0; i < 20; ++i) {
    void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) fprintf(stderr, "%s\n", dlerror());
    EXPECT(handle != NULL);
    void* (*make)(size_t) = (void* (*)(size_t))dlsym(handle, "plugin_make");
    void (*take)(void*) = (void (*)(void*))dlsym(handle, "plugin_take");
    EXPECT(make != NULL && take != NULL);
    free(make(100));
    free(make(5 * mib));
    take(malloc(100));
    take(malloc(5 * mib));
    dlclose(handle);
  }
}

static void limit(void) {
  struct rlimit all = {(rlim_t)512 << 20, (rlim_t)512 << 20};
  EXPECT(setrlimit(RLIMIT_AS, &all) == 0);
  errno = 0;
  EXPECT(malloc(600 * mib) == NULL && errno == ENOMEM);
  void* blocks[200];
  int count = 0;
  while (count < 200 && (blocks[count] = malloc(8 * mib)) != NULL) ++count;
  EXPECT(count > 20 && count < 100);
  while (count > 0) free(blocks[--count]);
  void* again = malloc(8 * mib);
  EXPECT(again != NULL);
  free(again);
}

/* All the mappings that a process may have are in use: blocks are refused or lie anywhere, and nothing breaks. */
static void mappings(void) {
  enum { most = 1 << 17 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* area = mmap(NULL, most * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(area != MAP_FAILED);
  void* before = malloc(8 * mib);
  EXPECT(before != NULL);
  int used = 0;
  while (used < most && mprotect(area + (size_t)used * page, page, PROT_READ) == 0) used += 2;
  EXPECT(used < most);
  void* blocks[64];
  int count = 0;
  for (int i = 0; i < 64; ++i) {
    errno = 0;
    blocks[count] = malloc((size_t)(5 + i) * mib);
    EXPECT(blocks[count] != NULL || errno == ENOMEM);
    if (blocks[count] == NULL) continue;
    memset(blocks[count], 1, 2 * mib);
    ++count;
  }
  for (size_t i = 1; i < 3000; ++i) {
    char* block = malloc(i);
    EXPECT(block != NULL || errno == ENOMEM);
    if (block != NULL) block[i - 1] = 1;
    free(block);
  }
  while (count > 0) free(blocks[--count]);
  free(before);
  EXPECT(munmap(area, most * page) == 0);
  for (int i = 0; i < 20; ++i) {
    unsigned char* block = malloc((size_t)(5 + i) * mib);
    EXPECT(block != NULL);
    fill(block, mib, 3);
    EXPECT(holds(block, mib, 3));
    free(block);
  }
}

/* A vector that grows while nothing else is allocated: how often it moves. */
static void growing(void) {
  size_t bytes = 64 << 10;
  unsigned char* vector = malloc(bytes);
  int steps = 0, moves = 0;
  fill(vector, bytes, 1);
  while (bytes < 3 * mib) {
    const size_t more = bytes + bytes / 4;
    const uintptr_t before = (uintptr_t)vector;
    vector = realloc(vector, more);
    EXPECT(vector != NULL && holds(vector, bytes, 1));
    ++steps;
    moves += (uintptr_t)vector != before;
    bytes = more;
    fill(vector, bytes, 1);
  }
  free(vector);
  printf("moves %d of %d\n", moves, steps);
}

static void stay_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
}

static void allocate_much(void) {
  void* blocks[1000];
  for (int i = 0; i < 1000; ++i) blocks[i] = malloc(1000);
  for (int i = 0; i < 1000; ++i) free(blocks[i]);
}

static pthread_barrier_t begun, done;

static void* begin_beside(void* unused) {
  allocate_much();
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&done);
  return unused;
}
static void* come_and_go(void* unused) {
  allocate_much();
  return unused;
}

/* COUNT threads beside this one, each of which allocates once the one before it has; or one after another. */
static void arenas(const char* what, int count) {
  pthread_t threads[64];
  EXPECT(count <= 64);
  allocate_much();
  if (strcmp(what, "beside") == 0) {
    EXPECT(pthread_barrier_init(&begun, NULL, 2) == 0 && pthread_barrier_init(&done, NULL, (unsigned)count + 1) == 0);
    for (int i = 0; i < count; ++i) {
      EXPECT(pthread_create(&threads[i], NULL, begin_beside, NULL) == 0);
      pthread_barrier_wait(&begun);
    }
    pthread_barrier_wait(&done);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  } else {
    for (int i = 0; i < count; ++i) {
      EXPECT(pthread_create(&threads[i], NULL, come_and_go, NULL) == 0);
      pthread_join(threads[i], NULL);
    }
  }
}

/* This thread moves to another cpu. */
static void moving(void) {
  int cpus[2], count = 0;
  cpu_set_t allowed;
  EXPECT(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus[count++] = cpu;
  if (count < 2) {
    puts("one cpu");
    return;
  }
  for (int i = 0; i < 2; ++i) {
    stay_on(cpus[i]);
    allocate_much();
  }
}

/* Blocks of 5 MiB that are not touched: more of them than a process may have mappings. */
static void many(int count) {
  void** blocks = malloc((size_t)count * sizeof *blocks);
  EXPECT(blocks != NULL);
  for (int i = 0; i < count; ++i) {
    blocks[i] = malloc(5 * mib);
    if (blocks[i] == NULL) fprintf(stderr, "block %d\n", i);
    EXPECT(blocks[i] != NULL);
    if (i % 97 == 0) fill(blocks[i], mib / 4, (unsigned char)i);
  }
  for (int i = 0; i < 3000; ++i) free(malloc((size_t)i * 100));
  void* page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(page != MAP_FAILED);
  unsigned char* grown = realloc(blocks[count - 1], 9 * mib);
  EXPECT(grown != NULL);
  blocks[count - 1] = grown;
  fill(grown, 9 * mib, 7);
  for (int i = 0; i < count; ++i) {
    if (i % 97 == 0 && i < count - 1) EXPECT(holds(blocks[i], mib / 4, (unsigned char)i));
    free(blocks[i]);
  }
  unsigned char* again = calloc(1, 5 * mib);
  EXPECT(again != NULL && is_zero(again, 5 * mib));
  free(again);
  free(blocks);
}

/* What setproctitle does: the text of the environment becomes the name of the process. */
static void title(void) {
  extern char** environ;
  char* end = environ[0];
  for (char** each = environ; *each != NULL; ++each) end = *each + strlen(*each);
  memset(environ[0], 'x', (size_t)(end - environ[0]));
  environ = NULL;
}

/* Its standard error is closed, and a file of data gets the number. */
static void data_file(const char* path) {
  const int kept = dup(STDERR_FILENO);
  EXPECT(close(STDERR_FILENO) == 0);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file != STDERR_FILENO) dprintf(kept, "the file is %d\n", file);
  if (file != STDERR_FILENO || write(file, "data\n", 5) != 5) exit(1);
  free(malloc(9 * mib));
}

static void fails_in_plugin(const char* file) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fprintf(stderr, "%s\n", dlerror());
  EXPECT(handle != NULL);
  int (*fails)(size_t) = (int (*)(size_t))dlsym(handle, "plugin_fails");
  EXPECT(fails != NULL && fails((size_t)PTRDIFF_MAX / 2) == 4);
}

static void again(int count) { /* huge blocks until the weights have changed */
  for (int i = 0; i < count; ++i) {
    void* block = malloc(8 * mib);
    memset(block, 1, 8 * mib);
    free(block);
    usleep(10000);
  }
}

int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "contract";
  if (strcmp(part, "contract") == 0)
    contract();
  else if (strcmp(part, "threads") == 0)
    threads();
  else if (strcmp(part, "fork") == 0)
    forks();
  else if (strcmp(part, "plugin") == 0)
    plugin(argv[2]);
  else if (strcmp(part, "limit") == 0)
    limit();
  else if (strcmp(part, "mappings") == 0)
    mappings();
  else if (strcmp(part, "growing") == 0)
    growing();
  else if (strcmp(part, "arenas") == 0)
    arenas(argv[2], atoi(argv[3]));
  else if (strcmp(part, "moving") == 0)
    moving();
  else if (strcmp(part, "exec") == 0)
    execl(argv[0], argv[0], "again", "3", NULL);
  else if (strcmp(part, "again") == 0)
    again(atoi(argv[2]));
  else if (strcmp(part, "many") == 0)
    many(atoi(argv[2]));
  else if (strcmp(part, "title") == 0) {
    title();
    again(atoi(argv[2]));
  } else if (strcmp(part, "elsewhere") == 0) {
    EXPECT(chdir("/") == 0);
    again(atoi(argv[2]));
  } else if (strcmp(part, "data") == 0)
    data_file(argv[2]);
  else if (strcmp(part, "fails") == 0)
    fails_in_plugin(argv[2]);
  else
    return 2;
  puts("done");
  return 0;
}
