// Parallel sorting in place: quicksort whose parts are forked (detail/sort_leaf.hpp sorts the leaves). A part that is
// large enough for several workers is partitioned by them together: each splits a strip of its own, and then the
// elements on the wrong side of the common middle are swapped pairwise, also in parallel.
#pragma once

#include <charm/detail/for_blocks.hpp>
#include <charm/detail/sort_leaf.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

namespace charm {
namespace detail::sorting {

/// split() by `strips` workers at once.
template <class It, class Left>
It split_together(It first, It last, std::int64_t strips, Left&& left) {
  using Offset = typename std::iterator_traits<It>::difference_type;
  const std::int64_t count = last - first;
  struct Range {
    std::int64_t low, high;
  };
  std::vector<std::int64_t> middles(static_cast<std::size_t>(strips));
  auto begin_of = [&](std::int64_t s) { return share_begin(count, s, strips); };
  auto at = [&](std::int64_t i) { return first + static_cast<Offset>(i); };
  for_blocks(0, strips,
             [&](std::int64_t low, std::int64_t high) {
               for (std::int64_t s = low; s < high; ++s)
                 middles[static_cast<std::size_t>(s)] = split(at(begin_of(s)), at(begin_of(s + 1)), left) - first;
             },
             {.grain = 1});
  std::int64_t middle = 0;
  for (std::int64_t s = 0; s < strips; ++s) middle += middles[static_cast<std::size_t>(s)] - begin_of(s);

  // The elements on the wrong side, in order; both sides have the same number of them.
  std::vector<Range> in_front;
  std::vector<Range> behind;
  for (std::int64_t s = 0; s < strips; ++s) {
    const std::int64_t split_at = middles[static_cast<std::size_t>(s)];
    if (split_at < (std::min)(middle, begin_of(s + 1)))
      in_front.push_back({split_at, (std::min)(middle, begin_of(s + 1))});
    if ((std::max)(middle, begin_of(s)) < split_at) behind.push_back({(std::max)(middle, begin_of(s)), split_at});
  }
  struct Exchange {
    std::int64_t a, b, count;
  };
  constexpr std::int64_t piece = 1 << 14;
  std::vector<Exchange> exchanges;
  for (std::size_t f = 0, b = 0; f < in_front.size() && b < behind.size();) {
    const std::int64_t n = (std::min)({piece, in_front[f].high - in_front[f].low, behind[b].high - behind[b].low});
    exchanges.push_back({in_front[f].low, behind[b].low, n});
    if ((in_front[f].low += n) == in_front[f].high) ++f;
    if ((behind[b].low += n) == behind[b].high) ++b;
  }
  for_blocks(0, static_cast<std::int64_t>(exchanges.size()), [&](std::int64_t low, std::int64_t high) {
    for (std::int64_t i = low; i < high; ++i) {
      const Exchange& e = exchanges[static_cast<std::size_t>(i)];
      std::swap_ranges(at(e.a), at(e.a + e.count), at(e.b));
    }
  });
  return at(middle);
}

template <class It, class Less>
bool already_sorted(It first, It last, Less& less) {
  constexpr std::int64_t probe = 64;
  const std::int64_t count = last - first;
  using Offset = typename std::iterator_traits<It>::difference_type;
  if (!std::is_sorted(first, first + static_cast<Offset>((std::min)(count, probe)), less)) return false;
  std::atomic<bool> sorted{true};
  for_blocks(1, count, [&](std::int64_t low, std::int64_t high) {
    for (It it = first + static_cast<Offset>(low); low < high; ++low, ++it) {
      if (low % 1024 == 0 && !sorted.load(std::memory_order_relaxed)) return;
      if (less(*it, *(it - 1))) return sorted.store(false, std::memory_order_relaxed);
    }
  });
  return sorted.load(std::memory_order_relaxed);
}

/// \param width how many workers this part is worth, in 1024ths.
template <class It, class Less>
void sort_part(It first, It last, Less& less, int limit, bool bounded, std::int64_t width, FailScope& sort) noexcept {
  constexpr std::int64_t leaf = 2048;
  constexpr std::int64_t least_strip = 1 << 15;
  try {
    for (;;) {
      if (sort.cancelled()) return;
      const std::int64_t count = last - first;
      if (count <= leaf || limit-- == 0) return intro_sort(first, last, less, (std::max)(limit, 0), bounded);
      const std::int64_t strips = (std::min)((width + 512) / 1024, count / least_strip);
      auto split_range = [&](It f, It l, auto&& left) {
        return strips > 1 ? split_together(f, l, strips, left) : split(f, l, left);
      };
      choose_pivot(first, last, less);
      if (bounded && !less(*(first - 1), *first)) {
        first = partition_equal(first, last, less, split_range);
        continue;
      }
      It middle = partition(first, last, less, split_range);
      const std::int64_t left_width = width * ((middle - first) / 64 + 1) / (count / 64 + 1);
      invoke([&] { sort_part(first, middle, less, limit, bounded, left_width, sort); },
             [&] { sort_part(middle + 1, last, less, limit, true, width - left_width, sort); });
      return;
    }
  } catch (...) {
    sort.fail();
  }
}

template <class It, class Less>
void sort_in_task(It first, It last, Less& less) {
  const std::int64_t count = last - first;
  if (count <= smallest) return insertion_sort(first, last, less);
  FailScope sort(this_worker()->scope);
  {
    const WithScope within(&sort);
    try {
      if (!already_sorted(first, last, less)) {
        sort_part(first, last, less, level_limit(count), false, std::int64_t{1024} * num_workers(), sort);
      }
    } catch (...) {
      sort.fail();
    }
  }
  sort.finish();
}

}  // namespace detail::sorting

/// Sorts [first, last) by `less`, a strict weak ordering, in parallel; the sort is not stable. Makes O(n log n)
/// comparisons also in the worst case, and needs no memory besides the stack. Elements need only be movable and
/// swappable; their moves must not throw. May suspend the task, as parallel_for does. If `less` throws, or the group
/// that the caller belongs to is cancelled (Error, cancelled), the exception leaves sort() when all workers have
/// stopped, and the range contains a permutation of its elements. \throws Error (not_running) without a runtime.
template <std::random_access_iterator It, class Less = std::less<>>
void sort(It first, It last, Less less = {}) {
  if (detail::this_worker() != nullptr) return detail::sorting::sort_in_task(first, last, less);
  run([&] { detail::sorting::sort_in_task(first, last, less); });
}

}  // namespace charm
