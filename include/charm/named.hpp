// A function with a name, which becomes the name of the task that runs it.
#pragma once

#include <charm/detail/requirements.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// Gives the running task this name for the time of a call, and then its former name back.
class WithName {
 public:
  explicit WithName(std::string_view name) noexcept;
  ~WithName();
  WithName(const WithName&) = delete;
  WithName& operator=(const WithName&) = delete;

 private:
  std::array<std::uint64_t, 4> former_{};
};

template <class F>
struct Named {
  std::string name;
  F function;
  decltype(auto) operator()() {
    const WithName within(name);
    return std::invoke(function);
  }
};

/// The name by which errors call a task that runs such a function; empty: no name of its own.
template <class F>
std::string_view name_of(const F& /*function*/) noexcept {
  return {};
}
template <class F>
std::string_view name_of(const Named<F>& named) noexcept {
  return named.name;
}

}  // namespace detail

/// `group.run(charm::named("parse", f))`: the task that runs `f()` has that name while it runs, in tasks(), the reports
/// of deadlocks and of stack overflows, debuggers, and in the report of an exception that leaves a detached task. Use
/// it with everything that takes a function without arguments. At most 31 bytes are kept.
template <class F>
  requires std::is_invocable_v<std::decay_t<F>&>
auto named(std::string name, F&& function) {
  return detail::Named<std::decay_t<F>>{std::move(name), std::forward<F>(function)};
}

}  // namespace charm
