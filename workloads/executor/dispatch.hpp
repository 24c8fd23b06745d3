// Maps a runtime's name to its executor: with_executor({"tbb", 4}, [](auto& executor) { … }) calls the function with
// one, whose run() it uses around all parallel parts.
#pragma once

#include <charm/error.hpp>

#include <string>

#include "workloads/executor/all.hpp"
#include "workloads/executor/any.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads {

template <class F>
void with_executor(const Runner& runner, F&& f) {
  std::string known;
#define CHARM_WORKLOADS_TRY(Type)          \
  if (runner.runtime == Type::name) {      \
    Type executor(runner.workers);         \
    place_arrays(executor, runner.memory); \
    f(executor);                           \
    return;                                \
  }                                        \
  known += (known.empty() ? "" : ", ") + std::string(Type::name);
  CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_TRY)
#undef CHARM_WORKLOADS_TRY
  throw Error(Errc::bad_config, "runtime '" + runner.runtime + "' is not one of this build's", "choose among " + known);
}

/// The same for what is not timed: the function is compiled once.
template <class F>
void with_any_executor(const Runner& runner, F&& f) {
  with_executor(runner, [&f](auto& executor) { f(AnyExecutor(executor)); });
}

}  // namespace charm::workloads
