// Sequential sorting for the leaves of charm::sort: quicksort with a heapsort behind it (Musser's introsort).
//
// Invariant: even if the comparison throws, the range contains a permutation of its elements, because elements move by
// swaps, and the one element that insertion keeps aside has a guard that puts it back. (std::sort promises less.)
//
// Small trivial elements are partitioned without branches on their values (Lomuto's scheme; Edelkamp and Weiß,
// "BlockQuicksort", 2016, show why that pays). Elements equal to the pivot go right. If the pivot of a range equals the
// element in front of the range, which is an earlier pivot and therefore a lower bound, the elements equal to it are
// split off and need no more sorting (Peters, "Pattern-defeating Quicksort", 2021). So ranges with few distinct values
// are fast.
#pragma once

#include <charm/detail/requirements.hpp>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace charm::detail::sorting {

template <class It>
using ValueOf = typename std::iterator_traits<It>::value_type;

template <class It>
constexpr bool is_small = std::is_trivially_copyable_v<ValueOf<It>> && sizeof(ValueOf<It>) <= 16;

template <class It>
struct Hole {
  ValueOf<It> value;
  It at;
  ~Hole() { *at = std::move(value); }
};

template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (first == last) return;
  for (It it = first + 1; it != last; ++it) {
    if (!less(*it, *(it - 1))) continue;
    Hole<It> hole{std::move(*it), it};
    do {
      *hole.at = std::move(*(hole.at - 1));
      --hole.at;
    } while (hole.at != first && less(std::as_const(hole.value), *(hole.at - 1)));
  }
}

template <class It, class Less>
void heap_sort(It first, It last, Less& less) {
  auto sift = [&](auto root, auto size) {
    for (;;) {
      auto child = 2 * root + 1;
      if (child >= size) return;
      if (child + 1 < size && less(first[child], first[child + 1])) ++child;
      if (!less(first[root], first[child])) return;
      std::iter_swap(first + root, first + child);
      root = child;
    }
  };
  const auto count = last - first;
  for (auto root = count / 2; root-- > 0;) sift(root, count);
  for (auto size = count; size-- > 1;) {
    std::iter_swap(first, first + size);
    sift(count - count, size);
  }
}

/// Brings the median of three to `b`.
template <class It, class Less>
void sort_three(It a, It b, It c, Less& less) {
  if (less(*b, *a)) std::iter_swap(a, b);
  if (less(*c, *b)) {
    std::iter_swap(b, c);
    if (less(*b, *a)) std::iter_swap(a, b);
  }
}

/// Brings a pivot to `first`; the range has more than `smallest` elements.
template <class It, class Less>
void choose_pivot(It first, It last, Less& less) {
  const auto count = last - first;
  It middle = first + count / 2;
  if (count > 100000) {  // a large range is worth a large sample: its halves are forked
    constexpr int sample = 63;
    const auto step = count / sample;
    for (int i = 0; i < sample; ++i) std::iter_swap(first + i, first + i * step);
    insertion_sort(first, first + sample, less);
    middle = first + sample / 2;
  } else if (count > 128) {
    sort_three(first, middle, last - 1, less);
    sort_three(first + 1, middle - 1, last - 2, less);
    sort_three(first + 2, middle + 1, last - 3, less);
    sort_three(middle - 1, middle, middle + 1, less);
  } else {
    sort_three(first, middle, last - 1, less);
  }
  std::iter_swap(first, middle);
}

/// Brings the elements that `left` accepts to the front. \return where the others begin.
template <class It, class Left>
It split(It first, It last, Left&& left) {
  if constexpr (is_small<It>) {
    It middle = first;
    for (It it = first; it != last; ++it) {
      const bool goes_left = left(*it);
      ValueOf<It> value = *it;
      *it = *middle;
      *middle = value;
      middle += goes_left;
    }
    return middle;
  } else {
    for (;;) {
      while (first != last && left(*first)) ++first;
      do {
        if (first == last) return first;
        --last;
      } while (!left(*last));
      if (first == last) return first;
      std::iter_swap(first, last);
      ++first;
    }
  }
}

/// A copy of the pivot where copies are cheap, so that the compiler knows that it does not change.
template <class It>
using Pivot = std::conditional_t<is_small<It>, const ValueOf<It>, const ValueOf<It>&>;

/// Partitions around the pivot at `first`. \return where the pivot stands now: before it what is less, after it the
/// rest.
template <class It, class Less, class Split>
It partition(It first, It last, Less& less, Split&& split_range) {
  Pivot<It> pivot = *first;
  It middle = split_range(first + 1, last, [&](const auto& x) { return static_cast<bool>(less(x, pivot)); }) - 1;
  if (middle != first) std::iter_swap(first, middle);
  return middle;
}

/// For a range without anything less than the pivot at `first`. \return the end of the elements that are equal to it.
template <class It, class Less, class Split>
It partition_equal(It first, It last, Less& less, Split&& split_range) {
  Pivot<It> pivot = *first;
  return split_range(first + 1, last, [&](const auto& x) { return !less(pivot, x); });
}

constexpr int smallest = 24;

/// \param bounded whether first[-1] is an earlier pivot.
/// \param limit how many more bad levels to try before heapsort.
template <class It, class Less>
void intro_sort(It first, It last, Less& less, int limit, bool bounded) {
  auto plain = [](It f, It l, auto&& left) { return split(f, l, left); };
  while (last - first > smallest) {
    if (limit-- == 0) return heap_sort(first, last, less);
    choose_pivot(first, last, less);
    if (bounded && !less(*(first - 1), *first)) {
      first = partition_equal(first, last, less, plain);
      continue;
    }
    It middle = partition(first, last, less, plain);
    if (middle - first < last - middle) {  // the shorter side by recursion: the stack stays shallow
      intro_sort(first, middle, less, limit, bounded);
      first = middle + 1;
      bounded = true;
    } else {
      intro_sort(middle + 1, last, less, limit, true);
      last = middle;
    }
  }
  insertion_sort(first, last, less);
}

template <class Count>
int level_limit(Count count) {
  int levels = 2;
  for (; count > 1; count /= 2) levels += 2;
  return levels;
}

}  // namespace charm::detail::sorting
