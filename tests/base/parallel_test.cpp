// Pieces of work on several threads: each once, and the first piece's error.
#include "tools/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using charm::base::for_each_piece;

TEST(Pieces, AreDoneOnceEachWhateverTheJobs) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) {
    for (const int jobs : {0, 1, 2, 5, 200}) {
      std::vector<int> times(count, 0);  // a piece has its own: two threads at one would be a race
      for_each_piece(count, jobs, [&](std::size_t i) { ++times[i]; });
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; })) << count << " on " << jobs;
    }
  }
}

TEST(Pieces, RunBesideEachOther) {
  std::atomic<int> arrived{0};
  std::atomic<int> met{0};
  for_each_piece(3, 3, [&](std::size_t) {
    ++arrived;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (arrived < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (arrived == 3) ++met;
  });
  EXPECT_EQ(met, 3);
}

TEST(Pieces, TheErrorOfTheFirstLeavesWhenAllHaveEnded) {
  std::atomic<int> ended{0};
  try {
    for_each_piece(50, 4, [&](std::size_t i) {
      ++ended;
      if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
  EXPECT_EQ(ended, 50);
}

}  // namespace
