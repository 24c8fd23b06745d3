// A value that goes with a task wherever it runs: what a thread_local variable is for threads.
//
// The values are stored in the scopes that tasks inherit for cancellation (detail/cancel_scope.hpp). So nothing is
// copied when a task is forked or suspended, and forks cost nothing more.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/worker.hpp>
#include <charm/runtime.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// A scope in which a task_local has a value.
class BoundScope : public CancelScope {
 public:
  BoundScope(const void* key, const void* value, const CancelScope* outer) noexcept
      : CancelScope(outer), binding_{key, value, bindings()} {
    bind(binding_);
  }

 private:
  Binding binding_;
};

/// As WithScope, in code of charm::blocking().
class WithScopeInBlockingCode {
 public:
  WithScopeInBlockingCode(const CancelScope*& place, const CancelScope* scope) noexcept
      : place_(place), outer_(std::exchange(place, scope)) {}
  ~WithScopeInBlockingCode() { place_ = outer_; }
  WithScopeInBlockingCode(const WithScopeInBlockingCode&) = delete;
  WithScopeInBlockingCode& operator=(const WithScopeInBlockingCode&) = delete;

 private:
  const CancelScope*& place_;
  const CancelScope* outer_;
};

}  // namespace detail

/// Declare it as a variable that lives as long as the program, `inline charm::task_local<int> request;`, give it a
/// value for the time of a call, `request.with(7, [&] { ... })`, and read it with get() anywhere within. The value
/// stays with the task when that is suspended and continues on another worker, also in charm::blocking().
///
/// Work that cannot outlive the call inherits the value: the branches of invoke(), the bodies of loops, reductions and
/// all_do, the tasks of groups that are local variables within the call. Independent tasks (async, call, run_detached,
/// async_scope, groups elsewhere) do not inherit it, nor does a coroutine once it was scheduled: capture the value, and
/// call with() again in the task. Children share the value, so it is constant; to let them change something, use a
/// pointer to an object that several threads may use.
template <class T>
class task_local {
 public:
  /// \param otherwise what get() returns where no value was given.
  constexpr explicit task_local(T otherwise = T()) : otherwise_(std::move(otherwise)) {}
  task_local(const task_local&) = delete;
  task_local& operator=(const task_local&) = delete;

  /// The value of the innermost with() that the caller runs in, valid until that with() ends. Takes a step for every
  /// task_local that has a value at this place.
  [[nodiscard]] const T& get() const noexcept {
    const detail::WorkerBase* worker = detail::this_worker();
    const detail::CancelScope* scope = nullptr;
    if (worker != nullptr)
      scope = worker->scope;
    else if (const detail::CancelScope** place = detail::scope_in_blocking_code())
      scope = *place;
    const detail::Binding* binding = scope != nullptr ? scope->bindings() : nullptr;
    for (; binding != nullptr; binding = binding->outer) {
      if (binding->key == this) return *static_cast<const T*>(binding->value);
    }
    return otherwise_;
  }
  /// The same.
  [[nodiscard]] const T& operator*() const noexcept { return get(); }

  /// Calls `function()`, within which get() returns `value`, and returns its value or rethrows its exception. In a
  /// thread outside of tasks the function runs as a task. \throws Error (not_running) there.
  template <class F>
  auto with(const T& value, F&& function) const -> std::invoke_result_t<F> {
    if (detail::WorkerBase* worker = detail::this_worker()) {
      const detail::BoundScope scope(this, static_cast<const void*>(&value), worker->scope);
      const detail::WithScope within(&scope);
      return std::invoke(std::forward<F>(function));
    }
    if (const detail::CancelScope** place = detail::scope_in_blocking_code()) {
      const detail::BoundScope scope(this, static_cast<const void*>(&value), *place);
      const detail::WithScopeInBlockingCode within(*place, &scope);
      return std::invoke(std::forward<F>(function));
    }
    return run([&]() -> std::invoke_result_t<F> { return with(value, std::forward<F>(function)); });
  }

 private:
  T otherwise_;
};

}  // namespace charm
