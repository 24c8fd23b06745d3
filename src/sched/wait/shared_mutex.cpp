#include <charm/shared_mutex.hpp>

namespace charm {

using detail::Waiter;

bool shared_mutex::try_acquire(Kind kind) noexcept {
  lock_.lock();
  const bool got = waiters_.empty() && free_for(kind);
  if (got) take(kind);
  lock_.unlock();
  return got;
}

bool shared_mutex::acquire(Kind kind, std::int64_t deadline) {
  lock_.lock();
  if (waiters_.empty() && free_for(kind)) {
    take(kind);
    lock_.unlock();
    return true;
  }
  Waiter self;
  self.number = static_cast<int>(kind);
  waiters_.push_back(self);
  lock_.unlock();
  if (detail::wait_listed(lock_, waiters_, self, deadline, {detail::Wait::shared_mutex, this})) return true;
  // Readers behind a writer that gives up may have waited only for this writer.
  lock_.lock();
  Waiter* admitted = admit();
  lock_.unlock();
  detail::wake_all(admitted);
  return false;
}

void shared_mutex::unlock() noexcept {
  lock_.lock();
  state_ = 0;
  Waiter* admitted = admit();
  lock_.unlock();
  detail::wake_all(admitted);
}

void shared_mutex::unlock_shared() noexcept {
  lock_.lock();
  --state_;
  Waiter* admitted = admit();
  lock_.unlock();
  detail::wake_all(admitted);
}

/// Takes out the waiters at the front that can have the mutex now, linked by `next`; they have it from here on (admit
/// whoever can be admitted).
Waiter* shared_mutex::admit() noexcept {
  Waiter* admitted = nullptr;
  Waiter** end = &admitted;
  while (Waiter* first = waiters_.first()) {
    const Kind kind = static_cast<Kind>(first->number);
    if (!free_for(kind)) break;
    take(kind);
    waiters_.remove(*first);
    *end = first;
    end = &first->next;
  }
  *end = nullptr;
  return admitted;
}

}  // namespace charm
