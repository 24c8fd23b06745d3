// Work for all workers until something has happened.
#pragma once

#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <functional>

namespace charm::test {

/// Keeps all workers in tasks until `enough` says so, or for far too long; counts the tasks, 64 at a time.
inline bool work_until(const std::function<bool()>& enough, std::atomic<long>* done = nullptr) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (std::chrono::steady_clock::now() < end) {
    charm::run([&] {
      charm::task_group group;
      for (int i = 0; i < 64; ++i) {
        group.run([&] {
          volatile int sink = 0;
          for (int k = 0; k < 5000; ++k) sink = sink + k;
          charm::add_work(1);
          if (done != nullptr) done->fetch_add(1);
        });
      }
      group.wait();
    });
    if (enough()) return true;
  }
  return false;
}

}  // namespace charm::test
