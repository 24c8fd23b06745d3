// The algorithms for whole containers, in place of pairs of iterators and ranges of indices.
#pragma once

#include <charm/parallel_for_each.hpp>
#include <charm/parallel_reduce.hpp>
#include <charm/scan.hpp>
#include <charm/sort.hpp>
#include <charm/stable_sort.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// As std::ranges::random_access_range that knows its size: a vector, a deque, an array, a span.
template <class R>
concept Indexable = requires(R& range) {
  { std::begin(range) } -> std::random_access_iterator;
  { std::size(range) } -> std::convertible_to<std::size_t>;
};

template <class R>
using ElementOf = std::iter_reference_t<decltype(std::begin(std::declval<R&>()))>;

template <Indexable R>
auto end_of(R& range) {
  auto first = std::begin(range);
  return first + static_cast<std::iter_difference_t<decltype(first)>>(std::size(range));
}

}  // namespace detail

/// Joins the results of `function(element)` for all elements, and `identity`, by `combine(left, right)`. For example,
/// the total length of words is `charm::parallel_transform_reduce(words, std::size_t{0}, std::plus<>(),
/// &std::string::size)`. The result has the type of `identity`. Requirements of `combine` and `identity`, options and
/// exceptions are as in parallel_reduce.
template <detail::Indexable R, class T, class C, class F>
T parallel_transform_reduce(R&& range, T identity, C&& combine, F&& function, ReduceOptions options = {}) {
  static_assert(!detail::loses<T, std::invoke_result_t<F&, detail::ElementOf<R>>>(),
                "partial results have the type of `identity`, into which what `function` returns does not fit: write "
                "0.0 for 0, std::int64_t{0}, or whatever type the result shall have");
  const auto first = std::begin(range);
  using Offset = std::iter_difference_t<std::remove_const_t<decltype(first)>>;
  return parallel_reduce(
      Offset{0}, static_cast<Offset>(std::size(range)), std::move(identity),
      [&](Offset low, Offset high, T sum) {
        for (auto it = first + low; low < high; ++low, ++it)
          sum = static_cast<T>(std::invoke(combine, std::move(sum), static_cast<T>(std::invoke(function, *it))));
        return sum;
      },
      combine, options);
}

/// Joins all elements and `identity` by `combine`, by default to their sum; as parallel_transform_reduce.
template <detail::Indexable R, class T, class C = std::plus<>>
  requires std::invocable<C&, T, T>
T parallel_reduce(R&& range, T identity, C&& combine = {}, ReduceOptions options = {}) {
  static_assert(!detail::loses<T, detail::ElementOf<R>>(),
                "partial results have the type of `identity`, into which an element does not fit: write 0.0 for 0, "
                "std::int64_t{0}, or whatever type the result shall have");
  return parallel_transform_reduce(
      range, std::move(identity), combine, [](const auto& element) -> const auto& { return element; }, options);
}

/// Stores out[i] = function(range[i]) for all elements, in parallel. \return the end of the output.
template <detail::Indexable R, std::random_access_iterator Out, class F>
  requires std::invocable<F&, detail::ElementOf<R>>
Out parallel_transform(R&& range, Out out, F&& function, LoopOptions options = {}) {
  return parallel_transform(std::begin(range), detail::end_of(range), out, std::forward<F>(function), options);
}

/// Sorts a container, as sort(first, last, less).
template <detail::Indexable R, class Less = std::less<>>
  requires std::invocable<Less&, detail::ElementOf<R>, detail::ElementOf<R>>
void sort(R&& range, Less less = {}) {
  charm::sort(std::begin(range), detail::end_of(range), std::move(less));
}

/// Sorts a container so that equal elements keep their order, as stable_sort(first, last, less).
template <detail::Indexable R, class Less = std::less<>>
  requires std::invocable<Less&, detail::ElementOf<R>, detail::ElementOf<R>>
void stable_sort(R&& range, Less less = {}) {
  charm::stable_sort(std::begin(range), detail::end_of(range), std::move(less));
}

/// Prefix sums of a container, as inclusive_scan(first, last, out, op).
template <detail::Indexable R, std::random_access_iterator Out, class Op = std::plus<>>
  requires std::invocable<Op&, detail::ElementOf<R>, detail::ElementOf<R>>
Out inclusive_scan(R&& range, Out out, Op op = {}) {
  return charm::inclusive_scan(std::begin(range), detail::end_of(range), out, std::move(op));
}

/// Prefix sums of a container, as exclusive_scan(first, last, out, init, op).
template <detail::Indexable R, std::random_access_iterator Out, class T, class Op = std::plus<>>
  requires std::invocable<Op&, T, detail::ElementOf<R>>
Out exclusive_scan(R&& range, Out out, T init, Op op = {}) {
  return charm::exclusive_scan(std::begin(range), detail::end_of(range), out, std::move(init), std::move(op));
}

}  // namespace charm
