/* A library that is preloaded beside libcharm_malloc.so: it has the C library's functions once more, and allocates in
   each of them before it calls the next one, as tools do that record what a program does. An allocator that calls one
   of them below its locks allocates within itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/types.h>

static __thread void* kept[16];
static __thread unsigned turn;

static void allocate(void) {
  static const size_t sizes[] = {24, 700, 3000, 20000, 300000, (size_t)5 << 20};
  const unsigned now = turn++;
  free(kept[now % 16]);
  kept[now % 16] = malloc(sizes[now % 6]);
  if (kept[now % 16] != NULL) memset(kept[now % 16], 1, 24);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FUNCTION(result, name, parameters, arguments) \
  result name parameters {                            \
    allocate();                                       \
    return NEXT(name) arguments;                      \
  }

FUNCTION(ssize_t, read, (int file, void* data, size_t bytes), (file, data, bytes))
FUNCTION(ssize_t, pread, (int file, void* data, size_t bytes, off_t at), (file, data, bytes, at))
FUNCTION(ssize_t, write, (int file, const void* data, size_t bytes), (file, data, bytes))
FUNCTION(int, close, (int file), (file))
FUNCTION(int, fstat, (int file, struct stat* found), (file, found))
FUNCTION(ssize_t, readlink, (const char* path, char* data, size_t bytes), (path, data, bytes))
FUNCTION(int, clock_gettime, (clockid_t clock, struct timespec* now), (clock, now))
FUNCTION(int, sched_getcpu, (void), ())
FUNCTION(int, sched_yield, (void), ())
FUNCTION(int, sched_getaffinity, (pid_t process, size_t bytes, cpu_set_t* cpus), (process, bytes, cpus))
FUNCTION(pid_t, getpid, (void), ())
FUNCTION(uid_t, geteuid, (void), ())
FUNCTION(long, sysconf, (int name), (name))
FUNCTION(char*, getenv, (const char* name), (name))
FUNCTION(char*, secure_getenv, (const char* name), (name))
void* mmap(void*, size_t, int, int, int, off_t);
int munmap(void*, size_t);
int madvise(void*, size_t, int);
int mprotect(void*, size_t, int);
FUNCTION(void*, mmap, (void* wanted, size_t bytes, int protection, int flags, int file, off_t at),
         (wanted, bytes, protection, flags, file, at))
FUNCTION(int, munmap, (void* data, size_t bytes), (data, bytes))
FUNCTION(int, madvise, (void* data, size_t bytes, int advice), (data, bytes, advice))
FUNCTION(int, mprotect, (void* data, size_t bytes, int protection), (data, bytes, protection))
int pthread_mutex_lock(void*);
int pthread_mutex_trylock(void*);
int pthread_mutex_unlock(void*);
FUNCTION(int, pthread_mutex_lock, (void* mutex), (mutex))
FUNCTION(int, pthread_mutex_trylock, (void* mutex), (mutex))
FUNCTION(int, pthread_mutex_unlock, (void* mutex), (mutex))

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  allocate();
  return ((int (*)(const char*, int, mode_t))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  allocate();
  return ((int (*)(int, const char*, int, mode_t))dlsym(RTLD_NEXT, "openat"))(folder, path, flags, mode);
}
long syscall(long number, ...) {
  va_list rest;
  long a[6];
  va_start(rest, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  allocate();
  return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
