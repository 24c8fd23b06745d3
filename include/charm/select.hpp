// Waits for the first of several channels that has a value, or takes one.
//
// As in Go's select (and the alternatives of Hoare's CSP before it): all channels are locked, in the order of their
// addresses, and asked. Where none is ready, the task waits in each of them, and the first partner that comes to any of
// them wins the choice (W4 of charm/detail/wait_list.hpp). So two selects can meet at one channel, too.
#pragma once

#include <charm/channel.hpp>
#include <charm/detail/ticks.hpp>
#include <charm/detail/wait_list.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// One operation on one channel, which may be waited for beside others.
class ChannelCase {
 public:
  ChannelCase(SpinLock& lock, WaitList& waiters) noexcept : listed{lock, waiters, waiter} {}
  ChannelCase(const ChannelCase&) = delete;
  ChannelCase& operator=(const ChannelCase&) = delete;
  /// Under the lock. \return whether the operation is over. \param served is to be woken after unlocking.
  virtual bool try_now(Waiter*& served) = 0;

  Waiter waiter;
  Listed listed;

 protected:
  ~ChannelCase() = default;
};

/// Does one of the cases, or waits for it. \param first is asked first. \param by_lock is room for as many pointers.
/// \return its number, or -1 where the time was over; a deadline that lies before all times asks without waiting.
int select_among(std::span<ChannelCase* const> cases, std::span<ChannelCase*> by_lock, std::size_t first,
                 std::int64_t deadline);

template <class T>
struct ChannelCases {
  using Outcome = typename channel<T>::Outcome;

  template <class F>
  class Receive final : public ChannelCase {
   public:
    Receive(channel<T>& from, F&& function)
        : ChannelCase(from.lock_, from.receivers_), from_(from), function_(std::forward<F>(function)) {
      waiter.item = &value_;
    }
    bool try_now(Waiter*& served) override { return from_.receive_now(value_, served) != Outcome::late; }
    void finish() { std::invoke(function_, std::move(value_)); }

   private:
    channel<T>& from_;
    std::optional<T> value_;
    F function_;
  };

  template <class F>
  class Send final : public ChannelCase {
   public:
    Send(channel<T>& to, T& value, F&& function)
        : ChannelCase(to.lock_, to.senders_), to_(to), value_(value), function_(std::forward<F>(function)) {
      waiter.item = &value_;
    }
    bool try_now(Waiter*& served) override {
      const Outcome outcome = to_.send_now(value_, served);
      sent_ = outcome == Outcome::passed;
      return outcome != Outcome::late;
    }
    void finish() { std::invoke(function_, sent_ || waiter.given); }

   private:
    channel<T>& to_;
    T& value_;
    bool sent_ = false;
    F function_;
  };
};

/// What is done where no channel is ready: at once, or when the time is over.
template <class F>
struct TimeCase {
  std::int64_t deadline;
  F function;
  void finish() { std::invoke(function); }
};
inline constexpr std::int64_t before_all_times = std::numeric_limits<std::int64_t>::min();

template <class Case>
inline constexpr bool is_time_case = false;
template <class F>
inline constexpr bool is_time_case<TimeCase<F>> = true;

struct Ignore {
  void operator()(bool /*sent*/) const noexcept {}
};

}  // namespace detail

/// A case of select(): `function(std::optional<T>)` gets the value that was received, or nothing where the channel is
/// closed and empty. Such a case is always ready: leave out channels that have ended.
template <class T, class F>
  requires std::invocable<F&, std::optional<T>>
auto recv_from(channel<T>& from, F&& function) {
  return typename detail::ChannelCases<T>::template Receive<F>(from, std::forward<F>(function));
}

/// A case of select(): sends `value`, which is moved from only if this case is chosen and the channel is open;
/// `function(bool)` is told whether it was sent. A channel that is closed is always ready to refuse.
template <class T, class F = detail::Ignore>
  requires std::invocable<F&, bool>
auto send_to(channel<T>& to, std::type_identity_t<T>& value, F&& function = {}) {
  return typename detail::ChannelCases<T>::template Send<F>(to, value, std::forward<F>(function));
}
/// The same with a value that goes with the call of select().
template <class T, class F = detail::Ignore>
  requires std::invocable<F&, bool>
auto send_to(channel<T>& to, std::type_identity_t<T>&& value, F&& function = {}) {
  return send_to(to, value, std::forward<F>(function));
}

/// A case of select(): `function()` is called at once where no channel is ready.
template <std::invocable F>
auto otherwise(F&& function) {
  return detail::TimeCase<F>{detail::before_all_times, std::forward<F>(function)};
}

/// A case of select(): `function()` is called where no channel became ready in that time.
template <class Rep, class Period, std::invocable F>
auto after(const std::chrono::duration<Rep, Period>& duration, F&& function) {
  return detail::TimeCase<F>{detail::deadline_after(duration), std::forward<F>(function)};
}

/// Does exactly one of several operations on channels, the first that is possible, and then calls its function, with
/// no lock held. If several are possible one of them is taken, each with about the same chance. The task waits
/// meanwhile as in channel::recv(); a thread that is no worker sleeps. Channels may occur more than once.
///
///     charm::select(charm::recv_from(jobs, [&](std::optional<Job> job) { ... }),
///                   charm::send_to(results, result, [&](bool sent) { ... }),
///                   charm::after(10ms, [&] { ... }));      // or charm::otherwise([&] { ... })
///
/// \param cases made by recv_from, send_to and at most one otherwise or after, in the call itself.
/// \return the index of the case that was done. \throws what its function throws, and what moving a value throws.
template <class... Case>
  requires(sizeof...(Case) > 0)
std::size_t select(Case&&... cases) {
  constexpr std::size_t timed = (std::size_t{detail::is_time_case<std::remove_cvref_t<Case>>} + ...);
  constexpr std::size_t count = sizeof...(Case) - timed;
  static_assert(timed <= 1, "select() takes one otherwise() or after(), not more");
  std::array<detail::ChannelCase*, count> channels;
  std::array<detail::ChannelCase*, count> by_lock;
  std::int64_t deadline = detail::Completion::never;
  std::size_t filled = 0;
  (
      [&] {
        if constexpr (detail::is_time_case<std::remove_cvref_t<Case>>)
          deadline = cases.deadline;
        else
          channels[filled++] = &cases;
      }(),
      ...);
  const std::size_t first = count < 2 ? 0 : (detail::ticks() * 0x9e3779b97f4a7c15U >> 32U) % (count + (count == 0));
  const int chosen = detail::select_among(channels, by_lock, first, deadline);
  std::size_t result = 0;
  std::size_t index = 0;
  int number = 0;
  (
      [&] {
        const std::size_t here = index++;
        const bool mine = detail::is_time_case<std::remove_cvref_t<Case>> ? chosen < 0 : number++ == chosen;
        if (!mine) return;
        result = here;
        cases.finish();
      }(),
      ...);
  return result;
}

}  // namespace charm
