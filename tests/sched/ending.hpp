// For tests of how the runtime begins and ends.
#pragma once

#include <charm/charm.hpp>

#include <chrono>
#include <cstddef>
#include <thread>

namespace charm::test {

inline Config of_workers(int workers) {
  Config config;
  config.workers = workers;
  config.share_cores = true;
  return config;
}

/// Waits until `count` tasks are suspended.
inline void until_waiting(std::size_t count) {
  for (;;) {
    std::size_t waiting = 0;
    for (const charm::TaskInfo& task : charm::tasks()) waiting += task.state == "waiting";
    if (waiting >= count) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace charm::test
