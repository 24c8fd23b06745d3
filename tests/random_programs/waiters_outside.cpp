#include "random_programs/waiters_outside.hpp"

#include <mutex>

#include "random_programs/program.hpp"

namespace random_programs {

WaitersOutside::WaitersOutside(int threads, std::uint64_t seed) {
  full_.send(0);
  mutex_.lock();
  shared_.lock();
  for (int t = 0; t < threads; ++t) {
    const std::uint64_t kind = mix(seed + static_cast<std::uint64_t>(t)) % 8;
    threads_.emplace_back([this, kind] { wait(kind); });
  }
}

WaitersOutside::~WaitersOutside() {
  latch_.count_down();
  empty_.close();
  full_.close();
  mutex_.unlock();
  shared_.unlock();
  semaphore_.release(static_cast<std::ptrdiff_t>(threads_.size()));
  {
    const std::lock_guard lock(changes_);
    over_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WaitersOutside::wait(std::uint64_t kind) {
  switch (kind) {
    case 0:
      return latch_.wait();
    case 1:
      static_cast<void>(empty_.recv());
      return;
    case 2:
      static_cast<void>(full_.send(1));
      return;
    case 3: {
      const std::lock_guard lock(mutex_);
      return;
    }
    case 4: {
      const std::lock_guard lock(shared_);
      return;
    }
    case 5: {
      shared_.lock_shared();
      return shared_.unlock_shared();
    }
    case 6:
      return semaphore_.acquire();
    default: {
      std::unique_lock lock(changes_);
      return changed_.wait(lock, [this] { return over_; });
    }
  }
}

}  // namespace random_programs
