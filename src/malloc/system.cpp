// What jemalloc takes from the C library, made by the kernel's calls themselves and by nobody else: symbols.txt renames
// these functions in the copy of jemalloc. Another preloaded library may have functions of the same names, which record
// what a program does, give it another clock or other files, and allocate; jemalloc calls its own ones below its locks.
//
// They do what jemalloc needs of them, and no more.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <new>

#include "malloc/mutex.hpp"
#include "malloc/shim.hpp"
#include "os/memory/bare.hpp"
#include "os/memory/raw_call.hpp"
#include "os/memory/vdso.hpp"

namespace {

using charm::os::bare::as_long;
using charm::os::bare::raw_call;
using charm::shim::Mutex;

/// As the C library's functions answer.
long answered(long answer) noexcept {
  if (!charm::os::bare::failed(answer)) return answer;
  charm::os::bare::set_error(static_cast<int>(-answer));
  return -1;
}

/// A pthread_mutex_t begins with a word for the futex.
Mutex& mutex_in(void* mutex) noexcept { return *static_cast<Mutex*>(mutex); }

constexpr long current_folder = -100;  // AT_FDCWD

/// The cpus that the process may use.
long allowed_cpus() noexcept {
  unsigned long words[128] = {};
  long count = 0;
  if (raw_call(SYS_sched_getaffinity, 0, sizeof words, as_long(words)) <= 0) return 1;
  for (const unsigned long word : words) count += __builtin_popcountl(word);
  return count;
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
void* charm_je_mmap(void* wanted, std::size_t bytes, int protection, int flags, int file, long offset) {
  return reinterpret_cast<void*>(
      answered(raw_call(SYS_mmap, as_long(wanted), static_cast<long>(bytes), protection, flags, file, offset)));
}
int charm_je_munmap(void* data, std::size_t bytes) {
  return static_cast<int>(answered(raw_call(SYS_munmap, as_long(data), static_cast<long>(bytes))));
}
int charm_je_madvise(void* data, std::size_t bytes, int advice) {
  return static_cast<int>(answered(raw_call(SYS_madvise, as_long(data), static_cast<long>(bytes), advice)));
}
int charm_je_mprotect(void* data, std::size_t bytes, int protection) {
  return static_cast<int>(answered(raw_call(SYS_mprotect, as_long(data), static_cast<long>(bytes), protection)));
}
int charm_je_open(const char* path, int flags, unsigned mode) {
  return static_cast<int>(answered(raw_call(SYS_openat, current_folder, as_long(path), flags, mode)));
}
int charm_je_close(int file) { return static_cast<int>(answered(raw_call(SYS_close, file))); }
std::ptrdiff_t charm_je_readlink(const char* path, char* buffer, std::size_t bytes) {
  return answered(raw_call(SYS_readlinkat, current_folder, as_long(path), as_long(buffer), static_cast<long>(bytes)));
}
long charm_je_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return answered(raw_call(number, a, b, c, d, e, f));
}
int charm_je_clock_gettime(clockid_t clock, timespec* time) {
  return static_cast<int>(answered(charm::os::bare::read_clock(clock, time)));
}
int charm_je_sched_yield() { return static_cast<int>(answered(raw_call(SYS_sched_yield))); }
int charm_je_sched_getcpu() { return charm::os::bare::current_cpu(); }
int charm_je_sched_getaffinity(int process, std::size_t bytes, void* cpus) {
  const long written = raw_call(SYS_sched_getaffinity, process, static_cast<long>(bytes), as_long(cpus));
  if (written < 0) return static_cast<int>(answered(written));
  for (auto i = static_cast<std::size_t>(written); i < bytes; ++i) static_cast<char*>(cpus)[i] = 0;
  return 0;
}
/// The size of a page, and numbers of cpus.
long charm_je_sysconf(int name) {
  constexpr int page_size = 30;  // _SC_PAGESIZE
  return name == page_size ? static_cast<long>(charm::os::bare::page_bytes()) : allowed_cpus();
}
const char* charm_je_secure_getenv(const char* name) { return charm::os::bare::environment(name); }

int charm_je_pthread_mutex_init(void* mutex, const void* /*attributes*/) {
  new (mutex) Mutex;
  return 0;
}
int charm_je_pthread_mutex_lock(void* mutex) {
  mutex_in(mutex).lock();
  return 0;
}
/// jemalloc's first call of anything, before it reads its options. In a program with a sanitizer that may not be ready.
int charm_je_pthread_mutex_trylock(void* mutex) {
  charm::shim::decide_before_jemalloc();
  return mutex_in(mutex).try_lock() ? 0 : EBUSY;
}
int charm_je_pthread_mutex_unlock(void* mutex) {
  mutex_in(mutex).unlock();
  return 0;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}
