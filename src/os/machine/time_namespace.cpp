#include "os/machine/time_namespace.hpp"

#include <string_view>

#include <sys/stat.h>

#include "os/files/system_files.hpp"

namespace charm::os {

std::int64_t monotonic_offset_ns(const std::string& root) {
  // "monotonic   86400   0": seconds, which may be negative, and nanoseconds.
  const std::string whole = read_text(path_below(root, "proc/self/timens_offsets"));
  constexpr std::string_view name = "monotonic";
  const std::size_t line = whole.find(name);
  if (line == std::string::npos) return 0;
  std::string_view text = std::string_view(whole).substr(line + name.size());
  const auto seconds = next_number<std::int64_t>(text);
  const auto nanoseconds = next_number<std::int64_t>(text);
  return seconds && nanoseconds ? *seconds * 1'000'000'000 + *nanoseconds : 0;
}

std::uint64_t time_namespace(const std::string& root) {
  struct stat known{};
  return stat(path_below(root, "proc/self/ns/time").c_str(), &known) == 0 ? static_cast<std::uint64_t>(known.st_ino)
                                                                          : 0;
}

}  // namespace charm::os
