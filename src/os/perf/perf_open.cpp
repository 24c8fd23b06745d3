#include "os/perf/perf_open.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <sys/syscall.h>

#include "os/files/set_aside.hpp"

namespace charm::os {

perf_event_attr perf_attributes(const PerfEvent& event) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.exclude_kernel = event.kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attributes;
}

int perf_open(perf_event_attr& attributes, int thread, int cpu, int group) noexcept {
#ifdef SYS_perf_event_open
  return open_aside([&] {
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, cpu, group, PERF_FLAG_FD_CLOEXEC));
  });
#else
  (void)attributes, (void)thread, (void)cpu, (void)group;
  return -ENOSYS;
#endif
}

}  // namespace charm::os
