// A thread that does nothing until it is ended, for tests that look at threads from outside.
#pragma once

#include <atomic>
#include <thread>
#include <unistd.h>

#include <sys/syscall.h>

namespace charm::test {

class LivingThread {
 public:
  LivingThread()
      : thread_([this] {
          id_ = static_cast<int>(syscall(SYS_gettid));
          while (!stop_) usleep(1000);
        }) {
    while (id_ == 0) usleep(100);
  }
  ~LivingThread() { end(); }
  LivingThread(const LivingThread&) = delete;
  LivingThread& operator=(const LivingThread&) = delete;

  [[nodiscard]] int id() const { return id_; }
  /// Returns before the kernel has buried it.
  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<int> id_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace charm::test
