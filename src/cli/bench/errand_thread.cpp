#include "cli/bench/errand_thread.hpp"

#include <utility>

namespace charm::cli {

ErrandThread::ErrandThread() : thread_([this] { serve(); }) {}

ErrandThread::~ErrandThread() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ErrandThread::run(const std::function<void()>& errand) {
  std::unique_lock lock(mutex_);
  errand_ = &errand;
  changed_.notify_all();
  changed_.wait(lock, [this] { return errand_ == nullptr; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ErrandThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return leaving_ || errand_ != nullptr; });
    if (errand_ == nullptr) return;
    const std::function<void()>& errand = *errand_;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      errand();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    errand_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace charm::cli
