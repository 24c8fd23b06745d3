#include <charm/task_barrier.hpp>

namespace charm::detail {

PhaseBarrier::Arrival PhaseBarrier::arrive(std::ptrdiff_t by, bool drop) noexcept {
  lock_.lock();
  if (drop) expected_ -= by;
  left_ -= by;
  const Arrival arrival{phase_, left_ == 0};
  lock_.unlock();
  return arrival;
}

void PhaseBarrier::next_phase() noexcept {
  lock_.lock();
  left_ = expected_;
  ++phase_;
  Waiter* all = waiters_.take();
  lock_.unlock();
  wake_all(all);
}

bool PhaseBarrier::wait(std::uint64_t phase, std::int64_t deadline, const std::stop_token* stop) {
  lock_.lock();
  if (phase_ != phase) {
    lock_.unlock();
    return true;
  }
  Waiter self;
  waiters_.push_back(self);
  lock_.unlock();
  return wait_listed(lock_, waiters_, self, deadline, {Wait::barrier, this, nullptr, true, stop});
}

}  // namespace charm::detail
