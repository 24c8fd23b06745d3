// A queue between tasks: any number of senders and receivers, bounded or not, that can be closed.
#pragma once

#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <stop_token>
#include <utility>

namespace charm {
namespace detail {
template <class T>
struct ChannelCases;
}

/// A queue for any number of senders and receivers, as in Go. Values arrive in the order in which they were sent, and
/// waiting tasks are served in the order of their arrival. A wait suspends only the task; threads that are not workers
/// sleep. All waits throw Error (cancelled) if the task group or loop that the task belongs to is cancelled meanwhile;
/// then nothing was sent or received.
///
/// With a capacity of 0 a sender waits until a receiver takes its value (rendezvous). After close() nothing can be
/// sent; values that were sent before can still be received, and after these receivers get nothing.
template <class T>
class channel {
 public:
  /// The capacity of a channel whose senders never wait.
  static constexpr std::size_t unbounded = (std::numeric_limits<std::size_t>::max)();

  /// \param capacity values that fit before a sender has to wait.
  explicit channel(std::size_t capacity = unbounded) : capacity_(capacity) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  // No task may wait in the channel any more.
  ~channel() = default;

  /// Waits while the channel is full. \return false if it is closed; then `value` is lost.
  bool send(T value) { return send_until(value, detail::Completion::never) == Outcome::passed; }
  /// As send(), but the wait ends when stop is requested. \return false if the channel stayed full until then or is
  /// closed; then `value` is as it was.
  bool send(T& value, const std::stop_token& stop) {
    return send_until(value, detail::Completion::never, &stop) == Outcome::passed;
  }
  /// Sends without waiting. \return false if the channel is full or closed; then `value` is as it was.
  bool try_send(T& value) { return send_until(value, past) == Outcome::passed; }
  /// The same; the value is moved from only if it was sent.
  bool try_send(T&& value) { return try_send(value); }
  /// As send(), but waits no longer than `duration`. \return false if the channel stayed full until then or is closed;
  /// then `value` is as it was.
  template <class Rep, class Period>
  bool try_send_for(T& value, const std::chrono::duration<Rep, Period>& duration) {
    return send_until(value, detail::deadline_after(duration)) == Outcome::passed;
  }

  /// Waits for a value. \return nothing once the channel is closed and empty.
  std::optional<T> recv() { return receive_until(detail::Completion::never); }
  /// As recv(), but the wait ends when stop is requested. \return nothing if no value came before, or none can come
  /// (see closed()).
  std::optional<T> recv(const std::stop_token& stop) { return receive_until(detail::Completion::never, &stop); }
  /// Receives without waiting. \return nothing if there is no value.
  std::optional<T> try_recv() { return receive_until(past); }
  /// As recv(), but waits no longer than `duration`. \return nothing if no value came in time, or none can come (see
  /// closed()).
  template <class Rep, class Period>
  std::optional<T> try_recv_for(const std::chrono::duration<Rep, Period>& duration) {
    return receive_until(detail::deadline_after(duration));
  }
  /// Like try_recv_for, until a point in time.
  template <class Clock, class Duration>
  std::optional<T> try_recv_until(const std::chrono::time_point<Clock, Duration>& time) {
    return receive_until(detail::deadline_at(time));
  }

  /// Closes the channel and wakes all waiting tasks; waiting senders fail. May be called again.
  void close() noexcept {
    lock_.lock();
    closed_ = true;
    detail::Waiter* senders = senders_.take_to_serve();
    detail::Waiter* receivers = receivers_.take_to_serve();
    lock_.unlock();
    detail::wake_all(senders);
    detail::wake_all(receivers);
  }
  /// Whether close() was called; there may still be values to receive.
  [[nodiscard]] bool closed() const noexcept {
    Locked locked(lock_);
    return closed_;
  }
  /// Number of values that are in the channel at the moment.
  [[nodiscard]] std::size_t size() const noexcept {
    Locked locked(lock_);
    return values_.size();
  }
  /// Number of values that fit before a sender waits.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  template <class>
  friend struct detail::ChannelCases;
  // Invariants, whenever the lock is free (waiters of a select that was served elsewhere do not count: win the choice
  // first):
  // - Either values or receivers wait: receivers wait only while no value and no sender waits; senders wait only while
  //   values_ is full.
  // - Only open channels have waiters: close() wakes all.
  // A waiting sender's `item` points to its value, a waiting receiver's to its optional; both lie on stacks that stay
  // until they are woken. `given` tells the woken that the value has passed.
  enum class Outcome { passed, late, refused };
  static constexpr std::int64_t past = (std::numeric_limits<std::int64_t>::min)();

