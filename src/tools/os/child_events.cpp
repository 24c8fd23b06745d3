#include "tools/os/child_events.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>

#include "os/perf/perf_open.hpp"

namespace charm::os {
namespace {

int open_event(const PerfEvent& event) {
  perf_event_attr attributes = perf_attributes(event);  // inherited events cannot be read as a group
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.enable_on_exec = 1;
  return perf_open(attributes, 0, -1, -1);
}

}  // namespace

ChildEvents::ChildEvents(std::span<const PerfEvent> events) {
  descriptors_.reserve(events.size());
  for (const PerfEvent& event : events) descriptors_.push_back(open_event(event));
}

ChildEvents::~ChildEvents() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) close(descriptor);
  }
}

std::vector<ChildEvents::Count> ChildEvents::counts() const {
  std::vector<Count> counts;
  for (const int descriptor : descriptors_) {
    Count count;
    std::array<std::uint64_t, 3> words{};  // value, time enabled, time running
    if (descriptor < 0) {
      count.error = -descriptor;
    } else if (read(descriptor, words.data(), sizeof words) != static_cast<ssize_t>(sizeof words)) {
      count.error = errno;
    } else if (words[2] > 0) {
      count.share = static_cast<double>(words[2]) / static_cast<double>(words[1]);
      count.value = static_cast<double>(words[0]) / count.share;
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace charm::os
