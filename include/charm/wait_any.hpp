// Waits for the first of several futures.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/future.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace charm {
namespace detail {

struct AnyDone;

/// Notifies an AnyDone that one of the events is done.
struct AnyWatcher : Watcher {
  AnyDone* notified = nullptr;
};

/// Waits for one of the events. \param watchers one for each. \return the number of an event that is done; -1 if the
/// time was over or stop was requested.
int wait_any_of(std::span<Completion* const> events, std::span<AnyWatcher> watchers, std::int64_t deadline,
                const std::stop_token* stop);

template <class T>
Completion* event_of(future<T>& f) {
  return &FutureAccess::shared(f).done;
}

template <class... T>
int wait_any_until(std::int64_t deadline, const std::stop_token* stop, future<T>&... futures) {
  const std::array<Completion*, sizeof...(T)> events{event_of(futures)...};
  std::array<AnyWatcher, sizeof...(T)> watchers;
  return wait_any_of(events, watchers, deadline, stop);
}

template <class T>
int wait_any_until(std::int64_t deadline, const std::stop_token* stop, std::span<future<T>> futures) {
  std::vector<Completion*> events;
  for (future<T>& f : futures) events.push_back(event_of(f));
  std::vector<AnyWatcher> watchers(events.size());
  return wait_any_of(events, watchers, deadline, stop);
}

inline std::optional<std::size_t> number_of(int which) {
  return which < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(which));
}

}  // namespace detail

/// Waits until one of the futures is ready, so that its get() returns at once. The others stay as they are, so a loop
/// can take the results in the order in which they come. Meanwhile no other task may wait for one of these futures.
/// \return the position of a ready future; if several are ready, of the first of them. \throws Error (bad_input) if one
/// has no task.
template <class... T>
  requires(sizeof...(T) > 0)
std::size_t wait_any(future<T>&... futures) {
  return static_cast<std::size_t>(detail::wait_any_until(detail::Completion::never, nullptr, futures...));
}
/// The same for any number of futures of one type. \throws Error (bad_input) also if there is none.
template <class T>
std::size_t wait_any(std::span<future<T>> futures) {
  if (futures.empty())
    throw Error(Errc::bad_input, "wait_any() on no future at all", "ask empty() before you wait, it would never end");
  return static_cast<std::size_t>(detail::wait_any_until(detail::Completion::never, nullptr, futures));
}
/// The same for a vector.
template <class T>
std::size_t wait_any(std::vector<future<T>>& futures) {
  return wait_any(std::span<future<T>>(futures));
}

/// As wait_any(), but the wait ends when stop is requested. \return nothing if none was ready by then.
template <class... T>
  requires(sizeof...(T) > 0)
std::optional<std::size_t> wait_any(const std::stop_token& stop, future<T>&... futures) {
  return detail::number_of(detail::wait_any_until(detail::Completion::never, &stop, futures...));
}
/// The same for any number of futures of one type, with a stop token.
template <class T>
std::optional<std::size_t> wait_any(const std::stop_token& stop, std::span<future<T>> futures) {
  return detail::number_of(detail::wait_any_until(detail::Completion::never, &stop, futures));
}

/// As wait_any(), but waits no longer than `duration`. \return nothing if none was ready in time.
template <class Rep, class Period, class... T>
  requires(sizeof...(T) > 0)
std::optional<std::size_t> wait_any_for(const std::chrono::duration<Rep, Period>& duration, future<T>&... futures) {
  return detail::number_of(detail::wait_any_until(detail::deadline_after(duration), nullptr, futures...));
}
/// The same for any number of futures of one type.
template <class Rep, class Period, class T>
std::optional<std::size_t> wait_any_for(const std::chrono::duration<Rep, Period>& duration,
                                        std::span<future<T>> futures) {
  return detail::number_of(detail::wait_any_until(detail::deadline_after(duration), nullptr, futures));
}

}  // namespace charm