  struct Locked {
    explicit Locked(detail::SpinLock& lock) : mutex(lock) { mutex.lock(); }
    ~Locked() {
      if (held) mutex.unlock();
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    void unlock() noexcept {
      held = false;
      mutex.unlock();
    }
    detail::SpinLock& mutex;
    bool held = true;
  };

  /// Under the lock: calls `pass` with the item of the first in `list` that can be served, if any, which is to be woken
  /// after unlocking. If `pass` throws nobody is served; a select then begins again, since its other lists have removed
  /// it.
  template <class Pass>
  static detail::Waiter* serve(detail::WaitList& list, Pass pass) {
    detail::Waiter* waiter = list.first_to_serve();
    if (waiter == nullptr) return nullptr;
    try {
      pass(waiter->item);
    } catch (...) {
      if (waiter->choice != nullptr) {
        list.remove(*waiter);
        waiter->choice->chosen.store(detail::Choice::again, std::memory_order_release);
        waiter->wake();
      }
      throw;
    }
    list.remove(*waiter);
    waiter->given = true;
    return waiter;
  }
  /// Under the lock, and without waiting. \param served is to be woken after unlocking. \return Outcome::late if the
  /// operation has to wait.
  Outcome send_now(T& value, detail::Waiter*& served) {
    if (closed_) return Outcome::refused;
    served = serve(receivers_, [&](void* item) { static_cast<std::optional<T>*>(item)->emplace(std::move(value)); });
    if (served != nullptr) return Outcome::passed;
    if (values_.size() >= capacity_) return Outcome::late;
    values_.push_back(std::move(value));
    return Outcome::passed;
  }
  /// The same; refused: nothing can come any more.
  Outcome receive_now(std::optional<T>& value, detail::Waiter*& served) {
    if (!values_.empty()) {
      value.emplace(std::move(values_.front()));
      values_.pop_front();  // so there is room for one more
      served = serve(senders_, [&](void* item) { values_.push_back(std::move(*static_cast<T*>(item))); });
      return Outcome::passed;
    }
    served = serve(senders_, [&](void* item) { value.emplace(std::move(*static_cast<T*>(item))); });  // a capacity of 0
    if (served != nullptr) return Outcome::passed;
    return closed_ ? Outcome::refused : Outcome::late;
  }

  Outcome send_until(T& value, std::int64_t deadline, const std::stop_token* stop = nullptr) {
    Locked locked(lock_);
    detail::Waiter* served = nullptr;
    const Outcome outcome = send_now(value, served);
    if (outcome != Outcome::late || deadline == past) {
      locked.unlock();
      if (served != nullptr) served->wake();
      return outcome;
    }
    detail::Waiter self;
    self.item = static_cast<void*>(&value);
    return wait(locked, senders_, self, deadline, detail::Wait::channel_send, stop);
  }

  std::optional<T> receive_until(std::int64_t deadline, const std::stop_token* stop = nullptr) {
    std::optional<T> value;
    Locked locked(lock_);
    detail::Waiter* served = nullptr;
    if (receive_now(value, served) != Outcome::late || deadline == past) {
      locked.unlock();
      if (served != nullptr) served->wake();
      return value;
    }
    detail::Waiter self;
    self.item = &value;
    wait(locked, receivers_, self, deadline, detail::Wait::channel_receive, stop);
    return value;
  }

  Outcome wait(Locked& locked, detail::WaitList& list, detail::Waiter& self, std::int64_t deadline, detail::Wait kind,
               const std::stop_token* stop) {
    list.push_back(self);
    locked.unlock();
    if (!detail::wait_listed(lock_, list, self, deadline, {kind, this, nullptr, true, stop})) return Outcome::late;
    return self.given ? Outcome::passed : Outcome::refused;
  }

  mutable detail::SpinLock lock_;
  const std::size_t capacity_;
  bool closed_ = false;
  std::deque<T> values_;
  detail::WaitList senders_;
  detail::WaitList receivers_;
};

}  // namespace charm
