// Where a job leaves what its function returned or threw. Nothing is constructed until then, so that a job which is
// taken back by its own worker costs nothing here.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace charm::detail {

template <class T>
class Result {
  struct Nothing {};
  using Value = std::conditional_t<std::is_void_v<T>, Nothing, std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

 public:
  Result() noexcept {}
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() {
    if (kind_ == Kind::value) value_.~Value();
    if (kind_ == Kind::error) error_.~exception_ptr();
  }

  template <class F>
  void set_from(F&& function) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        std::forward<F>(function)();
        new (&value_) Value;
      } else if constexpr (std::is_reference_v<T>) {
        new (&value_) Value(&std::forward<F>(function)());
      } else {
        new (&value_) Value(std::forward<F>(function)());
      }
      kind_ = Kind::value;
    } catch (...) {
      set_error(std::current_exception());
    }
  }

  void set_error(std::exception_ptr error) noexcept {
    new (&error_) std::exception_ptr(std::move(error));
    kind_ = Kind::error;
  }

  template <class U>
  void set_value(U&& value) {
    new (&value_) Value(std::forward<U>(value));
    kind_ = Kind::value;
  }
  void set_value() noexcept requires std::is_void_v<T> {
    new (&value_) Value;
    kind_ = Kind::value;
  }

  /// Moves the value out or rethrows; once.
  T take() {
    if (kind_ == Kind::error) std::rethrow_exception(error_);
    if constexpr (std::is_reference_v<T>) return static_cast<T>(*value_);
    else if constexpr (!std::is_void_v<T>) return std::move(value_);
  }

  [[nodiscard]] bool has_error() const noexcept { return kind_ == Kind::error; }

 private:
  enum class Kind : unsigned char { none, value, error };
  Kind kind_ = Kind::none;
  union {
    Value value_;
    std::exception_ptr error_;
  };
};

}  // namespace charm::detail
