// Parallel prefix sums with any associative operation.
//
// There are two passes over blocks. The first computes every block's sum; the second computes every block's prefixes
// from the sum of the blocks before it. That reads the input twice, so one worker, or few elements, use a sequential
// single pass. A few blocks are processed at a time (a "round"), so that the second pass finds in the cache what the
// first has read (Blelloch 1990, in the blocked form of Chatterjee et al. 1990).
#pragma once

#include <charm/detail/for_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace charm {
namespace detail {

/// Prefixes of [first, last), which is not empty, into out; `sum` is the sum of what precedes `first`, if anything.
template <bool inclusive, class In, class Out, class T, class Op>
T scan_block(In first, In last, Out out, std::optional<T> sum, Op& op) {
  if constexpr (inclusive) {
    T running = sum ? T(op(std::move(*sum), *first)) : T(*first);
    *out = running;
    while (++first != last) {
      running = op(std::move(running), *first);
      *++out = running;
    }
    return running;
  } else {
    T running = std::move(*sum);
    for (; first != last; ++first, ++out) {
      T next = op(running, *first);  // before the store: out may be the input
      *out = std::move(running);
      running = std::move(next);
    }
    return running;
  }
}

template <class In, class T, class Op>
T sum_block(In first, In last, Op& op) {
  T sum = *first;
  while (++first != last) sum = op(std::move(sum), *first);
  return sum;
}

template <bool inclusive, class In, class Out, class T, class Op>
Out scan(In first, In last, Out out, std::optional<T> sum, Op& op) {
  if (first == last) return out;
  if (this_worker() == nullptr) return run([&] { return scan<inclusive>(first, last, out, std::move(sum), op); });
  using Offset = typename std::iterator_traits<In>::difference_type;
  const Offset count = last - first;
  const Out end = out + static_cast<typename std::iterator_traits<Out>::difference_type>(count);
  auto in_at = [&](std::int64_t i) { return first + static_cast<Offset>(i); };
  auto out_at = [&](std::int64_t i) {
    return out + static_cast<typename std::iterator_traits<Out>::difference_type>(i);
  };

  constexpr std::int64_t bytes_per_block = 1 << 17;  // of input, a part of a core's own cache
  const std::int64_t block = std::max<std::int64_t>(1, bytes_per_block / static_cast<std::int64_t>(sizeof(T)));
  const int workers = num_workers();
  if (workers < 2 || count < 2 * block) {
    scan_block<inclusive>(first, last, out, std::move(sum), op);
    return end;
  }
  const std::int64_t blocks = count / block + (count % block != 0);
  const std::int64_t round = (std::min)(blocks, std::int64_t{4} * workers);
  std::vector<std::optional<T>> sums(static_cast<std::size_t>(round));
  for (std::int64_t begin = 0; begin < blocks; begin += round) {
    const std::int64_t here = (std::min)(round, blocks - begin);
    auto low = [&](std::int64_t b) { return (begin + b) * block; };
    auto high = [&](std::int64_t b) { return std::min<std::int64_t>(count, (begin + b + 1) * block); };
    // A round's last block need not be summed first: its prefixes end with that sum.
    for_blocks(0, here - 1,
               [&](std::int64_t b, std::int64_t after) {
                 for (; b < after; ++b)
                   sums[static_cast<std::size_t>(b)] = sum_block<In, T>(in_at(low(b)), in_at(high(b)), op);
               },
               {.grain = 1});
    std::vector<std::optional<T>> before(static_cast<std::size_t>(here));
    for (std::int64_t b = 0; b < here; ++b) {
      before[static_cast<std::size_t>(b)] = sum;
      if (b == here - 1) break;
      std::optional<T>& own = sums[static_cast<std::size_t>(b)];
      if (sum)
        sum = op(std::move(*sum), std::move(*own));
      else
        sum = std::move(own);
    }
    for_blocks(0, here,
               [&](std::int64_t b, std::int64_t after) {
                 for (; b < after; ++b) {
                   auto& own = before[static_cast<std::size_t>(b)];
                   own = scan_block<inclusive>(in_at(low(b)), in_at(high(b)), out_at(low(b)), std::move(own), op);
                 }
               },
               {.grain = 1});
    sum = std::move(before.back());
  }
  return end;
}

}  // namespace detail

/// Stores out[i] = first[0] op ... op first[i] for all elements, in parallel. `op` must be associative and need not be
/// commutative; for floating-point numbers the last bits depend on the number of workers. `out` may be `first` but must
/// not overlap the input otherwise. The value type is that of the input and must be copyable. \return the end of the
/// output. Exceptions as in parallel_for; the output is then unspecified.
template <std::random_access_iterator In, std::random_access_iterator Out, class Op = std::plus<>>
Out inclusive_scan(In first, In last, Out out, Op op = {}) {
  using T = typename std::iterator_traits<In>::value_type;
  return detail::scan<true>(first, last, out, std::optional<T>(), op);
}

/// The same with `init op` before every prefix; the value type is that of `init`.
template <std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
Out inclusive_scan(In first, In last, Out out, Op op, T init) {
  return detail::scan<true>(first, last, out, std::optional<T>(std::move(init)), op);
}

/// Stores out[i] = init op first[0] op ... op first[i - 1]; out[0] = init. Otherwise like inclusive_scan.
template <std::random_access_iterator In, std::random_access_iterator Out, class T, class Op = std::plus<>>
Out exclusive_scan(In first, In last, Out out, T init, Op op = {}) {
  return detail::scan<false>(first, last, out, std::optional<T>(std::move(init)), op);
}

}  // namespace charm
