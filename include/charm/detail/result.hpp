// The result of a job's function, or its exception. Until then it contains a null pointer and nothing else, so that
// a job which is taken back by its own worker costs next to nothing here.
#pragma once

#include <charm/detail/requirements.hpp>

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace charm::detail {

template <class T>
class Result {
  struct Nothing {};
  using Value = std::conditional_t<std::is_void_v<T>, Nothing,
                                   std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

 public:
  Result() noexcept {}
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() {
    if constexpr (!std::is_trivially_destructible_v<Value>) {
      if (has_value_) value_.~Value();
    }
  }

  template <class F>
  void set_from(F&& function) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        std::forward<F>(function)();
      } else if constexpr (std::is_reference_v<T>) {
        set(&std::forward<F>(function)());
      } else {
        new (&value_) Value(std::forward<F>(function)());
        has_value_ = true;
      }
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  void set_error(std::exception_ptr error) noexcept { error_ = std::move(error); }

  /// Moves the value out or rethrows; once, after set_from.
  T take() {
    // Moved out, so that the thread which catches the exception is the one that frees it: ThreadSanitizer does not see
    // how libstdc++ counts the owners of an exception.
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(*value_);
    else if constexpr (!std::is_void_v<T>)
      return std::move(value_);
  }

 private:
  void set(Value value) {
    new (&value_) Value(std::move(value));
    has_value_ = true;
  }

  std::exception_ptr error_;
  bool has_value_ = false;
  union {
    Value value_;
  };
};

}  // namespace charm::detail
