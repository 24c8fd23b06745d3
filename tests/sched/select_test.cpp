// select(): exactly one operation is done, whoever comes first, and nothing is lost between two selects.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;
using charm::channel;

class Select : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Select, testing::Values(1, 2, 4));

TEST_P(Select, TakesWhatIsReady) {
  channel<int> numbers(1);
  channel<std::string> words(1);
  words.send("one");
  std::string got;
  auto either = [&] {
    return charm::select(charm::recv_from(numbers, [&](std::optional<int> n) { got = std::to_string(n.value()); }),
                         charm::recv_from(words, [&](std::optional<std::string> word) { got = word.value(); }));
  };
  EXPECT_EQ(either(), 1U);  // in this thread
  EXPECT_EQ(got, "one");
  numbers.send(5);
  EXPECT_EQ(charm::run(either), 0U);
  EXPECT_EQ(got, "5");
  EXPECT_EQ(numbers.size() + words.size(), 0U);
}

TEST_P(Select, AStopThatWasRequestedBeforeComesAfterWhatIsReady) {
  std::stop_source source;
  source.request_stop();
  channel<int> numbers;
  numbers.send(1);
  const auto take = [&] {
    return charm::select(charm::recv_from(numbers, [](std::optional<int>) {}),
                         charm::stopped_by(source.get_token(), [] {}));
  };
  EXPECT_EQ(take(), 0U);
  EXPECT_EQ(take(), 1U);
}

TEST_P(Select, ChoosesAmongThoseThatAreReadyWithoutPreference) {
  channel<int> a;
  channel<int> b;
  for (int i = 0; i < 1000; ++i) {
    a.send(i);
    b.send(i);
  }
  int from_a = 0;
  for (int i = 0; i < 1000; ++i)
    charm::select(charm::recv_from(a, [&](std::optional<int>) { ++from_a; }),
                  charm::recv_from(b, [](std::optional<int>) {}));
  EXPECT_GT(from_a, 0);
  EXPECT_LT(from_a, 1000);
}

TEST_P(Select, ADefaultAndATimeLimitEndTheWait) {
  channel<int> empty;
  channel<std::unique_ptr<int>> full(0);
  auto value = std::make_unique<int>(3);
  bool done = false;
  auto never = [](auto&&...) { ADD_FAILURE(); };
  charm::run([&] {
    EXPECT_EQ(charm::select(charm::otherwise([&] { done = true; }), charm::recv_from(empty, never),
                            charm::send_to(full, value, never)),
              0U);
    EXPECT_TRUE(std::exchange(done, false));
    EXPECT_EQ(charm::select(charm::recv_from(empty, never), charm::send_to(full, value, never),
                            charm::after(2ms, [&] { done = true; })),
              2U);
  });
  EXPECT_TRUE(std::exchange(done, false));
  EXPECT_EQ(charm::select(charm::recv_from(empty, never), charm::after(1ms, [&] { done = true; })), 1U);
  EXPECT_TRUE(done);
  ASSERT_TRUE(value);  // kept where it was not sent
  // Nobody is left in the lists: what is sent now stays.
  empty.send(1);
  EXPECT_EQ(empty.size(), 1U);
  EXPECT_FALSE(full.try_recv());
}

TEST_P(Select, WaitsUntilSomethingComes) {
  channel<int> numbers(0);
  channel<int> answers(0);
  auto server = charm::async([&] {
    int sum = 0;
    for (bool open = true; open;) {
      charm::select(charm::recv_from(numbers,
                                     [&](std::optional<int> n) {
                                       open = n.has_value();
                                       sum += n.value_or(0);
                                     }),
                    charm::send_to(answers, sum, [&](bool sent) {
                      EXPECT_TRUE(sent);
                      sum = 0;
                    }));
    }
    return sum;
  });
  int sum = 0;
  for (int i = 1; i <= 300; ++i) {
    numbers.send(i);
    if (i % 3 == 0) sum += answers.recv().value();
  }
  numbers.close();
  EXPECT_EQ(sum + server.get(), 300 * 301 / 2);
}

