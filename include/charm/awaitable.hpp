// Times and channels for coroutines: `co_await charm::after(10ms)`, `co_await charm::recv(channel)`.
//
// A coroutine of a task may also call sleep_for() and channel::recv(), which suspend all that runs on its fiber. These
// suspend the coroutine alone: whoever awaits it with when_all() or when_any() goes on with the others. They keep a
// fiber while they wait. Cancelling a group does not end them; closing the channel does.
#pragma once

#include <charm/channel.hpp>
#include <charm/coroutine.hpp>
#include <charm/detail/wait_awaiter.hpp>
#include <charm/sleep.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace charm {

/// `co_await charm::after(duration)`: the coroutine continues as a task after at least that time. \throws Error
/// (not_running).
template <class Rep, class Period>
[[nodiscard]] auto after(const std::chrono::duration<Rep, Period>& duration) {
  const std::int64_t deadline = detail::deadline_after(duration);
  return detail::WaitAwaiter([deadline] { detail::sleep_until_ns(deadline); });
}

/// `co_await charm::recv(channel)`: as channel::recv(); nothing once the channel is closed and empty. \throws Error
/// (not_running).
template <class T>
[[nodiscard]] auto recv(channel<T>& from) {
  return detail::WaitAwaiter([&from] { return from.recv(); });
}

/// `co_await charm::send(channel, value)`: as channel::send(). \return false if the channel is closed; then `value` is
/// lost. \throws Error (not_running).
template <class T>
[[nodiscard]] auto send(channel<T>& to, T value) {
  return detail::WaitAwaiter([&to, kept = std::move(value)]() mutable { return to.send(std::move(kept)); });
}

}  // namespace charm
