// A dedicated thread that runs one job after the other while the caller waits, for code that must always run on the
// same thread, but not on the caller's.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace charm::cli {

class DedicatedThread {
 public:
  DedicatedThread();
  ~DedicatedThread();
  DedicatedThread(const DedicatedThread&) = delete;
  DedicatedThread& operator=(const DedicatedThread&) = delete;

  /// Runs `job` on the thread, waits for it, and rethrows what it threw.
  void run(const std::function<void()>& job);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;  // not null while a job waits or runs
  std::exception_ptr thrown_;
  bool leaving_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace charm::cli
