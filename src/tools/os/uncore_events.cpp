#include "tools/os/uncore_events.hpp"

#include <unistd.h>

#include "os/perf/perf_open.hpp"

namespace charm::os {
namespace {

class SystemUncoreEvents : public UncoreEvents {
 public:
  int open(const UncoreEvent& event, int cpu) override {
    perf_event_attr attributes = perf_attributes({event.type, event.config[0], event.config[1], true});
    attributes.config2 = event.config[2];
    attributes.exclude_hv = 0;  // what the uncore counts has no mode, and its drivers refuse to be asked for one
    return perf_open(attributes, -1, cpu, -1);
  }
  void close(int descriptor) override { ::close(descriptor); }
  std::optional<UncoreCount> read(int descriptor) override {
    UncoreCount count;
    const ssize_t got = ::read(descriptor, &count, sizeof count);
    if (got != static_cast<ssize_t>(sizeof count)) return std::nullopt;
    return count;
  }
};

}  // namespace

std::shared_ptr<UncoreEvents> system_uncore_events() { return std::make_shared<SystemUncoreEvents>(); }

}  // namespace charm::os
