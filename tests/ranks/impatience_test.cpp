#include "ranks/impatience.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/notices.hpp"

namespace charm::remote {
namespace {

bool was_said(const std::string& text) {
  const std::vector<std::string> all = base::notices();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& each) { return each.find(text) != std::string::npos; });
}

TEST(Impatience, SpeaksWhenAWaitTakesLong) {
  const Impatience impatience(std::chrono::milliseconds(1), "long wait", "a long wait");
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!was_said("a long wait") && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(was_said("a long wait"));
}

TEST(Impatience, IsSilentWhereItEnds) {
  {
    const Impatience impatience(std::chrono::hours(1), "short wait", "a short wait");
  }
  EXPECT_FALSE(was_said("a short wait"));
}

}  // namespace
}  // namespace charm::remote
