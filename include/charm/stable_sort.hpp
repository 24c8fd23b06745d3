// Parallel stable sorting: merge sort whose halves are forked, with a second copy of the range to merge into. Two
// sorted parts are merged by several workers, too: the middle of the longer one is looked up in the other, which gives
// two merges that do not touch (Cormen et al., "Introduction to Algorithms", multithreaded merge sort).
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/for_blocks.hpp>
#include <charm/detail/sort_leaf.hpp>
#include <charm/invoke.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace charm {
namespace detail::sorting {

/// Memory for elements, which gives back what there is of it in every case.
template <class T>
class ElementMemory {
 public:
  explicit ElementMemory(std::size_t size) : size_(size), elements_(std::allocator<T>().allocate(size)) {}
  ~ElementMemory() { std::allocator<T>().deallocate(elements_, size_); }
  ElementMemory(const ElementMemory&) = delete;
  ElementMemory& operator=(const ElementMemory&) = delete;
  [[nodiscard]] T* begin() const noexcept { return elements_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_;
  T* elements_;
};

/// A copy of a range, whose elements were moved in at once. All of them exist or none: the loop that moves them is not
/// cut short by a cancellation, and nothing in it throws.
template <class T>
class MovedOut {
 public:
  template <class It>
  MovedOut(It first, std::int64_t count) : memory_(static_cast<std::size_t>(count)) {
    using Offset = typename std::iterator_traits<It>::difference_type;
    const ShieldedScope whole(this_worker()->scope);
    const WithScope within(&whole);
    for_blocks(0, count, [&](std::int64_t low, std::int64_t high) {
      for (std::int64_t i = low; i < high; ++i)
        std::construct_at(begin() + i, std::move(first[static_cast<Offset>(i)]));
    });
  }
  ~MovedOut() { std::destroy_n(begin(), memory_.size()); }
  MovedOut(const MovedOut&) = delete;
  MovedOut& operator=(const MovedOut&) = delete;
  [[nodiscard]] T* begin() const noexcept { return memory_.begin(); }

 private:
  ElementMemory<T> memory_;
};

/// Merges [a, a_end) and [b, b_end) to `out`; of equal elements those of `a` come first.
template <class From, class To, class Less>
void merge_stable(From a, From a_end, From b, From b_end, To out, Less& less, const FailScope& sort) {
  constexpr std::int64_t leaf = 1 << 13;
  if (sort.cancelled()) return;
  if ((a_end - a) + (b_end - b) <= leaf) {
    std::merge(std::make_move_iterator(a), std::make_move_iterator(a_end), std::make_move_iterator(b),
               std::make_move_iterator(b_end), out, std::ref(less));
    return;
  }
  const bool first_is_longer = a_end - a >= b_end - b;
  const From a_middle =
      first_is_longer ? a + (a_end - a) / 2 : std::upper_bound(a, a_end, b[(b_end - b) / 2], std::ref(less));
  const From b_middle = first_is_longer ? std::lower_bound(b, b_end, *a_middle, std::ref(less)) : b + (b_end - b) / 2;
  using Offset = typename std::iterator_traits<To>::difference_type;
  const To out_middle = out + static_cast<Offset>((a_middle - a) + (b_middle - b));
  invoke([&] { merge_stable(a, a_middle, b, b_middle, out, less, sort); },
         [&] { merge_stable(a_middle, a_end, b_middle, b_end, out_middle, less, sort); });
}

/// Sorts [here, here + count), whose copy begins at `there`; the result lies there, or here.
template <class Here, class There, class Less>
void sort_stable(Here here, There there, std::int64_t count, bool result_is_there, Less& less, const FailScope& sort) {
  constexpr std::int64_t leaf = 24;
  constexpr std::int64_t worth_a_fork = 1 << 11;
  if (sort.cancelled()) return;
  const Here here_end = here + static_cast<typename std::iterator_traits<Here>::difference_type>(count);
  const There there_end = there + static_cast<typename std::iterator_traits<There>::difference_type>(count);
  if (count <= leaf) {
    insertion_sort(here, here_end, less);
    if (result_is_there) std::move(here, here_end, there);
    return;
  }
  const std::int64_t half = count / 2;
  const Here here_middle = here + static_cast<typename std::iterator_traits<Here>::difference_type>(half);
  const There there_middle = there + static_cast<typename std::iterator_traits<There>::difference_type>(half);
  auto left = [&] { sort_stable(here, there, half, !result_is_there, less, sort); };
  auto right = [&] { sort_stable(here_middle, there_middle, count - half, !result_is_there, less, sort); };
  if (count > worth_a_fork) {
    invoke(left, right);
  } else {
    left();
    right();
  }
  if (result_is_there)
    merge_stable(here, here_middle, here_middle, here_end, there, less, sort);
  else
    merge_stable(there, there_middle, there_middle, there_end, here, less, sort);
}

template <class It, class Less>
void stable_sort_in_task(It first, It last, Less& less) {
  FailScope sort(this_worker()->scope);
  {
    const WithScope within(&sort);
    try {
      const std::int64_t count = last - first;
      if (sort.cancelled()) return sort.finish();
      const MovedOut<typename std::iterator_traits<It>::value_type> copy(first, count);
      sort_stable(copy.begin(), first, count, true, less, sort);
    } catch (...) {
      sort.fail();
    }
  }
  sort.finish();
}

}  // namespace detail::sorting

/// Sorts [first, last) by `less`, a strict weak ordering, in parallel; equal elements keep their order. Makes O(n log
/// n) comparisons, and takes memory for as many elements again (std::bad_alloc if there is none). Elements must be
/// movable, and their moves must not throw. Where the order of equal elements does not matter, charm::sort needs no
/// memory and is faster. If `less` throws, or the group that the caller belongs to is cancelled (Error, cancelled), the
/// exception leaves stable_sort() when all workers have stopped; the elements then have unspecified values, as after
/// std::stable_sort. \throws Error (not_running) without a runtime.
template <std::random_access_iterator It, class Less = std::less<>>
void stable_sort(It first, It last, Less less = {}) {
  if (last - first < 2) return;
  if (detail::this_worker() != nullptr) return detail::sorting::stable_sort_in_task(first, last, less);
  run([&] { detail::sorting::stable_sort_in_task(first, last, less); });
}

}  // namespace charm
