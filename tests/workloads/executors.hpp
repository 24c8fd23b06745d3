// Runs a test body on every executor of the build, with more workers than one where the runtime has them.
#pragma once

#ifdef CHARM_WORKLOADS_CHARM
#include <charm/charm.hpp>
#endif

#include <gtest/gtest.h>

#include "workloads/executor/all.hpp"

namespace charm::workloads::testing {

/// CHARM runs from before the first test to after the last.
class RuntimeEnvironment : public ::testing::Environment {
 public:
  void SetUp() override {
#ifdef CHARM_WORKLOADS_CHARM
    Config config;
    config.workers = 3;
    config.share_cores = true;
    init(config);
#endif
  }
  void TearDown() override {
#ifdef CHARM_WORKLOADS_CHARM
    finalize();
#endif
  }
};

/// f(executor), inside its run().
template <class F>
void on_every_executor(F&& f) {
#define CHARM_WORKLOADS_TEST(Type)      \
  {                                     \
    SCOPED_TRACE(Type::name);           \
    Type executor(3);                   \
    executor.run([&] { f(executor); }); \
  }
  CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_TEST)
#undef CHARM_WORKLOADS_TEST
}

}  // namespace charm::workloads::testing
