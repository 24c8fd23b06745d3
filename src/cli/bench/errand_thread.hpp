// A thread that runs one errand after the other while the caller waits: code that must always run on the same thread,
// and not on the caller's.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace charm::cli {

class ErrandThread {
 public:
  ErrandThread();
  ~ErrandThread();
  ErrandThread(const ErrandThread&) = delete;
  ErrandThread& operator=(const ErrandThread&) = delete;

  /// Runs `errand` on the thread, waits for it, and throws what it threw.
  void run(const std::function<void()>& errand);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* errand_ = nullptr;  // set while one is asked for or running
  std::exception_ptr thrown_;
  bool leaving_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace charm::cli
