// Objects of this rank that calls of other ranks name by a number, such as its part of a loop.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <cstdint>
#include <mutex>

namespace charm::remote {

/// T derives from it, and is in the list of its kind as long as it exists.
template <class T>
class Numbered {
 public:
  /// Calls `function(T*)` while the object stays; with null if there is none (any more).
  template <class F>
  static auto with(std::uint64_t number, F&& function) {
    const std::lock_guard guard(list_lock);
    return function(look_up(number));
  }
  /// For who will end it.
  static T* find(std::uint64_t number) noexcept {
    return with(number, [](T* found) { return found; });
  }

 private:
  friend T;
  explicit Numbered(std::uint64_t number) noexcept : number_(number) {
    const std::lock_guard guard(list_lock);
    after_ = first;
    first = this;
  }
  // Public would be usual, but then a class could derive from another one's list.
  Numbered(const Numbered&) = delete;             // NOLINT(modernize-use-equals-delete)
  Numbered& operator=(const Numbered&) = delete;  // NOLINT(modernize-use-equals-delete)
  ~Numbered() {
    const std::lock_guard guard(list_lock);
    Numbered** at = &first;
    while (*at != this) at = &(*at)->after_;
    *at = after_;
  }

  static T* look_up(std::uint64_t number) noexcept {
    Numbered* each = first;
    while (each != nullptr && each->number_ != number) each = each->after_;
    return static_cast<T*>(each);
  }
  static constinit inline charm::detail::SpinLock list_lock{};
  static constinit inline Numbered* first = nullptr;
  const std::uint64_t number_;
  Numbered* after_ = nullptr;
};

}  // namespace charm::remote
