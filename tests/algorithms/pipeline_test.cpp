// Pipelines: each item passes each stage once, serial stages take one at a time, and in order those that promise it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/runtimes.hpp"
#include "thorough.hpp"

namespace {

using namespace std::chrono_literals;

using Pipeline = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Pipeline, shapes());

/// Makes 0 .. count - 1.
auto numbers(int count) {
  return charm::serial_in_order(
      [next = 0, count]() mutable { return next < count ? std::optional(next++) : std::nullopt; });
}

void wait_for_a_moment(unsigned random) {
  if (random % 8 == 0) charm::yield();
  if (random % 64 == 1) charm::sleep_for(std::chrono::microseconds(random % 200));
  for (unsigned i = random % 300; i > 0; --i) asm volatile("");
}

TEST_P(Pipeline, KeepsTheOrderWhateverTheStagesDo) {
  std::mt19937 random(5);
  for (int round = 0; round < (charm::tests::thorough() ? 400 : 20); ++round) {
    const int items = 1 + static_cast<int>(random() % 20);
    const int count = static_cast<int>(random() % 500);
    const unsigned seed = random();
    std::vector<int> ordered;
    std::vector<int> seen;  // one at a time
    std::atomic<int> under_way{0};
    std::atomic<int> most{0};
    std::atomic<int> inside{0};
    std::atomic<int> crowds{0};
    const auto alone = [&](auto&& body) {
      if (++inside != 1) ++crowds;
      wait_for_a_moment(seed + static_cast<unsigned>(seen.size() * 7));
      body();
      --inside;
    };
    int next = 0;
    charm::pipeline(items, charm::serial_in_order([&]() -> std::optional<int> {
                      if (next == count) return {};
                      const int now = ++under_way;
                      for (int was = most; was < now && !most.compare_exchange_weak(was, now);) {
                      }
                      return next++;
                    }),
                    charm::parallel([&](int i) {
                      wait_for_a_moment(seed + static_cast<unsigned>(i) * 2654435761U);
                      return std::make_unique<int>(i);
                    }),
                    charm::serial_out_of_order([&](std::unique_ptr<int> i) {
                      alone([&] { seen.push_back(*i); });
                      return i;
                    }),
                    charm::parallel([&](const std::unique_ptr<int>& i) {
                      wait_for_a_moment(seed + static_cast<unsigned>(*i) * 40503U);
                      return std::to_string(*i);
                    }),
                    charm::serial_in_order([&](const std::string& text) {
                      ordered.push_back(std::stoi(text));
                      --under_way;
                    }));
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(ordered, all) << "round " << round;
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen, all);
    ASSERT_EQ(crowds, 0);
    ASSERT_LE(most, items);
  }
}

TEST_P(Pipeline, OneItemAtATimeIsALoop) {
  std::string steps;
  charm::pipeline(1, numbers(3), charm::parallel([&](int i) {
                    steps += 'a';
                    return i;
                  }),
                  charm::serial_in_order([&](int i) { steps += static_cast<char>('0' + i); }));
  EXPECT_EQ(steps, "a0a1a2");
}

TEST_P(Pipeline, ItemsOverlapWhileStagesWait) {
  charm::latch all(4);
  charm::pipeline(4, numbers(8), charm::parallel([&](int i) {
                    if (i < 4) all.count_down();
                    all.wait();  // ends only where four are under way at a time
                  }));
}

TEST_P(Pipeline, AStageAfterASlowOneGetsItsItemsInOrder) {
  std::vector<int> order;
  std::atomic<bool> others_came{false};
  charm::pipeline(8, numbers(40), charm::parallel([&](int i) {
                    if (i == 0)
                      while (!others_came) charm::yield();
                    if (i == 7) others_came = true;
                    return i;
                  }),
                  charm::serial_in_order([&](int i) { order.push_back(i); }));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 40U);
}

/// An item that was put aside and can go on is taken by somebody although the task that has let it through waits for
/// it.
TEST_P(Pipeline, AnItemThatCanGoOnIsTakenByAnother) {
  std::atomic<bool> second_is_aside{false};  // with one worker; with more it may only be on its way there
  charm::latch both_through(2);
  int made = 0;
  charm::pipeline(3, charm::serial_in_order([&]() -> std::optional<int> {
                    if (made < 2) return made++;
                    second_is_aside = true;
                    return {};
                  }),
                  charm::parallel([&](int i) {
                    while (i == 0 && !second_is_aside) charm::yield();
                    return i;
                  }),
                  charm::serial_in_order([](int i) { return i; }), charm::parallel([&](int) {
                    both_through.count_down();
                    both_through.wait();
                  }));
}

TEST_P(Pipeline, AnExceptionOfAnyStageEndsItAndDestroysTheItems) {
  for (int where = 0; where < 4; ++where) {
    const auto alive = std::make_shared<int>();
    const auto fail = [&](int stage, int i) {
      if (stage == where && i == 50) throw std::runtime_error("at 50");
    };
    struct Thing {
      int number;
      std::shared_ptr<int> alive;
    };
    int next = 0;
    EXPECT_THROW(charm::pipeline(8, charm::serial_in_order([&]() -> std::optional<Thing> {
                                   fail(0, next);
                                   return Thing{next++, alive};
                                 }),
                                 charm::parallel([&](Thing thing) {
                                   fail(1, thing.number);
                                   return thing;
                                 }),
                                 charm::serial_out_of_order([&](Thing thing) {
                                   fail(2, thing.number);
                                   return thing;
                                 }),
                                 charm::serial_in_order([&](Thing thing) { fail(3, thing.number); })),
                 std::runtime_error);
    EXPECT_EQ(alive.use_count(), 1) << where;
  }
}

TEST_P(Pipeline, ACancelledGroupEndsIt) {
  charm::run([&] {
    charm::task_group group;
    std::atomic<int> passed{0};
    group.run([&] {
      charm::pipeline(4, charm::serial_in_order([]() -> std::optional<int> { return 1; }),  // for ever
                      charm::parallel([](int i) { return i; }), charm::serial_in_order([&](int) {
                        if (++passed == 100) group.cancel();
                      }));
    });
    group.wait();
    EXPECT_GE(passed, 100);
  });
}

TEST_P(Pipeline, InsideOthersAndBesideOthers) {
  std::atomic<int> sum{0};
  charm::parallel_for(0, 10, [&](int) {
    charm::pipeline(3, numbers(10), charm::parallel([&](int i) {
                      charm::pipeline(2, numbers(i), charm::serial_in_order([&](int) { ++sum; }));
                    }));
  });
  EXPECT_EQ(sum, 10 * 45);
}

TEST_P(Pipeline, RefusesToHaveNoItems) {
  try {
    charm::pipeline(0, numbers(1), charm::parallel([](int) {}));
    FAIL();
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("0 items under way"), std::string::npos) << error.what();
  }
}

TEST(PipelineOutside, NeedsARuntime) {
  EXPECT_THROW(charm::pipeline(1, numbers(1), charm::parallel([](int) {})), charm::Error);
}

}  // namespace
