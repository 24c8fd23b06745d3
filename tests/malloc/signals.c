/* Signals in the midst of allocations: what a handler may do under glibc's malloc it may do under libcharm_malloc.so.
   signals storm: a timer interrupts threads that allocate blocks of all sizes; its handler makes calls that POSIX
   allows there, changes errno, and forks by _Fork now and then.
   signals forking: a handler that forks, in a process of one thread.
   signals raised: handlers that allocate, but interrupt no allocation.
   Exit code 0 and "done", or a line that says what was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/time.h>
#include <sys/wait.h>

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const size_t mib = (size_t)1 << 20;
static int handled, bad_children, null_file;

static void on_timer(int number) {
  const int before = errno;
  const int count = __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
  if (write(null_file, &number, sizeof number) < 0) _exit(3);
#if __GLIBC_PREREQ(2, 34)
  if (count % 32 == 0) { /* fork() itself runs handlers that wait for the malloc */
    const pid_t child = _Fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
      __atomic_add_fetch(&bad_children, 1, __ATOMIC_RELAXED);
  }
#else
  (void)count;
#endif
  errno = before;
}

static size_t random_size(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  const unsigned draw = *state >> 8;
  return draw % 997 == 0 ? 5 * mib + draw % 4096 : draw % 13 == 0 ? draw % 90000 : draw % 700;
}

/* Every block begins and ends with its size. */
static void mark(char* block, size_t bytes) {
  memcpy(block, &bytes, sizeof bytes);
  memcpy(block + bytes - sizeof bytes, &bytes, sizeof bytes);
}
static int is_marked(const char* block, size_t bytes) {
  return memcmp(block, &bytes, sizeof bytes) == 0 && memcmp(block + bytes - sizeof bytes, &bytes, sizeof bytes) == 0;
}

static void* allocate(void* argument) {
  enum { slots = 200 };
  char* blocks[slots] = {NULL};
  size_t sizes[slots] = {0};
  unsigned random = (unsigned)(uintptr_t)argument;
  for (int i = 0; i < 20000 || __atomic_load_n(&handled, __ATOMIC_RELAXED) < 300; ++i) {
    const int slot = i % slots;
    if (blocks[slot] != NULL) EXPECT(is_marked(blocks[slot], sizes[slot]));
    const size_t bytes = random_size(&random) + 2 * sizeof(size_t);
    errno = 77;
    if (i % 3 == 0) {
      blocks[slot] = realloc(blocks[slot], bytes);
    } else {
      free(blocks[slot]);
      blocks[slot] = i % 3 == 1 ? malloc(bytes) : calloc(1, bytes);
    }
    EXPECT(blocks[slot] != NULL && errno == 77);
    mark(blocks[slot], bytes);
    sizes[slot] = bytes;
  }
  for (int slot = 0; slot < slots; ++slot) {
    if (blocks[slot] != NULL) EXPECT(is_marked(blocks[slot], sizes[slot]));
    free(blocks[slot]);
  }
  return NULL;
}

static void storm(void) {
  null_file = open("/dev/null", O_WRONLY);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_timer; /* without SA_RESTART: calls of the malloc are interrupted, too */
  EXPECT(null_file >= 0 && sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval often = {{0, 500}, {0, 500}};
  EXPECT(setitimer(ITIMER_REAL, &often, NULL) == 0);
  pthread_t other;
  int failed;
  while ((failed = pthread_create(&other, NULL, allocate, (void*)5)) == EAGAIN) continue;
  EXPECT(failed == 0);
  allocate((void*)3);
  EXPECT(pthread_join(other, NULL) == 0);
  const struct itimerval never = {{0, 0}, {0, 0}};
  EXPECT(setitimer(ITIMER_REAL, &never, NULL) == 0);
  EXPECT(bad_children == 0);
}

static void once_more(void) {
  const struct itimerval once = {{0, 0}, {0, 1500}};
  EXPECT(setitimer(ITIMER_REAL, &once, NULL) == 0);
}

static void on_timer_fork(int number) {
  (void)number;
  const int before = errno;
  const pid_t child = fork();
  if (child == 0) { /* ends as the interrupted allocations do, and some more */
    handled = 300;
    return;
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) ++bad_children;
  if (++handled < 300) once_more();
  errno = before;
}

static void forking(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_timer_fork;
  EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
  handled = 240;
  once_more();
  const pid_t self = getpid();
  allocate((void*)3);
  EXPECT(bad_children == 0);
  if (getpid() != self) _exit(0);
}

static void* made[64];
static void on_raise(int number) {
  (void)number;
  for (int i = 0; i < 64; ++i) {
    free(made[i]);
    made[i] = malloc((size_t)i * i * i * 20 + 1); /* up to 5 MiB */
    if (made[i] == NULL) _exit(4);
    memset(made[i], i, (size_t)i + 1);
  }
}

static void raised(void) {
  static char stack[64 << 10];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  EXPECT(sigaltstack(&other, NULL) == 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_raise;
  action.sa_flags = SA_ONSTACK;
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < 200; ++i) {
    char* block = malloc((size_t)i * 30 + 1);
    EXPECT(block != NULL);
    block[(size_t)i * 30] = 1;
    EXPECT(raise(SIGUSR1) == 0);
    EXPECT(block[(size_t)i * 30] == 1);
    free(block);
  }
  for (int i = 0; i < 64; ++i) free(made[i]);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (strcmp(argv[1], "storm") == 0)
    storm();
  else if (strcmp(argv[1], "forking") == 0)
    forking();
  else if (strcmp(argv[1], "raised") == 0)
    raised();
  else
    return 2;
  puts("done");
  return 0;
}
