// From a runtime's name to its executor: with_executor("tbb", 4, [](auto& executor) { … }) calls it with one,
// whose run() the callable uses around whatever is parallel.
#pragma once

#include <charm/error.hpp>

#include <string>
#include <string_view>

#include "workloads/executor/all.hpp"

namespace charm::workloads {

template <class F>
void with_executor(std::string_view runtime, int workers, F&& f) {
  std::string known;
#define CHARM_WORKLOADS_TRY(Type) \
  if (runtime == Type::name) {    \
    Type executor(workers);       \
    f(executor);                  \
    return;                       \
  }                               \
  known += (known.empty() ? "" : ", ") + std::string(Type::name);
  CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_TRY)
#undef CHARM_WORKLOADS_TRY
  throw Error(Errc::bad_config, "runtime '" + std::string(runtime) + "' is not one of this build's",
              "choose among " + known);
}

}  // namespace charm::workloads
