// Waits for the first of several channels that has a value, or can take one.
//
// As in Go's select (and the alternatives of Hoare's CSP before it): all channels are locked, in the order of their
// addresses, and checked. If none is ready, the task waits in each of them, and the first partner that comes to any of
// them is served (win the choice first, charm/detail/wait_list.hpp). So two selects can meet at one channel, too.
#pragma once

#include <charm/channel.hpp>
#include <charm/detail/ticks.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {
namespace detail {

/// One operation on one channel, for which a task may wait beside others.
class ChannelCase {
 public:
  ChannelCase(SpinLock& lock, WaitList& waiters) noexcept : listed{lock, waiters, waiter} {}
  ChannelCase(const ChannelCase&) = delete;
  ChannelCase& operator=(const ChannelCase&) = delete;
  /// Tries the operation under the channel's lock. \return whether it is done. \param served the waiter to wake after
  /// unlocking.
  virtual bool try_now(Waiter*& served) = 0;

  Waiter waiter;
  Listed listed;

 protected:
  ~ChannelCase() = default;
};

/// Does one of the cases, or waits for it. \param first the case to try first. \param by_lock memory for as many
/// pointers.
/// \return its number, `timed_out` or `stopped`; a deadline that lies before all times asks without waiting.
int select_among(std::span<ChannelCase* const> cases, std::span<ChannelCase*> by_lock, std::size_t first,
                 std::int64_t deadline, const std::stop_token* stop = nullptr);
/// Results besides the numbers of cases; Choice uses these values for nothing else.
inline constexpr int timed_out = -3;
inline constexpr int stopped = -4;

/// A random case to begin with.
inline std::size_t any_case(std::size_t count) noexcept {
  return count < 2 ? 0 : (ticks() * 0x9e3779b97f4a7c15U >> 32U) % count;
}

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

/// The function to call if no channel is ready, at once or when the time is over.
template <class F>
struct TimeCase {
  std::int64_t deadline;
  F function;
  void finish() { std::invoke(function); }
};
inline constexpr std::int64_t before_all_times = (std::numeric_limits<std::int64_t>::min)();

/// The function to call when stop is requested.
template <class F>
struct StopCase {
  const std::stop_token& stop;
  F function;
  void finish() { std::invoke(function); }
};

template <class Case>
inline constexpr bool is_time_case = false;
template <class F>
inline constexpr bool is_time_case<TimeCase<F>> = true;
template <class Case>
inline constexpr bool is_stop_case = false;
template <class F>
inline constexpr bool is_stop_case<StopCase<F>> = true;

struct Ignore {
  void operator()(bool /*sent*/) const noexcept {}
};

}  // namespace detail

/// A case of select(): receives a value and calls `function(std::optional<T>)` with it; with nothing if the channel is
/// closed and empty. A closed channel is always ready, so leave it out once it is empty.
template <class T, class F>
  requires std::invocable<F&, std::optional<T>>
auto recv_from(channel<T>& from, F&& function) {
  return typename detail::ChannelCases<T>::template Receive<F>(from, std::forward<F>(function));
}

/// A case of select(): sends `value`, which is moved from only if this case is chosen and the channel is open, and
/// calls `function(bool)` with whether it was sent. A closed channel is always ready, and then `false` is passed.
template <class T, class F = detail::Ignore>
  requires std::invocable<F&, bool>
auto send_to(channel<T>& to, std::type_identity_t<T>& value, F&& function = {}) {
  return typename detail::ChannelCases<T>::template Send<F>(to, value, std::forward<F>(function));
}
/// The same for a temporary value, which lives until select() returns.
template <class T, class F = detail::Ignore>
  requires std::invocable<F&, bool>
auto send_to(channel<T>& to, std::type_identity_t<T>&& value, F&& function = {}) {
  return send_to(to, value, std::forward<F>(function));
}

/// A case of select(): calls `function()` at once if no channel is ready.
template <std::invocable F>
auto otherwise(F&& function) {
  return detail::TimeCase<F>{detail::before_all_times, std::forward<F>(function)};
}

/// A case of select(): calls `function()` if no channel becomes ready in that time.
template <class Rep, class Period, std::invocable F>
auto after(const std::chrono::duration<Rep, Period>& duration, F&& function) {
  return detail::TimeCase<F>{detail::deadline_after(duration), std::forward<F>(function)};
}

/// A case of select(): calls `function()` when stop is requested and no channel is ready. Do not combine it with
/// otherwise(), which does not wait.
template <std::invocable F>
auto stopped_by(const std::stop_token& stop, F&& function) {
  return detail::StopCase<F>{stop, std::forward<F>(function)};
}

