#include "tools/cli/bench/dedicated_thread.hpp"

#include <utility>

namespace charm::cli {

DedicatedThread::DedicatedThread() : thread_([this] { serve(); }) {}

DedicatedThread::~DedicatedThread() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DedicatedThread::run(const std::function<void()>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return job_ == nullptr; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void DedicatedThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return leaving_ || job_ != nullptr; });
    if (job_ == nullptr) return;
    const std::function<void()>& job = *job_;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      job();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    job_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace charm::cli
