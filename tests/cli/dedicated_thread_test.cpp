#include "tools/cli/bench/dedicated_thread.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

using charm::cli::DedicatedThread;

namespace {

TEST(DedicatedThread, RunsEveryCallOnOneThreadThatIsNotTheCallers) {
  DedicatedThread thread;
  std::thread::id first;
  std::thread::id second;
  thread.run([&] { first = std::this_thread::get_id(); });
  thread.run([&] { second = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(DedicatedThread, ThrowsToTheCallerAndGoesOn) {
  DedicatedThread thread;
  EXPECT_THROW(thread.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  bool ran = false;
  thread.run([&] { ran = true; });
  EXPECT_TRUE(ran);
}

}  // namespace
