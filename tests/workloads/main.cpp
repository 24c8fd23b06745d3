// The tests' program: CHARM is started once for all of them.
#include <gtest/gtest.h>

#include "workloads/executors.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::AddGlobalTestEnvironment(new charm::workloads::testing::RuntimeEnvironment);
  return RUN_ALL_TESTS();
}