TEST_P(Select, AClosedChannelIsReady) {
  channel<int> closed;
  channel<int> open;
  closed.close();
  std::optional<bool> sent;
  std::optional<bool> empty;
  int value = 1;
  EXPECT_EQ(charm::select(charm::send_to(closed, value, [&](bool s) { sent = s; })), 0U);
  EXPECT_EQ(charm::select(charm::recv_from(open, [](std::optional<int>) {}),
                          charm::recv_from(closed, [&](std::optional<int> v) { empty = !v.has_value(); })),
            1U);
  EXPECT_EQ(sent, false);
  EXPECT_EQ(empty, true);
  // Closing wakes those that wait, once.
  std::atomic<int> woken{0};
  channel<int> channels[2]{channel<int>(0), channel<int>(0)};
  std::vector<charm::future<void>> waiting;
  for (int i = 0; i < 10; ++i) {
    waiting.push_back(charm::async([&] {
      int mine = 7;
      charm::select(charm::recv_from(channels[0], [&](std::optional<int> v) { woken += v ? 100 : 1; }),
                    charm::recv_from(channels[1], [&](std::optional<int> v) { woken += v ? 100 : 1; }),
                    charm::send_to(open, mine));  // unbounded: at most one of these takes part
    }));
  }
  channels[0].close();
  channels[1].close();
  for (auto& each : waiting) each.get();
  EXPECT_LE(woken, 10);
}

TEST_P(Select, TwoSelectsMeetAtOneChannel) {
  channel<int> there(0);
  channel<int> back(0);
  auto ping = charm::async([&] {
    long sum = 0;
    int sends = 0;
    int receives = 0;
    for (int i = 0; i < 1000; ++i) {
      int value = i;
      charm::select(charm::send_to(there, value, [&](bool) { ++sends; }),
                    charm::recv_from(back, [&](std::optional<int> v) {
                      ++receives;
                      sum += *v;
                    }));
    }
    return std::tuple(sum, sends, receives);
  });
  long sum = 0;
  int sends = 0;
  int receives = 0;
  for (int i = 0; i < 1000; ++i) {
    int value = i;
    charm::select(charm::recv_from(there,
                                   [&](std::optional<int> v) {
                                     ++receives;
                                     sum += *v;
                                   }),
                  charm::send_to(back, value, [&](bool) { ++sends; }));
  }
  const auto [other_sum, other_sends, other_receives] = ping.get();
  EXPECT_EQ(sends, other_receives);
  EXPECT_EQ(receives, other_sends);
  EXPECT_EQ(sends + receives, 1000);
}

/// Many selects and plain operations over the same channels, some of them with time limits: every value arrives once.
TEST_P(Select, LosesAndDoublesNothing) {
  constexpr int senders = 6;
  constexpr int receivers = 5;
  constexpr int each = 400;
  std::vector<std::unique_ptr<channel<int>>> lines;
  for (std::size_t capacity : {0U, 0U, 1U, 4U}) lines.push_back(std::make_unique<channel<int>>(capacity));
  std::atomic<int> running{senders};
  std::mutex mutex;
  std::multiset<int> received;
  auto send_all = [&](int who) {
    for (int i = 0; i < each; ++i) {
      int value = who * each + i;
      channel<int>& a = *lines[static_cast<std::size_t>(i + who) % 4];
      channel<int>& b = *lines[static_cast<std::size_t>(i + who + 1) % 4];
      bool sent = false;
      while (!sent) {
        if (i % 3 == 0) {
          sent = a.send(value);
        } else if (i % 3 == 1) {
          charm::select(charm::send_to(a, value, [&](bool s) { sent = s; }),
                        charm::send_to(b, value, [&](bool s) { sent = s; }));
        } else {
          charm::select(charm::send_to(b, value, [&](bool s) { sent = s; }),
                        charm::send_to(a, value, [&](bool s) { sent = s; }), charm::after(30us, [] {}));
        }
      }
    }
    if (--running == 0) {
      for (auto& line : lines) line->close();
    }
  };
  auto receive_all = [&](int who) {
    std::vector<int> mine;
    bool ended[4] = {};
    auto take = [&](std::size_t line) {
      return charm::recv_from(*lines[line], [&mine, &ended, line](std::optional<int> value) {
        if (value)
          mine.push_back(*value);
        else
          ended[line] = true;
      });
    };
    for (std::size_t turn = static_cast<std::size_t>(who); !(ended[0] && ended[1] && ended[2] && ended[3]); ++turn) {
      const std::size_t first = turn % 4;
      if (turn % 7 == 0) {
        if (auto value = lines[first]->try_recv_for(20us)) mine.push_back(*value);
      } else if (turn % 2 == 0) {
        charm::select(take(first), take((first + 1) % 4), take((first + 2) % 4), take((first + 3) % 4));
      } else {
        charm::select(take(first), take((first + 3) % 4), charm::after(50us, [] {}));
      }
    }
    std::lock_guard lock(mutex);
    received.insert(mine.begin(), mine.end());
  };
  std::vector<std::thread> outside;
  outside.emplace_back([&] { send_all(0); });
  outside.emplace_back([&] { receive_all(0); });
  charm::run([&] {
    charm::task_group group;
    for (int s = 1; s < senders; ++s) group.run([&, s] { send_all(s); });
    for (int r = 1; r < receivers; ++r) group.run([&, r] { receive_all(r); });
    group.wait();
  });
  for (auto& thread : outside) thread.join();
  std::vector<int> all(senders * each);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(std::vector<int>(received.begin(), received.end()), all);
}

