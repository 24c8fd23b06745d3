#include "os/threads/thread_switches.hpp"

#include <array>

#include "os/files/system_files.hpp"

namespace charm::os {

std::optional<std::uint64_t> switches_of(int pid, const std::string& root) {
  const std::string folder = path_below(root, "proc/" + std::to_string(pid) + "/task");
  std::optional<std::uint64_t> sum;
  for (const int thread : numbered_entries(folder)) {
    std::array<char, 96> buffer{};
    std::string_view text =
        read_start(folder + "/" + std::to_string(thread) + "/schedstat", buffer.data(), buffer.size());
    // Time on a cpu, time waiting for one, times scheduled.
    const auto run = next_number<std::uint64_t>(text);
    const auto waited = next_number<std::uint64_t>(text);
    const auto times = next_number<std::uint64_t>(text);
    if (run && waited && times) sum = sum.value_or(0) + *times;
  }
  return sum;
}

}  // namespace charm::os
