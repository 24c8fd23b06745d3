#include "os/memory/bare.hpp"

#include <cerrno>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#if __GLIBC_PREREQ(2, 32)
#include <sys/single_threaded.h>
#endif

#include "os/memory/raw_call.hpp"
#include "os/memory/vdso.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#if __GLIBC_PREREQ(2, 35)
// What the kernel writes about this thread, at an offset from its thread pointer (sys/rseq.h, which GCC 12 warns of).
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned __rseq_size;
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace charm::os::bare {
namespace {

// linux/mempolicy.h is not installed by default everywhere.
constexpr int preferred_policy = 1;
constexpr int interleave_policy = 3;
// If the nodes that the process may use change (its cgroup's cpuset.mems), the policy becomes that of those of its
// nodes that are left. Without this flag the kernel maps its nodes to others, and does not map them back.
constexpr int static_nodes = 1 << 15;

}  // namespace

void* map(void* wanted, std::size_t bytes) noexcept {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wanted != nullptr ? MAP_FIXED_NOREPLACE : 0);
  const long answer =
      raw_call(SYS_mmap, as_long(wanted), static_cast<long>(bytes), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (failed(answer)) return nullptr;
  auto* data = reinterpret_cast<void*>(answer);
  if (wanted != nullptr && data != wanted) {  // a kernel before 4.17 takes the address for a hint
    unmap(data, bytes);
    return nullptr;
  }
  return data;
}

void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= page_bytes()) return map(nullptr, bytes);
  if (bytes + alignment < bytes) return nullptr;
  auto* begin = static_cast<char*>(map(nullptr, bytes + alignment));
  if (begin == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::size_t head = (alignment - address % alignment) % alignment;
  if (head > 0) unmap(begin, head);
  if (alignment > head) unmap(begin + head + bytes, alignment - head);
  return begin + head;
}

void unmap(void* data, std::size_t bytes) noexcept { raw_call(SYS_munmap, as_long(data), static_cast<long>(bytes)); }

bool forget(void* data, std::size_t bytes) noexcept {
  return raw_call(SYS_madvise, as_long(data), static_cast<long>(bytes), MADV_DONTNEED) == 0;
}

int place(void* data, std::size_t bytes, const Nodes& nodes, bool in_turn) noexcept {
#ifdef SYS_mbind
  const int policy = (in_turn ? interleave_policy : preferred_policy) | static_nodes;
  // The kernel reads one bit less than it is told.
  return static_cast<int>(
      -raw_call(SYS_mbind, as_long(data), static_cast<long>(bytes), policy, as_long(nodes.words), Nodes::most + 1, 0));
#else
  (void)data, (void)bytes, (void)nodes, (void)in_turn, (void)preferred_policy, (void)interleave_policy,
      (void)static_nodes;
  return ENOSYS;
#endif
}

int try_in_child(int (*call)(void*), void* argument) noexcept {
  // Without a signal at its end, so that the program's own handler and wait() do not see it.
#if defined(__x86_64__) || defined(__aarch64__)
  const long child = raw_call(SYS_clone, 0, 0, 0, 0, 0);
#else
  const long child = -ENOSYS;
#endif
  if (child == 0) end(call(argument));
  if (failed(child)) return static_cast<int>(-child);
  int status = 0;
  long waited = 0;
  do {
    waited = raw_call(SYS_wait4, child, as_long(&status), __WALL, 0);
  } while (waited == -EINTR);
  if (failed(waited)) return static_cast<int>(-waited);
  return WIFEXITED(status) ? WEXITSTATUS(status) : killed;
}

Range static_memory() noexcept {
  Range found;
  // The first object is the program itself.
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*bytes*/, void* result) {
        const std::uintptr_t page = page_bytes();
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || segment.p_memsz <= segment.p_filesz) continue;
          const std::uintptr_t base = object->dlpi_addr + segment.p_vaddr;
          const std::uintptr_t begin = (base + segment.p_filesz + page - 1) / page * page;
          const std::uintptr_t end = (base + segment.p_memsz) / page * page;
          if (end > begin) *static_cast<Range*>(result) = {reinterpret_cast<void*>(begin), end - begin};
        }
        return 1;
      },
      &found);
  return found;
}

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = getauxval(AT_PAGESZ);
  return bytes;
}

