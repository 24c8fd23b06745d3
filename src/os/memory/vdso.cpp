#include "os/memory/vdso.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <link.h>

#include <sys/auxv.h>

#include "os/memory/raw_call.hpp"

namespace charm::os::bare {
namespace {

using Clock = int (*)(clockid_t, timespec*);

#if defined(__x86_64__)
constexpr char clock_name[] = "__vdso_clock_gettime";
#else
constexpr char clock_name[] = "__kernel_clock_gettime";
#endif

bool is(const char* text, const char* other) noexcept {
  while (*text != '\0' && *text == *other) ++text, ++other;
  return *text == *other;
}

/// The tables of a library in memory that lead from names to addresses.
struct Symbols {
  std::uintptr_t shift = 0;  // between the addresses in the file and those in memory
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash = nullptr;      // DT_HASH
  const std::uint32_t* gnu_hash = nullptr;  // DT_GNU_HASH
};

/// The newest kernels have only one of the two tables, older ones another one.
std::size_t count_of(const Symbols& found) noexcept {
  if (found.hash != nullptr) return found.hash[1];
  if (found.gnu_hash == nullptr) return 0;
  const std::uint32_t buckets = found.gnu_hash[0];
  const std::uint32_t first = found.gnu_hash[1];
  const std::uint32_t* bucket = found.gnu_hash + 4 + found.gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
  if (last < first) return first;
  while ((chain[last - first] & 1U) == 0) ++last;
  return last + 1;
}

Symbols symbols_of(const char* file) noexcept {
  Symbols found;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(file + header->e_phoff);
  const ElfW(Dyn)* entries = nullptr;
  bool loaded = false;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type == PT_LOAD && !loaded) {
      loaded = true;
      found.shift = reinterpret_cast<std::uintptr_t>(file) + parts[i].p_offset - parts[i].p_vaddr;
    } else if (parts[i].p_type == PT_DYNAMIC) {
      entries = reinterpret_cast<const ElfW(Dyn)*>(file + parts[i].p_offset);
    }
  }
  for (; loaded && entries != nullptr && entries->d_tag != DT_NULL; ++entries) {
    const auto* at = reinterpret_cast<const char*>(entries->d_un.d_ptr + found.shift);
    if (entries->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
    if (entries->d_tag == DT_STRTAB) found.names = at;
    if (entries->d_tag == DT_HASH) found.hash = reinterpret_cast<const std::uint32_t*>(at);
    if (entries->d_tag == DT_GNU_HASH) found.gnu_hash = reinterpret_cast<const std::uint32_t*>(at);
  }
  return found;
}

Clock find_clock() noexcept {
  const auto* file = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (file == nullptr) return nullptr;
  const Symbols found = symbols_of(file);
  if (found.symbols == nullptr || found.names == nullptr) return nullptr;
  for (std::size_t i = 0; i < count_of(found); ++i) {
    const ElfW(Sym)& each = found.symbols[i];
    if (each.st_shndx != SHN_UNDEF && is(found.names + each.st_name, clock_name))
      return reinterpret_cast<Clock>(each.st_value + found.shift);
  }
  return nullptr;
}

int by_the_kernel(clockid_t clock, timespec* time) noexcept {
  return static_cast<int>(raw_call(SYS_clock_gettime, clock, as_long(time)));
}

constinit std::atomic<Clock> found_clock{nullptr};

}  // namespace

long read_clock(clockid_t clock, timespec* time) noexcept {
  Clock function = found_clock.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = find_clock();
    if (function == nullptr) function = by_the_kernel;
    found_clock.store(function, std::memory_order_relaxed);
  }
  return function(clock, time);
}

}  // namespace charm::os::bare