/// Does exactly one of several operations on channels, the first that is possible, and then calls its function, with
/// no lock held. If several are possible one of them is chosen, each with about the same probability. The task waits
/// meanwhile as in channel::recv(); a thread that is not a worker sleeps. Channels may occur more than once.
///
///     charm::select(charm::recv_from(jobs, [&](std::optional<Job> job) { ... }),
///                   charm::send_to(results, result, [&](bool sent) { ... }),
///                   charm::after(10ms, [&] { ... }));      // or charm::otherwise([&] { ... })
///
/// \param cases the results of recv_from, send_to, at most one otherwise or after and at most one stopped_by, made in
/// the call itself.
/// \return the index of the case that was done. \throws what its function throws, and what moving a value throws;
/// Error (cancelled) if the task group or loop that the task belongs to is cancelled meanwhile.
template <class... Case>
  requires(sizeof...(Case) > 0)
std::size_t select(Case&&... cases) {
  constexpr std::size_t timed = (std::size_t{detail::is_time_case<std::remove_cvref_t<Case>>} + ...);
  constexpr std::size_t stops = (std::size_t{detail::is_stop_case<std::remove_cvref_t<Case>>} + ...);
  constexpr std::size_t count = sizeof...(Case) - timed - stops;
  static_assert(timed <= 1, "select() takes one otherwise() or after(), not more");
  static_assert(stops <= 1, "select() takes one stopped_by(), not more");
  std::array<detail::ChannelCase*, count> channels;
  std::array<detail::ChannelCase*, count> by_lock;
  std::int64_t deadline = detail::Completion::never;
  const std::stop_token* stop = nullptr;
  std::size_t filled = 0;
  (
      [&] {
        if constexpr (detail::is_time_case<std::remove_cvref_t<Case>>)
          deadline = cases.deadline;
        else if constexpr (detail::is_stop_case<std::remove_cvref_t<Case>>)
          stop = &cases.stop;
        else
          channels[filled++] = &cases;
      }(),
      ...);
  const int chosen = detail::select_among(channels, by_lock, detail::any_case(count), deadline, stop);
  std::size_t result = 0;
  std::size_t index = 0;
  int number = 0;
  (
      [&] {
        const std::size_t here = index++;
        using Kind = std::remove_cvref_t<Case>;
        const bool mine = detail::is_time_case<Kind>   ? chosen == detail::timed_out
                          : detail::is_stop_case<Kind> ? chosen == detail::stopped
                                                       : number++ == chosen;
        if (!mine) return;
        result = here;
        cases.finish();
      }(),
      ...);
  return result;
}

/// The result of recv_any().
template <class T>
struct received {
  std::size_t index;       ///< index of the channel
  std::optional<T> value;  ///< the value; nothing if the channel is closed and empty: leave it out from then on
};

namespace detail {

template <class T>
std::optional<received<T>> receive_any(std::span<channel<T>* const> channels, std::int64_t deadline,
                                       const std::stop_token* stop = nullptr) {
  if (channels.empty())
    throw Error(Errc::bad_input, "recv_any() on no channel at all", "ask empty() before you wait, it would never end");
  std::optional<T> value;
  const auto keep = [&value](std::optional<T> came) { value = std::move(came); };
  std::deque<typename ChannelCases<T>::template Receive<const decltype(keep)&>> receives;  // they stay where they are
  std::vector<ChannelCase*> cases;
  for (channel<T>* each : channels) cases.push_back(&receives.emplace_back(*each, keep));
  std::vector<ChannelCase*> by_lock(cases.size());
  const int chosen = select_among(cases, by_lock, any_case(cases.size()), deadline, stop);
  if (chosen < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(chosen);
  receives[index].finish();
  return received<T>{index, std::move(value)};
}

}  // namespace detail

/// Receives from the first of any number of channels that has a value or is closed: like select(), for a number that is
/// only known at run time. It allocates memory in proportion to the number.
/// \throws Error (bad_input) if there is no channel, and what moving a value throws.
template <class T>
received<T> recv_any(std::span<channel<T>* const> channels) {
  return *detail::receive_any(channels, detail::Completion::never);
}
/// The same, but the wait ends when stop is requested. \return nothing in that case.
template <class T>
std::optional<received<T>> recv_any(std::span<channel<T>* const> channels, const std::stop_token& stop) {
  return detail::receive_any(channels, detail::Completion::never, &stop);
}
/// The same, but waits no longer than `duration`. \return nothing if no channel was ready in time.
template <class T, class Rep, class Period>
std::optional<received<T>> recv_any_for(const std::chrono::duration<Rep, Period>& duration,
                                        std::span<channel<T>* const> channels) {
  return detail::receive_any(channels, detail::deadline_after(duration));
}

}  // namespace charm
