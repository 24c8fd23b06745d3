#include "tools/cli/bench/charm_runtime.hpp"

#include <charm/stats.hpp>

#include <string>

#include <gtest/gtest.h>

namespace {

TEST(CharmRuntime, RowsOfThePolicyInTheSettingsHaveItsParameters) {
  charm::Config config;
  config.policy = "adaptive:tick=0.4";
  charm::cli::CharmRuntime runtime(config, 1);
  const auto in_force = [&](const char* policy) {
    return runtime.with(policy, "", [] { return charm::stats().policy; });
  };
  EXPECT_EQ(in_force("adaptive"), "adaptive:tick=0.4");
  EXPECT_EQ(in_force("local"), "local");
}

}  // namespace
