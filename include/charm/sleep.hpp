// Sleeping: the task is suspended, and its worker runs other tasks.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <stop_token>

namespace charm {
namespace detail {
bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);
}

/// Suspends the task for at least `duration`; outside of tasks the thread sleeps. The task resumes in time if a worker
/// is idle; if all workers are in long functions, when one of these functions ends. \throws Error (cancelled) if the
/// task group or loop that the task belongs to is cancelled meanwhile.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::sleep_until_ns(detail::deadline_after(duration));
}
/// The same, but the sleep ends when stop is requested. \return whether the whole time has passed.
template <class Rep, class Period>
bool sleep_for(const std::chrono::duration<Rep, Period>& duration, const std::stop_token& stop) {
  return detail::sleep_until_ns(detail::deadline_after(duration), &stop);
}
/// Like sleep_for, until a point in time.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  detail::sleep_until_ns(detail::deadline_at(time));
}

}  // namespace charm
