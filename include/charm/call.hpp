// Running something somewhere in particular: on a worker, on any worker of a chiplet or of a NUMA node (CHARM §4.6).
#pragma once

#include <charm/future.hpp>
#include <charm/runtime.hpp>

#include <type_traits>
#include <utility>

namespace charm {

/// Destinations; ids are those of worker_id() and Machine. The task of a worker stays on it even where it suspends; the
/// task of a chiplet or node starts there.
struct on_worker {
  int id;  ///< 0 .. num_workers()-1
};
/// Any worker of a chiplet.
struct on_chiplet {
  int id;  ///< index in Machine::chiplets
};
/// Any worker of a NUMA node.
struct on_node {
  int id;  ///< index in Machine::nodes
};

namespace detail {
inline Target target(on_worker w) noexcept { return {Target::Kind::worker, w.id}; }
inline Target target(on_chiplet c) noexcept { return {Target::Kind::chiplet, c.id}; }
inline Target target(on_node n) noexcept { return {Target::Kind::node, n.id}; }
inline Target target(int worker) noexcept { return {Target::Kind::worker, worker}; }
}  // namespace detail

/// Starts `function` there. \throws Error (bad_input) where no worker sits there, (not_running).
template <class Where, class F>
auto call_async(Where where, F&& function) -> future<std::invoke_result_t<std::decay_t<F>&>> {
  auto* job = detail::make_async(std::forward<F>(function));
  try {
    detail::post(detail::target(where), *job);
  } catch (...) {
    job->destroy(job);
    throw;
  }
  return future<std::invoke_result_t<std::decay_t<F>&>>(job);
}

/// Starts `function` there and waits for what it returns or throws. `function` may refer to the caller's variables.
template <class Where, class F>
auto call(Where where, F&& function) -> std::invoke_result_t<F&> {
  return call_async(where, [&function]() -> std::invoke_result_t<F&> { return function(); }).get();
}

}  // namespace charm
