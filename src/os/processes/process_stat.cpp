#include "os/processes/process_stat.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unistd.h>

#include "os/files/system_files.hpp"

namespace charm::os {

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');  // a name may hold brackets and blanks
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  ProcessStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  const std::size_t state = text.find_first_not_of(' ');
  if (state == std::string_view::npos) return std::nullopt;
  stat.state = text[state];
  text.remove_prefix(state + 1);

  constexpr std::size_t first = 4, last = 39;  // fields as proc(5) numbers them; some are negative
  std::array<std::uint64_t, last + 1> fields{};
  std::size_t known = first;
  while (known <= last) {
    const auto number = next_number<std::int64_t>(text);
    if (!number) {
      // Numbers near 2^64 (the limit of the resident set) are none of those that are used here.
      const std::size_t begin = std::min(text.size(), text.find_first_not_of(" \n"));
      if (begin == text.size()) break;
      text.remove_prefix(std::min(text.size(), text.find(' ', begin)));
    }
    fields[known++] = static_cast<std::uint64_t>(number.value_or(0));
  }
  constexpr std::size_t user = 14, system = 15, children_user = 16, children_system = 17, thread_count = 20, start = 22,
                        resident = 24, cpu = 39;
  if (known <= system) return std::nullopt;
  stat.parent = static_cast<int>(fields[first]);
  stat.flags = fields[9];
  stat.minor_faults = fields[10];
  stat.major_faults = fields[12];
  stat.used_ticks = fields[user] + fields[system];
  stat.waited_ticks = fields[children_user] + fields[children_system];
  stat.threads = static_cast<int>(fields[thread_count]);
  if (known > start) stat.started = fields[start];
  if (known > resident) stat.resident_pages = fields[resident];
  if (known > cpu) stat.cpu = static_cast<int>(fields[cpu]);
  return stat;
}

double tick_seconds() {
  static const long per_second = sysconf(_SC_CLK_TCK);
  return 1.0 / static_cast<double>(per_second > 0 ? per_second : 100);
}

}  // namespace charm::os
