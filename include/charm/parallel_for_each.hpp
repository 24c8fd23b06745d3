// Loops over containers instead of indices: parallel_for with the subscript written by the library.
#pragma once

#include <charm/parallel_for.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {
namespace detail {

/// As std::ranges::forward_range, whose header takes longer to read than all of CHARM's.
template <class R>
concept ForwardRange = requires(R& range) {
  { std::begin(range) } -> std::forward_iterator;
  { std::end(range) } -> std::sentinel_for<decltype(std::begin(range))>;
};

}  // namespace detail

/// Calls `function(element)` for every element, in parallel; options and exceptions as in parallel_for.
template <std::random_access_iterator It, class F>
void parallel_for_each(It first, It last, F&& function, LoopOptions options = {}) {
  using Offset = std::iter_difference_t<It>;
  parallel_for(
      Offset{0}, static_cast<Offset>(last - first),
      [&](Offset low, Offset high) {
        for (It it = first + low; low < high; ++low, ++it) std::invoke(function, *it);
      },
      options);
}

/// The same for a range. A range without random access (a list, a map) is walked once, sequentially, to collect the
/// addresses of its elements.
template <detail::ForwardRange R, class F>
void parallel_for_each(R&& range, F&& function, LoopOptions options = {}) {
  using It = decltype(std::begin(range));
  if constexpr (std::random_access_iterator<It>) {
    const It first = std::begin(range);
    parallel_for_each(first, first + std::ranges::distance(first, std::end(range)), function, options);
  } else {
    static_assert(std::is_reference_v<std::iter_reference_t<It>>,
                  "elements that are made on the fly need a random-access range");
    std::vector<std::remove_reference_t<std::iter_reference_t<It>>*> elements;
    for (auto&& element : range) elements.push_back(std::addressof(element));
    parallel_for_each(
        elements.begin(), elements.end(), [&](auto* element) { std::invoke(function, *element); }, options);
  }
}

/// Stores out[i] = function(first[i]) for all elements, in parallel. `out` may be `first`. \return the end of the
/// output. Options and exceptions as in parallel_for.
template <std::random_access_iterator In, std::random_access_iterator Out, class F>
Out parallel_transform(In first, In last, Out out, F&& function, LoopOptions options = {}) {
  using Offset = std::iter_difference_t<In>;
  const Offset count = last - first;
  parallel_for(
      Offset{0}, count,
      [&](Offset low, Offset high) {
        Out to = out + static_cast<std::iter_difference_t<Out>>(low);
        for (In it = first + low; low < high; ++low, ++it, ++to) *to = std::invoke(function, *it);
      },
      options);
  return out + static_cast<std::iter_difference_t<Out>>(count);
}

}  // namespace charm
