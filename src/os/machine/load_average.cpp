#include "os/machine/load_average.hpp"

#include <array>
#include <string_view>

#include "os/files/system_files.hpp"

namespace charm::os {

std::optional<LoadAverage> read_load_average(const std::string& root) {
  std::array<char, 128> buffer{};
  std::string_view text = read_start(path_below(root, "proc/loadavg"), buffer);
  const auto one_minute = next_number<double>(text);
  const auto five = next_number<double>(text);
  const auto fifteen = next_number<double>(text);
  const auto runnable = next_number<std::size_t>(text);
  if (!one_minute || !five || !fifteen || !runnable) return std::nullopt;
  LoadAverage load{*one_minute, *runnable, 0};
  if (text.starts_with('/')) {
    text.remove_prefix(1);
    next_number<std::size_t>(text);  // all threads
    load.last_created = next_number<int>(text).value_or(0);
  }
  return load;
}

}  // namespace charm::os