int current_cpu() noexcept {
#if __GLIBC_PREREQ(2, 35)
  if (&__rseq_size != nullptr && __rseq_size > 0) {  // else the C library was told to do without
    const auto* here = static_cast<const char*>(__builtin_thread_pointer()) + __rseq_offset;
    return *reinterpret_cast<const volatile int*>(here + sizeof(int));  // struct rseq: cpu_id; negative: not known
  }
#endif
  unsigned cpu = 0;
  return failed(raw_call(SYS_getcpu, as_long(&cpu))) ? -1 : static_cast<int>(cpu);
}

bool knows_cpu_without_call() noexcept {
#if __GLIBC_PREREQ(2, 35)
  return &__rseq_size != nullptr && __rseq_size > 0;
#else
  return false;
#endif
}

int process() noexcept { return static_cast<int>(raw_call(SYS_getpid)); }

std::uint64_t coarse_ns() noexcept {
  timespec now{};
  read_clock(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void give_way() noexcept { raw_call(SYS_sched_yield); }

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  raw_call(SYS_futex, as_long(&word), FUTEX_WAIT_PRIVATE, value, 0);
}

void wake_one(const std::atomic<std::uint32_t>& word) noexcept {
  raw_call(SYS_futex, as_long(&word), FUTEX_WAKE_PRIVATE, 1);
}

bool has_one_thread() noexcept {
#if __GLIBC_PREREQ(2, 32)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

namespace {

long open_file(const char* path, int flags) noexcept {
  return raw_call(SYS_openat, AT_FDCWD, as_long(path), flags | O_CLOEXEC, 0600);
}

void close_file(long file) noexcept { raw_call(SYS_close, file); }

bool read_at_start(long file, void* buffer, std::size_t bytes) noexcept {
  std::size_t have = 0;
  while (have < bytes) {
    const long got = raw_call(SYS_pread64, file, as_long(static_cast<char*>(buffer) + have),
                              static_cast<long>(bytes - have), static_cast<long>(have));
    if (got == -EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

long open_plain(const char* path) noexcept { return open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK); }

/// Why the file must not be used; nullptr where it may.
const char* why_not_trusted(long file, std::size_t bytes) noexcept {
  struct stat found{};
  if (raw_call(SYS_fstat, file, as_long(&found)) != 0 || !S_ISREG(found.st_mode)) return "it is no plain file";
  if (found.st_uid != user() && found.st_uid != 0) return "it belongs to another user";
  if ((found.st_mode & 0022U) != 0) return "other users may write it";
  if (static_cast<std::size_t>(found.st_size) != bytes)
    return "it has another size: it is damaged or of another version";
  return nullptr;
}

}  // namespace

const char* why_not_read(const char* path, std::size_t bytes) noexcept {
  const long file = open_plain(path);
  if (failed(file)) {
    return file == -ENOENT   ? "there is no such file"
           : file == -EACCES ? "this user may not read it"
           : file == -ELOOP  ? "it is a symbolic link"
                             : "it cannot be opened";
  }
  const char* why = why_not_trusted(file, bytes);
  close_file(file);
  return why != nullptr ? why : "it is damaged, or being written";
}

bool read_sequenced(const char* path, void* buffer, std::size_t bytes) noexcept {
  const long file = open_plain(path);
  if (failed(file)) return false;
  const bool trusted = why_not_trusted(file, bytes) == nullptr;
  bool good = false;
  for (int attempt = 0; trusted && !good && attempt < 16; ++attempt) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (!read_at_start(file, &before, sizeof before) || !read_at_start(file, buffer, bytes) ||
        !read_at_start(file, &after, sizeof after))
      break;
    good = before == after && before % 2 == 0;
    if (!good) give_way();
  }
  close_file(file);
  return good;
}

std::size_t read_start_of(const char* path, char* buffer, std::size_t bytes) noexcept {
  buffer[0] = '\0';
  const long file = open_file(path, O_RDONLY);
  if (failed(file)) return 0;
  const long got = raw_call(SYS_read, file, as_long(buffer), static_cast<long>(bytes - 1));
  close_file(file);
  const std::size_t length = got > 0 ? static_cast<std::size_t>(got) : 0;
  buffer[length] = '\0';
  return length;
}

std::size_t touched_bytes() noexcept {
  char text[64];
  read_start_of("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
  if (text[0] != '[') return page_bytes();  // "[always] madvise never"
  read_start_of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", text, sizeof text);
  std::size_t bytes = 0;
  for (const char* at = text; *at >= '0' && *at <= '9'; ++at) bytes = bytes * 10 + static_cast<std::size_t>(*at - '0');
  return bytes == std::size_t{2} << 20U ? bytes : page_bytes();
}

const char* environment(const char* name) noexcept {
  for (const char* const* each = environment(); each != nullptr && *each != nullptr; ++each) {
    std::size_t same = 0;
    while (name[same] != '\0' && (*each)[same] == name[same]) ++same;
    if (name[same] == '\0' && (*each)[same] == '=') return *each + same + 1;
  }
  return nullptr;
}

const char* const* environment() noexcept { return getauxval(AT_SECURE) != 0 ? nullptr : environ; }
unsigned user() noexcept { return static_cast<unsigned>(raw_call(SYS_geteuid)); }

bool is_filtered() noexcept {
  char text[4096];
  read_start_of("/proc/self/status", text, sizeof text);
  constexpr char key[] = "\nSeccomp:\t2";
  for (const char* at = text; *at != '\0'; ++at) {
    std::size_t same = 0;
    while (key[same] != '\0' && at[same] == key[same]) ++same;
    if (key[same] == '\0') return true;
  }
  return false;
}

bool absolute_path(const char* path, char* buffer, std::size_t bytes) noexcept {
  std::size_t length = 0;
  if (path[0] != '/') {
    const long got = raw_call(SYS_getcwd, as_long(buffer), static_cast<long>(bytes));
    if (failed(got) || buffer[0] != '/') return false;  // "(unreachable)..."
    length = static_cast<std::size_t>(got) - 1;
    if (length + 1 < bytes) buffer[length++] = '/';
  }
  while (*path != '\0' && length + 1 < bytes) buffer[length++] = *path++;
  buffer[length] = '\0';
  return *path == '\0';
}

void end(int code) noexcept {
  for (;;) raw_call(SYS_exit_group, code);
}

FileIdentity identity_of(int file) noexcept {
  struct stat found{};
  if (raw_call(SYS_fstat, file, as_long(&found)) != 0) return {};
  return {true, found.st_dev, found.st_ino};
}

void write_error(const char* text, std::size_t length) noexcept {
  raw_call(SYS_write, STDERR_FILENO, as_long(text), static_cast<long>(length));
}

bool append(const char* path, const char* text, std::size_t length) noexcept {
  const long file = open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  if (failed(file)) return false;
  const bool whole = raw_call(SYS_write, file, as_long(text), static_cast<long>(length)) == static_cast<long>(length);
  close_file(file);
  return whole;
}

void* next_function(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }

void* function_for(const void* caller, const char* name) noexcept {
  Dl_info place{};
  if (dladdr(caller, &place) == 0 || place.dli_fname == nullptr) return nullptr;
  void* object = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  void* function = dlsym(object, name);
  dlclose(object);
  return function;
}

int error() noexcept { return errno; }
void set_error(int error) noexcept { errno = error; }
void set_out_of_memory() noexcept { errno = ENOMEM; }

}  // namespace charm::os::bare
