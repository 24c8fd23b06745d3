// Loops over all ranks (CHARM §4.6: all_do, pfor and iterate_local of RING).
#pragma once

#include <charm/all_do.hpp>
#include <charm/detail/call_body.hpp>
#include <charm/detail/remote.hpp>
#include <charm/future.hpp>
#include <charm/global_array.hpp>
#include <charm/parallel_for.hpp>
#include <charm/remote.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace charm::remote {

/// How a loop is divided over the ranks.
struct RankLoopOptions {
  /// Iterations that a worker takes at a time; 0: 16 blocks for each worker of the first rank's number.
  std::int64_t grain = 0;
  /// Whether a rank that has finished its part takes half of what another has left, of the nearest rank that has any
  /// (distance(); ABSS §6 proposes this for machines in a network). A rank that is in a long iteration cannot answer
  /// until it ends.
  bool steal = false;
};

namespace detail {

using LoopBody = void (*)(void* function, std::int64_t low, std::int64_t high);

struct LoopPart {
  std::uint64_t loop;
  std::int64_t low;
  std::int64_t high;
  std::int64_t grain;
  bool steal;
};
/// A number that no other loop of any rank has.
std::uint64_t new_loop();
/// Before a loop whose parts may be stolen begins, all ranks have theirs: nothing is left of a part that is not there.
void open_part(const LoopPart& part);
/// Runs this rank's part of a loop, and what it steals.
void run_part(const LoopPart& part, LoopBody body, void* function);

template <class F>
struct RankLoop {
  void operator()() {
    run_part(
        part,
        [](void* at, std::int64_t low, std::int64_t high) {
          F& f = *static_cast<F*>(at);
          for (std::int64_t i = low; i < high; ++i) charm::detail::call_body(f, i);
        },
        &function);
  }
  LoopPart part;
  F function;
};

/// Waits for all, then rethrows the first error.
template <class T>
void wait_for_all(std::vector<future<T>>& all, std::exception_ptr error) {
  for (future<T>& each : all) {
    try {
      each.get();
    } catch (...) {
      if (error == nullptr) error = std::current_exception();
    }
  }
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace detail

/// Calls `function(i)` for every i of [begin, end), divided over all ranks in the order of their numbers, and there
/// over the workers, and waits for the end. One task calls it; `function` is sent as call() sends it. What the
/// iterations have posted may still be on the way then. It runs on other ranks as a task that waits where a rank does
/// not keep up, as the rank's own tasks do.
/// \throws Error as call(); the first one, when all ranks have ended their parts. After an exception iterations may be
/// missing.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, const F& function, const RankLoopOptions& options = {}) {
  using Loop = detail::RankLoop<F>;
  if (begin >= end) return;
  const std::int64_t all = ranks();
  const std::int64_t count = end - begin;
  const std::int64_t blocks = all * num_workers() * 16;
  const std::int64_t grain = options.grain > 0 ? options.grain : std::max<std::int64_t>(1, count / blocks);
  const std::uint64_t number = detail::new_loop();
  auto bound = [&](std::int64_t r) { return begin + count / all * r + (std::min)(r, count % all); };
  auto part = [&](int r) { return detail::LoopPart{number, bound(r), bound(r + 1), grain, options.steal}; };
  std::vector<future<void>> parts;
  std::exception_ptr error;
  auto start = [&](int r) {
    if (const auto there = part(r); there.low < there.high || options.steal)
      parts.push_back(call_async(r, Loop{there, function}));
  };
  try {
    if (options.steal) {
      std::vector<future<void>> opened;
      for (int r = 0; r < all; ++r)
        opened.push_back(call_async(r, [](detail::LoopPart of) { detail::open_part(of); }, part(r)));
      flush();
      detail::wait_for_all(opened, nullptr);
    }
    for (const int r : ranks_by_distance()) start(r);
    start(rank());
    flush();
  } catch (...) {
    error = std::current_exception();
  }
  detail::wait_for_all(parts, std::move(error));
}

/// Runs `function(arguments...)` once on every worker of every rank (charm::all_do on each), and waits for the end. One
/// task calls it. \throws Error as call().
template <class F, class... Arguments>
void all_do(const F& function, const Arguments&... arguments) {
  auto on_rank = [f = detail::sent_as(function)](const auto&... given) mutable {
    charm::all_do([&] { std::invoke(f, given...); });
  };
  std::vector<future<void>> all;
  std::exception_ptr error;
  try {
    for (int r = 0; r < ranks(); ++r) all.push_back(call_async(r, on_rank, arguments...));
    flush();
  } catch (...) {
    error = std::current_exception();
  }
  detail::wait_for_all(all, std::move(error));
}

/// Calls `function(index, element)` for this rank's elements of an array, in parallel: `index` is that in the whole
/// array. Every rank that takes part calls it.
template <class T, class F>
void for_each_local(const global_array<T>& array, const F& function) {
  const std::span<T> own = array.local();
  charm::parallel_for(std::size_t{0}, own.size(),
                      [&](std::size_t i) { charm::detail::call_body(function, array.global_index(i), own[i]); });
}

}  // namespace charm::remote
