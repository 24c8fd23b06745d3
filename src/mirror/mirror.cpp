// mmap(2) as programs see it under `charm run --mirror FILE`: a process that maps such a file to read it gets a copy in
// the memory of the node that the calling thread runs on. Without it the file's pages lie where somebody first read
// them, for all processes of the machine.
//
// The copy is the kernel's own: the mapping becomes private, and each of its pages is copied as if it were written to.
// So the end of the file, mprotect(), mremap() and fork() are as ever; children share the copy of their parent.
// - Only what cannot change the file: a mapping by which the program could change the file stays as it is; so does
//   every other file.
// - Never worse than without: what cannot be copied is mapped as the program asked, which is said once. The program
//   never sees a call fail that would have worked.
// - What the program's variables say is read before the program runs, since it may overwrite them.
#include <atomic>
#include <cstdint>

#include <sys/mman.h>

#include "os/memory/bare.hpp"
#include "os/memory/file_pages.hpp"
#include "os/memory/raw_call.hpp"

namespace {

namespace bare = charm::os::bare;

constexpr int most_files = 32;  // as `charm run` allows
constinit bare::FileIdentity files[most_files];
constinit int known = 0;
constinit bool quiet = false;
constexpr char not_all[] = "charm mirror: there is no memory for a copy of a whole file; its rest is shared\n";
constexpr char not_copied[] = "charm mirror: the kernel refused a copy of a file; its own pages are mapped\n";
constexpr int type_of_mapping = 0x0f;  // MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE

/// A number of the list; moves `text` behind it and the character that follows.
std::uint64_t number(const char*& text) noexcept {
  std::uint64_t value = 0;
  while (*text >= '0' && *text <= '9') value = 10 * value + static_cast<std::uint64_t>(*text++ - '0');
  if (*text != '\0') ++text;
  return value;
}

/// CHARM_MIRROR_FILES: DEVICE:NUMBER,DEVICE:NUMBER...
[[gnu::constructor]] void read_files() noexcept {
  quiet = bare::environment("CHARM_QUIET") != nullptr;
  const char* text = bare::environment("CHARM_MIRROR_FILES");
  while (text != nullptr && *text != '\0' && known < most_files) {
    bare::FileIdentity& file = files[known];
    file.open = true;
    file.device = number(text);
    file.number = number(text);
    ++known;
  }
}

/// Once, on standard error, unless CHARM_QUIET is set.
void say(const char* text, std::size_t length) noexcept {
  static constinit std::atomic<bool> said{false};
  if (quiet || said.exchange(true, std::memory_order_relaxed)) return;
  bare::write_error(text, length);
}

bool is_mirrored(int file) noexcept {
  const bare::FileIdentity identity = bare::identity_of(file);
  for (int i = 0; i < known; ++i) {
    if (identity == files[i]) return true;
  }
  return false;
}

/// \return the address of the copy, or the negative of an errno.
long mapped_near(void* wanted, std::size_t bytes, int protection, int flags, int file, long offset) noexcept {
  const std::uint64_t size = bare::plain_file_bytes(file);
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= size)  // nothing of the file
    return bare::map_file(wanted, bytes, protection, flags, file, offset);
  const int as_private = (flags & ~(type_of_mapping | MAP_POPULATE)) | MAP_PRIVATE;
  const long answer = bare::map_file(wanted, bytes, PROT_READ | PROT_WRITE, as_private, file, offset);
  if (bare::failed(answer)) return answer;
  auto* data = reinterpret_cast<void*>(answer);
  const int node = bare::current_node();
  if (node >= 0 && node < static_cast<int>(bare::Nodes::most)) {
    bare::Nodes nodes;
    nodes.insert(node);
    bare::place(data, bytes, nodes, false);  // where it is forbidden, pages lie near whoever copies them, which is here
  }
  const std::uint64_t left = size - static_cast<std::uint64_t>(offset);
  if (!bare::copy_pages(data, bytes < left ? bytes : static_cast<std::size_t>(left))) say(not_all, sizeof not_all - 1);
  if (protection != (PROT_READ | PROT_WRITE)) bare::protect(data, bytes, protection);
  return answer;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the C library's names
[[gnu::visibility("default")]] void* mmap(void* wanted, std::size_t bytes, int protection, int flags, int file,
                                          off_t offset) noexcept {
  const bool changes_file =
      (protection & PROT_WRITE) != 0 && (flags & type_of_mapping) != MAP_PRIVATE;  // only what cannot change the file
  const bool mirrors = known > 0 && file >= 0 && (flags & MAP_ANONYMOUS) == 0 && !changes_file && is_mirrored(file);
  long answer = mirrors ? mapped_near(wanted, bytes, protection, flags, file, offset) : 0;
  if (!mirrors || bare::failed(answer)) {  // never worse than without
    answer = bare::map_file(wanted, bytes, protection, flags, file, offset);
    if (mirrors && !bare::failed(answer)) say(not_copied, sizeof not_copied - 1);
  }
  if (bare::failed(answer)) {
    bare::set_error(static_cast<int>(-answer));
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(answer);
}

[[gnu::visibility("default"), gnu::alias("mmap")]] void* mmap64(void* wanted, std::size_t bytes, int protection,
                                                                int flags, int file, off64_t offset) noexcept;
// NOLINTEND(readability-identifier-naming)
}
