// `co_await charm::when_any(...)`: the first of several coroutines to end.
#pragma once

#include <charm/coroutine.hpp>
#include <charm/detail/detached_coroutine.hpp>
#include <charm/detail/result.hpp>
#include <charm/error.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace charm {

/// The result of when_any() for tasks of one type.
template <class T>
struct any_result {
  std::size_t index;  ///< which task ended first
  T value;            ///< its result; std::monostate for void
};

namespace detail {

/// It outlives the waiting coroutine: the losers keep it until they have ended, too.
template <class Value>
struct AnyState {
  std::atomic<bool> won{false};
  std::atomic<int> missing{2};  // the winner, and the starter; the last of the two resumes the waiter
  Result<Value> result;
  ResumeJob* waiter = nullptr;

  ResumeJob* arrive() noexcept {
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) return waiter;
    return nullptr;
  }
  /// An entrant was dropped. If none has won, the waiter cannot go on.
  void drop() noexcept {
    if (!won.exchange(true, std::memory_order_acq_rel) && waiter->sponsor != nullptr) waiter->sponsor->notify();
  }
};

/// \param make makes the result of the awaited value.
template <class Value, class T, class Make>
DetachedCoroutine compete(std::shared_ptr<AnyState<Value>> state, task<T> entrant, Make make) {
  std::exception_ptr error;
  std::optional<Value> value;
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(entrant);
      value.emplace(make(std::monostate()));
    } else {
      value.emplace(make(co_await std::move(entrant)));
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (state->won.exchange(true, std::memory_order_acq_rel)) co_return nullptr;
  if (error)
    state->result.set_error(std::move(error));
  else
    state->result.set_from([&] { return std::move(*value); });
  co_return state->arrive();
}

template <class Value>
struct StartEntrants {
  AnyState<Value>& state;
  std::vector<DetachedCoroutine>& entrants;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiter) {
    state.waiter = &waiter.promise().further;
    state.waiter->coroutine = waiter;
    bool started = false;
    for (DetachedCoroutine& entrant : entrants) {
      entrant.call_if_dropped({[](void* any) noexcept { static_cast<AnyState<Value>*>(any)->drop(); }, &state});
      try {
        entrant.start();
        started = true;
      } catch (const Error&) {  // the runtime does not run, or has ended since: then those that began decide
        if (!started) throw;
        break;
      }
    }
    if (state.arrive() != nullptr) return waiter;
    return std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

}  // namespace detail

/// Starts all tasks as tasks of the runtime and goes on when the first of them has ended, with its result or exception.
/// The others run to their end, and their results are dropped: so they must not refer to variables of the waiting
/// coroutine, unless it waits for them in another way. \return a variant whose index() is the task's position;
/// std::monostate stands for void. \throws Error (not_running).
template <class... T>
  requires(sizeof...(T) > 0)
task<std::variant<detail::NotVoid<T>...>> when_any(task<T>... tasks) {
  using Value = std::variant<detail::NotVoid<T>...>;
  auto state = std::make_shared<detail::AnyState<Value>>();
  std::vector<detail::DetachedCoroutine> entrants;
  entrants.reserve(sizeof...(T));
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (entrants.push_back(detail::compete<Value>(
         state, std::move(tasks),
         [](detail::NotVoid<T>&& value) { return Value(std::in_place_index<i>, std::move(value)); })),
     ...);
  }(std::index_sequence_for<T...>());
  co_await detail::StartEntrants<Value>{*state, entrants};
  co_return state->result.take();
}

/// The same for any number of tasks of one type. \throws Error (bad_input) also if there is none.
template <class T>
task<any_result<detail::NotVoid<T>>> when_any(std::vector<task<T>> tasks) {
  using Value = any_result<detail::NotVoid<T>>;
  if (tasks.empty())
    throw Error(Errc::bad_input, "when_any() of no task at all", "ask empty() before you wait, it would never end");
  auto state = std::make_shared<detail::AnyState<Value>>();
  std::vector<detail::DetachedCoroutine> entrants;
  entrants.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    entrants.push_back(detail::compete<Value>(state, std::move(tasks[i]),
                                              [i](detail::NotVoid<T>&& value) { return Value{i, std::move(value)}; }));
  co_await detail::StartEntrants<Value>{*state, entrants};
  co_return state->result.take();
}

}  // namespace charm
