// The executors that the kernels of SGD are compiled for: those of all workloads, and std::async.
#pragma once

#include "workloads/executor/dispatch.hpp"
#include "workloads/sgd/async.hpp"

#define CHARM_SGD_EXECUTORS(M) CHARM_WORKLOADS_EXECUTORS(M) M(AsyncExecutor)

namespace charm::workloads {

/// with_executor() with std::async beside the runtimes.
template <class F>
void with_sgd_executor(const Runner& runner, F&& f) {
  if (runner.runtime != AsyncExecutor::name) return with_executor(runner, f);
  AsyncExecutor executor(runner.workers);
  f(executor);
}

}  // namespace charm::workloads
