// Counters of other threads and of cpus that a test makes up, and plans of events for them.
#pragma once

#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "counters/plan.hpp"
#include "os/perf/attached_events.hpp"

namespace charm::test {

/// Counts what the test says, for threads that the test lets be counted.
class FakeAttached final : public os::AttachedEvents {
 public:
  int open(const os::PerfEvent& event, int tid, int cpu) override {
    if (refuse != 0) return -refuse;
    if (tid == gone) return -ESRCH;
    opened.push_back({event.config, tid, cpu});
    values.push_back({});
    ++open_now;
    return static_cast<int>(values.size()) - 1;
  }
  void close(int) override { --open_now; }
  bool read(int descriptor, Count& count) override {
    count = values[static_cast<std::size_t>(descriptor)];
    return true;
  }
  [[nodiscard]] std::size_t room() const override { return room_for; }

  struct Opened {
    std::uint64_t config;
    int tid, cpu;
  };
  int refuse = 0, gone = -2, open_now = 0;
  std::size_t room_for = 1000;
  std::vector<Opened> opened;
  std::vector<Count> values;
};

inline counters::EventPlan attached_plan(const std::vector<std::pair<counters::FillSource, bool>>& fills) {
  counters::EventPlan plan;
  plan.groups.emplace_back();
  std::uint64_t config = 1;
  for (const auto& [source, minus] : fills) {
    counters::Planned planned;
    planned.source = source;
    planned.minus = minus;
    planned.event.config = config++;
    plan.groups.back().push_back(planned);
  }
  return plan;
}

}  // namespace charm::test