/// A value whose move throws when it is told to.
struct Fragile {
  Fragile(int n) : number(n) {}  // NOLINT: converts
  Fragile(Fragile&& other) : number(other.number) {
    if (breaks.exchange(false)) throw std::runtime_error("broken");
  }
  Fragile& operator=(Fragile&& other) = default;
  int number;
  static inline std::atomic<bool> breaks{false};
};

TEST_P(Select, ATransferThatThrowsServesNobodyAndTheSelectGoesOn) {
  channel<Fragile> first(0);
  channel<Fragile> second(0);
  std::atomic<bool> waits{false};
  auto receiver = charm::async([&] {
    int got = 0;
    waits = true;
    charm::select(charm::recv_from(second, [&](std::optional<Fragile> v) { got = v->number; }),
                  charm::recv_from(first, [&](std::optional<Fragile> v) { got = v->number; }));
    return got;
  });
  charm::run([&] {
    while (!waits) charm::yield();
    for (int i = 0; i < 100; ++i) charm::yield();
    Fragile value(1);
    Fragile::breaks = true;
    // Without a receiver there yet it is not moved; then the next attempt throws.
    bool thrown = false;
    while (!thrown) {
      try {
        ASSERT_FALSE(first.try_send(value));
        charm::yield();
      } catch (const std::runtime_error&) {
        thrown = true;
      }
    }
    while (!second.try_send(Fragile(2))) charm::yield();  // it waits there again
  });
  EXPECT_EQ(receiver.get(), 2);
}

TEST_P(Select, EndsWhereTheGroupIsCancelled) {
  channel<int> a(0);
  channel<int> b(0);
  charm::latch waits(1);
  std::atomic<bool> cancelled{false};
  charm::run([&] {
    charm::task_group group;
    group.run([&] {
      waits.count_down();
      try {
        charm::select(charm::recv_from(a, [](std::optional<int>) {}), charm::recv_from(b, [](std::optional<int>) {}));
      } catch (const charm::Error& error) {
        cancelled = error.code() == charm::Errc::cancelled;
        throw;
      }
    });
    auto canceller = charm::async([&] {
      waits.wait();
      for (int i = 0; i < 20; ++i) charm::yield();
      group.cancel();
    });
    group.wait();
    canceller.get();
  });
  EXPECT_TRUE(cancelled);
  int value = 1;
  EXPECT_FALSE(a.try_send(value));
}

TEST(DroppedSelect, IsTakenOutOfAllItsChannels) {
  channel<int> a(0);
  channel<int> b(0);
  auto runtime = std::make_unique<Running>(2);
  charm::future<void> stuck = charm::async([&] {
    charm::name_task("chooser");
    int value = 1;
    charm::select(charm::recv_from(a, [](std::optional<int>) {}), charm::send_to(b, value));
  });
  auto waits = [] {
    for (const charm::TaskInfo& task : charm::tasks()) {
      if (task.waits_for == "one of several channels") return true;
    }
    return false;
  };
  while (!waits()) std::this_thread::yield();
  runtime.reset();
  try {
    stuck.get();
    ADD_FAILURE() << "a dropped task has a value";
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::not_running);
    EXPECT_NE(std::string(error.what()).find("'chooser'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("for one of several channels"), std::string::npos) << error.what();
  }
  int value = 1;
  EXPECT_FALSE(a.try_send(value));
  EXPECT_FALSE(b.try_recv());
}

}  // namespace
