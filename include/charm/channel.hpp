// A queue between tasks: any number of senders and receivers, bounded or not, that can be closed.
#pragma once

#include <charm/detail/cancel_scope.hpp>
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

/// Values arrive in the order in which they were sent, and waiting tasks are served in the order of their arrival. A
/// wait suspends only the task; threads that are not workers sleep. All waits throw Error (cancelled) where the task
/// group or loop that the task belongs to is cancelled meanwhile; then nothing was sent or received.
///
/// With a capacity of 0 a sender waits until a receiver takes its value (rendezvous). After close() nothing can be
/// sent; what was sent before can still be received, and then receivers get nothing.
template <class T>
class channel {
 public:
  /// The capacity of a channel whose senders never wait.
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// \param capacity values that fit before a sender has to wait.
  explicit channel(std::size_t capacity = unbounded) : capacity_(capacity) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  // No task may wait here any more.
  ~channel() = default;

  /// Waits while the channel is full. \return false if it is closed; then `value` is lost.
  bool send(T value) { return send_until(value, detail::Completion::never) == Outcome::passed; }
  /// Waits until stop is requested at most. \return false if it stayed full until then or is closed; then `value` is as
  /// it was.
  bool send(T& value, const std::stop_token& stop) {
    return send_until(value, detail::Completion::never, &stop) == Outcome::passed;
  }
  /// Without waiting. \return false if it is full or closed; then `value` is as it was.
  bool try_send(T& value) { return send_until(value, past) == Outcome::passed; }
  /// The same; the value is moved from only if it was sent.
  bool try_send(T&& value) { return try_send(value); }
  /// \return false if it stayed full for the whole time or is closed; then `value` is as it was.
  template <class Rep, class Period>
  bool try_send_for(T& value, const std::chrono::duration<Rep, Period>& duration) {
    return send_until(value, detail::deadline_after(duration)) == Outcome::passed;
  }

  /// Waits for a value. \return nothing once the channel is closed and empty.
  std::optional<T> recv() { return receive_until(detail::Completion::never); }
  /// Waits until stop is requested at most. \return nothing if no value came before, or none can come (see closed()).
  std::optional<T> recv(const std::stop_token& stop) { return receive_until(detail::Completion::never, &stop); }
  /// Without waiting. \return nothing if there is no value.
  std::optional<T> try_recv() { return receive_until(past); }
  /// \return nothing if no value came in time, or none can come (see closed()).
  template <class Rep, class Period>
  std::optional<T> try_recv_for(const std::chrono::duration<Rep, Period>& duration) {
    return receive_until(detail::deadline_after(duration));
  }
  /// Like try_recv_for, until a point in time.
  template <class Clock, class Duration>
  std::optional<T> try_recv_until(const std::chrono::time_point<Clock, Duration>& time) {
    return receive_until(detail::deadline_at(time));
  }

  /// Wakes all that wait; waiting senders fail. May be called again.
  void close() noexcept {
    lock_.lock();
    closed_ = true;
    detail::Waiter* senders = senders_.take();
    detail::Waiter* receivers = receivers_.take();
    lock_.unlock();
    detail::wake_all(senders);
    detail::wake_all(receivers);
  }
  /// Whether close() was called; values may still be in it.
  [[nodiscard]] bool closed() const noexcept {
    Locked locked(lock_);
    return closed_;
  }
  /// Number of values in it at the moment.
  [[nodiscard]] std::size_t size() const noexcept {
    Locked locked(lock_);
    return values_.size();
  }
  /// How many values fit before a sender waits.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  // Invariants, whenever the lock is free:
  //  C1  receivers wait only while no value and no sender waits; senders wait only while values_ is full.
  //  C2  only an open channel has waiting tasks.
  // A waiting sender's `item` points to its value, a waiting receiver's to its optional; both lie on stacks that stay
  // until they are woken. `given` tells the woken that the value has passed.
  enum class Outcome { passed, late, refused };
  static constexpr std::int64_t past = std::numeric_limits<std::int64_t>::min();

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

  Outcome send_until(T& value, std::int64_t deadline, const std::stop_token* stop = nullptr) {
    Locked locked(lock_);
    if (closed_) return Outcome::refused;
    if (detail::Waiter* receiver = receivers_.first()) {
      static_cast<std::optional<T>*>(receiver->item)->emplace(std::move(value));
      receivers_.remove(*receiver);
      receiver->given = true;
      locked.unlock();
      receiver->event.complete();
      return Outcome::passed;
    }
    if (values_.size() < capacity_) {
      values_.push_back(std::move(value));
      return Outcome::passed;
    }
    if (deadline == past) return Outcome::late;
    detail::Waiter self;
    self.item = &value;
    return wait(locked, senders_, self, deadline, detail::Wait::channel_send, stop);
  }

  std::optional<T> receive_until(std::int64_t deadline, const std::stop_token* stop = nullptr) {
    std::optional<T> value;
    Locked locked(lock_);
    if (!values_.empty()) {
      value.emplace(std::move(values_.front()));
      values_.pop_front();
      if (detail::Waiter* sender = senders_.first()) {  // there is room for one more
        values_.push_back(std::move(*static_cast<T*>(sender->item)));
        release(locked, *sender);
      }
      return value;
    }
    if (detail::Waiter* sender = senders_.first()) {  // a capacity of 0
      value.emplace(std::move(*static_cast<T*>(sender->item)));
      release(locked, *sender);
      return value;
    }
    if (closed_ || deadline == past) return value;
    detail::Waiter self;
    self.item = &value;
    wait(locked, receivers_, self, deadline, detail::Wait::channel_receive, stop);
    return value;
  }

  void release(Locked& locked, detail::Waiter& sender) {
    senders_.remove(sender);
    sender.given = true;
    locked.unlock();
    sender.event.complete();
  }

  Outcome wait(Locked& locked, detail::WaitList& list, detail::Waiter& self, std::int64_t deadline, detail::Wait kind,
               const std::stop_token* stop) {
    list.push_back(self);
    locked.unlock();
    const detail::Listed listed{lock_, list, self};
    if (!self.event.wait_until(deadline, {kind, this, &listed, true, stop})) {
      lock_.lock();
      bool mine = self.listed;
      if (mine) list.remove(self);
      lock_.unlock();
      if (mine) {
        detail::check_ended_wait();
        return Outcome::late;
      }
      self.event.wait({kind, this, &listed});  // somebody has taken us out and is about to wake us
    }
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
