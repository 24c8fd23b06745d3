// parallel_for_each() whose function adds more elements while it runs: a traversal, a branch and bound, a work list.
#pragma once

#include <charm/parallel_for_each.hpp>
#include <charm/runtime.hpp>
#include <charm/task_group.hpp>

#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {
template <class T, class F>
class FedFunction;
}

/// Takes more elements for the parallel_for_each() that has passed it to its function. As oneTBB's feeder.
template <class T>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// The function is called for this element, too, as a task of its own; the element lives until that call has
  /// returned. From any task, until the parallel_for_each() has returned.
  void add(T element) {
    group_.run([this, kept = std::move(element)]() mutable { call_(*this, kept); });
  }

 private:
  template <class, class>
  friend class detail::FedFunction;
  feeder(task_group& group, void (*call)(feeder&, T&)) noexcept : group_(group), call_(call) {}
  ~feeder() = default;

  task_group& group_;
  void (*call_)(feeder&, T&);
};

namespace detail {

template <class T, class F>
class FedFunction : public feeder<T> {
 public:
  FedFunction(task_group& group, F& function) noexcept : feeder<T>(group, &FedFunction::call), function_(function) {}

 private:
  static void call(feeder<T>& self, T& element) {
    std::invoke(static_cast<FedFunction&>(self).function_, element, self);
  }
  F& function_;
};

template <class F, class It>
concept TakesFeeder = std::is_invocable_v<F&, std::iter_reference_t<It>, feeder<std::iter_value_t<It>>&>;

/// \param begin calls `function` for the elements that are there from the beginning.
template <class T, class F, class Begin>
void feed_each(F& function, Begin&& begin) {
  if (this_worker() == nullptr) return run([&] { feed_each<T>(function, begin); });
  task_group group;
  FedFunction<T, F> feed(group, function);
  group.run([&] { begin(feed); });  // in the group: so one error ends both
  group.wait();
}

}  // namespace detail

/// Calls `function(element, feeder)` for every element, and for every element that such a call adds with
/// `feeder.add(element)`, in parallel and in no certain order; returns when all calls have returned. The first
/// exception, or a cancelled group that the caller belongs to, drops the elements whose calls have not begun, as in
/// task_group. \throws Error (not_running) without a runtime.
template <std::random_access_iterator It, class F>
  requires detail::TakesFeeder<F, It>
void parallel_for_each(It first, It last, F&& function, LoopOptions options = {}) {
  using T = std::iter_value_t<It>;
  detail::feed_each<T>(function, [&](feeder<T>& feed) {
    parallel_for_each(first, last, [&](auto&& element) { std::invoke(function, element, feed); }, options);
  });
}

/// The same for a container or view; one without random access is walked once, sequentially.
template <detail::ForwardRange R, class F>
  requires detail::TakesFeeder<F, decltype(std::begin(std::declval<R&>()))>
void parallel_for_each(R&& range, F&& function, LoopOptions options = {}) {
  using T = std::iter_value_t<decltype(std::begin(range))>;
  detail::feed_each<T>(function, [&](feeder<T>& feed) {
    parallel_for_each(range, [&](auto&& element) { std::invoke(function, element, feed); }, options);
  });
}

}  // namespace charm
