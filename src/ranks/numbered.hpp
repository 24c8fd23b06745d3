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
  Numbered(const Numbered&) = delete;
  Numbered& operator=(const Numbered&) = delete;

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

 protected:
  explicit Numbered(std::uint64_t number) noexcept : number_(number) {
    const std::lock_guard guard(list_lock);
    after_ = first;
    first = this;
  }
  ~Numbered() {
    const std::lock_guard guard(list_lock);
    Numbered** at = &first;
    while (*at != this) at = &(*at)->after_;
    *at = after_;
  }

 private:
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
