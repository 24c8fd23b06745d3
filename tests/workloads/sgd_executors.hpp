// Runs a test body on every executor of SGD: those of all workloads, and std::async.
#pragma once

#include "workloads/executors.hpp"
#include "workloads/sgd/executors.hpp"

namespace charm::workloads::testing {

/// f(executor), inside its run().
template <class F>
void on_every_sgd_executor(F&& f) {
  on_every_executor(f);
  SCOPED_TRACE(AsyncExecutor::name);
  AsyncExecutor executor(3);
  executor.run([&] { f(executor); });
}

}  // namespace charm::workloads::testing
