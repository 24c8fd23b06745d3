// A kernel with uncore units: counts by event and cpu, as a test sets them, and errors.
#pragma once

#include <cerrno>
#include <map>
#include <tuple>

#include "tools/os/uncore_events.hpp"

namespace charm::memory_traffic::test {

class FakeUncore : public os::UncoreEvents {
 public:
  using Key = std::tuple<std::uint32_t, std::array<std::uint64_t, 3>, int>;  // type, config, cpu

  int open(const os::UncoreEvent& event, int cpu) override {
    if (error != 0) return -error;
    opened[next] = {event.type, event.config, cpu};
    return next++;
  }
  void close(int descriptor) override { opened.erase(descriptor); }
  std::optional<os::UncoreCount> read(int descriptor) override {
    const auto found = opened.find(descriptor);
    if (found == opened.end()) return std::nullopt;
    const std::uint64_t counted = counts[found->second];
    return os::UncoreCount{counted, ns, ns / shares};
  }

  std::map<int, Key> opened;
  std::map<Key, std::uint64_t> counts;
  std::uint64_t ns = 0;
  std::uint64_t shares = 1;  ///< events that take turns on a counter
  int error = 0;
  int next = 3;
};

}  // namespace charm::memory_traffic::test
