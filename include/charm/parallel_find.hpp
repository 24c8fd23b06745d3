// Searches: the first element for which a predicate holds, and whether it holds for any, for all or for none.
#pragma once

#include <charm/containers.hpp>
#include <charm/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace charm {
namespace detail {

/// In a task: the lowest index in [0, count) that `search` finds; count if there is none. Looks at parts of the range,
/// each four times as long as the one before: so all workers search near the front first, and what an early find makes
/// useless is bounded.
/// \param search `search(low, high)` returns the lowest index in [low, high), or `high`.
template <class Search>
std::int64_t find_by_parts(std::int64_t count, const Search& search, LoopOptions options) {
  std::int64_t part = std::int64_t{64} * num_workers();
  for (std::int64_t begin = 0; begin < count; part *= 4) {
    const std::int64_t end = count - begin > part ? begin + part : count;
    std::atomic<std::int64_t> found{end};
    parallel_for(
        begin, end,
        [&](std::int64_t low, std::int64_t high) {
          std::int64_t lowest = found.load(std::memory_order_relaxed);
          if (lowest <= low) return;
          const std::int64_t here = search(low, high);
          if (here == high) return;
          while (here < lowest && !found.compare_exchange_weak(lowest, here, std::memory_order_relaxed)) {
          }
        },
        options);
    if (const std::int64_t here = found.load(std::memory_order_relaxed); here < end) return here;
    begin = end;
  }
  return count;
}

}  // namespace detail

/// The first element for which `predicate(element)` holds; `last` if there is none. Elements are looked at in parallel,
/// those near the front first, and some behind the result, too: so the predicate must do for them what it does for
/// others. Options and exceptions as in parallel_for.
template <std::random_access_iterator It, class Predicate>
[[nodiscard]] It parallel_find_if(It first, It last, Predicate&& predicate, LoopOptions options = {}) {
  using Offset = std::iter_difference_t<It>;
  const auto search = [&](std::int64_t low, std::int64_t high) {
    const auto holds = [&](std::int64_t i) -> bool { return std::invoke(predicate, first[static_cast<Offset>(i)]); };
    for (; high - low >= 4; low += 4) {  // as std::find does: nearly twice as fast for small elements
      if (holds(low)) return low;
      if (holds(low + 1)) return low + 1;
      if (holds(low + 2)) return low + 2;
      if (holds(low + 3)) return low + 3;
    }
    while (low < high && !holds(low)) ++low;
    return low;
  };
  const auto in_task = [&] {
    return first + static_cast<Offset>(detail::find_by_parts(static_cast<std::int64_t>(last - first), search, options));
  };
  return detail::this_worker() != nullptr ? in_task() : run(in_task);
}
/// The same for a container or view. \return an iterator; the end of `range` if there is no such element.
template <detail::Indexable R, class Predicate>
[[nodiscard]] auto parallel_find_if(R& range, Predicate&& predicate, LoopOptions options = {}) {
  return parallel_find_if(std::begin(range), detail::end_of(range), predicate, options);
}

/// The first element that equals `value`; `last` if there is none. As parallel_find_if.
template <std::random_access_iterator It, class T>
[[nodiscard]] It parallel_find(It first, It last, const T& value, LoopOptions options = {}) {
  return parallel_find_if(first, last, [&](const auto& element) { return element == value; }, options);
}
/// The same for a container or view. \return an iterator; the end of `range` if there is no such element.
template <detail::Indexable R, class T>
[[nodiscard]] auto parallel_find(R& range, const T& value, LoopOptions options = {}) {
  return parallel_find(std::begin(range), detail::end_of(range), value, options);
}

/// Whether `predicate(element)` holds for at least one element; false if there are none. As parallel_find_if.
template <std::random_access_iterator It, class Predicate>
[[nodiscard]] bool any_of(It first, It last, Predicate&& predicate, LoopOptions options = {}) {
  return charm::parallel_find_if(first, last, predicate, options) != last;
}
/// The same for a container or view.
template <detail::Indexable R, class Predicate>
[[nodiscard]] bool any_of(R&& range, Predicate&& predicate, LoopOptions options = {}) {
  return charm::any_of(std::begin(range), detail::end_of(range), predicate, options);
}

/// Whether `predicate(element)` holds for every element; true if there are none. As parallel_find_if.
template <std::random_access_iterator It, class Predicate>
[[nodiscard]] bool all_of(It first, It last, Predicate&& predicate, LoopOptions options = {}) {
  return !charm::any_of(first, last, std::not_fn(std::ref(predicate)), options);
}
/// The same for a container or view.
template <detail::Indexable R, class Predicate>
[[nodiscard]] bool all_of(R&& range, Predicate&& predicate, LoopOptions options = {}) {
  return charm::all_of(std::begin(range), detail::end_of(range), predicate, options);
}

/// Whether `predicate(element)` holds for no element; true if there are none. As parallel_find_if.
template <std::random_access_iterator It, class Predicate>
[[nodiscard]] bool none_of(It first, It last, Predicate&& predicate, LoopOptions options = {}) {
  return !charm::any_of(first, last, predicate, options);
}
/// The same for a container or view.
template <detail::Indexable R, class Predicate>
[[nodiscard]] bool none_of(R&& range, Predicate&& predicate, LoopOptions options = {}) {
  return !charm::any_of(range, predicate, options);
}

}  // namespace charm
