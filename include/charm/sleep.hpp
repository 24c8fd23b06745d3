// Sleeping: the task is suspended, and its worker runs others.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>

namespace charm {
namespace detail {
void sleep_until_ns(std::int64_t deadline);
}

/// Suspends the task for at least this long; outside of tasks the thread sleeps. An idle worker
/// sleeps no longer than the next time limit; where all of them are in long functions, a task wakes when one of them
/// ends.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::sleep_until_ns(detail::deadline_after(duration));
}
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  detail::sleep_until_ns(detail::deadline_at(time));
}

}  // namespace charm
