#include "os/memory/bare.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#if __GLIBC_PREREQ(2, 32)
#include <sys/single_threaded.h>
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace charm::os::bare {
namespace {

class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = before_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int before_ = errno;
};

// linux/mempolicy.h is not installed by default everywhere.
constexpr int preferred_policy = 1;
constexpr int interleave_policy = 3;
// If the nodes that the process may use change (its cgroup's cpuset.mems), the policy becomes that of those of its
// nodes that are left. Without this flag the kernel maps its nodes to others, and does not map them back.
constexpr int static_nodes = 1 << 15;

}  // namespace

void* map(void* wanted, std::size_t bytes) noexcept {
  const KeepErrno keep;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wanted != nullptr ? MAP_FIXED_NOREPLACE : 0);
  void* data = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  if (wanted != nullptr && data != wanted) {  // a kernel before 4.17 takes the address for a hint
    munmap(data, bytes);
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

void unmap(void* data, std::size_t bytes) noexcept {
  const KeepErrno keep;
  munmap(data, bytes);
}

bool forget(void* data, std::size_t bytes) noexcept {
  const KeepErrno keep;
  return madvise(data, bytes, MADV_DONTNEED) == 0;
}

int place(void* data, std::size_t bytes, const Nodes& nodes, bool in_turn) noexcept {
  const KeepErrno keep;
#ifdef SYS_mbind
  const int policy = (in_turn ? interleave_policy : preferred_policy) | static_nodes;
  // The kernel reads one bit less than it is told.
  return syscall(SYS_mbind, data, bytes, policy, nodes.words, Nodes::most + 1, 0UL) == 0 ? 0 : errno;
#else
  (void)data, (void)bytes, (void)nodes, (void)in_turn, (void)preferred_policy, (void)interleave_policy,
      (void)static_nodes;
  return ENOSYS;
#endif
}

Range static_memory() noexcept {
  const KeepErrno keep;
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
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

int current_cpu() noexcept {
  const KeepErrno keep;
  return sched_getcpu();
}

int process() noexcept { return getpid(); }

std::uint64_t coarse_ns() noexcept {
  const KeepErrno keep;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void give_way() noexcept { sched_yield(); }

bool has_one_thread() noexcept {
#if __GLIBC_PREREQ(2, 32)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

namespace {

bool read_at_start(int file, void* buffer, std::size_t bytes) noexcept {
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t got = pread(file, static_cast<char*>(buffer) + have, bytes - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

namespace {
int open_plain(const char* path) noexcept { return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); }

/// Why the file must not be used; nullptr where it may.
const char* why_not_trusted(int file, std::size_t bytes) noexcept {
  struct stat found{};
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return "it is no plain file";
  if (found.st_uid != geteuid() && found.st_uid != 0) return "it belongs to another user";
  if ((found.st_mode & 0022U) != 0) return "other users may write it";
  if (static_cast<std::size_t>(found.st_size) != bytes)
    return "it has another size: it is damaged or of another version";
  return nullptr;
}
}  // namespace

const char* why_not_read(const char* path, std::size_t bytes) noexcept {
  const KeepErrno keep;
  const int file = open_plain(path);
  if (file < 0) {
    return errno == ENOENT   ? "there is no such file"
           : errno == EACCES ? "this user may not read it"
           : errno == ELOOP  ? "it is a symbolic link"
                             : "it cannot be opened";
  }
  const char* why = why_not_trusted(file, bytes);
  close(file);
  return why != nullptr ? why : "it is damaged, or being written";
}

bool read_sequenced(const char* path, void* buffer, std::size_t bytes) noexcept {
  const KeepErrno keep;
  const int file = open_plain(path);
  if (file < 0) return false;
  const bool trusted = why_not_trusted(file, bytes) == nullptr;
  bool good = false;
  for (int attempt = 0; trusted && !good && attempt < 16; ++attempt) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (!read_at_start(file, &before, sizeof before) || !read_at_start(file, buffer, bytes) ||
        !read_at_start(file, &after, sizeof after))
      break;
    good = before == after && before % 2 == 0;
    if (!good) sched_yield();
  }
  close(file);
  return good;
}

std::size_t read_start_of(const char* path, char* buffer, std::size_t bytes) noexcept {
  const KeepErrno keep;
  buffer[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t got = read(file, buffer, bytes - 1);
  close(file);
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

const char* environment(const char* name) noexcept { return secure_getenv(name); }
const char* const* environment() noexcept { return getauxval(AT_SECURE) != 0 ? nullptr : environ; }
unsigned user() noexcept { return geteuid(); }

void end(int code) noexcept {
  for (;;) syscall(SYS_exit_group, code);
}

void write_error(const char* text, std::size_t length) noexcept {
  const KeepErrno keep;
  [[maybe_unused]] const long written = syscall(SYS_write, STDERR_FILENO, text, length);
}

bool append(const char* path, const char* text, std::size_t length) noexcept {
  const KeepErrno keep;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return false;
  const bool whole = write(file, text, length) == static_cast<ssize_t>(length);
  close(file);
  return whole;
}

void* next_function(const char* name) noexcept { return dlsym(RTLD_NEXT, name); }
int error() noexcept { return errno; }
void set_error(int error) noexcept { errno = error; }
void set_out_of_memory() noexcept { errno = ENOMEM; }

}  // namespace charm::os::bare
