// Cancelling: what has not begun is dropped, what belongs to the cancelled group with it; loops stop early.
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "algorithms/runtimes.hpp"
#include "base/error_code.hpp"

namespace {

using Cancellation = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Cancellation, shapes());

using charm::test::code_of;

TEST_P(Cancellation, TasksThatHaveNotBegunAreDropped) {
  charm::run([] {
    charm::task_group group;
    std::atomic<int> ran{0};
    group.cancel();
    EXPECT_TRUE(group.is_cancelled());
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 0);
    EXPECT_FALSE(group.is_cancelled()) << "wait() makes the group fresh";
    group.run([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 1);
  });
}

TEST_P(Cancellation, FromOutsideOfTasks) {
  charm::task_group group;
  std::atomic<int> ran{0};
  group.cancel();
  for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
  group.wait();
  EXPECT_EQ(ran, 0);
}

TEST_P(Cancellation, ATaskSeesThatItsGroupWasCancelled) {
  charm::run([] {
    EXPECT_FALSE(charm::is_cancelled());
    charm::task_group group;
    group.run([&] {
      EXPECT_FALSE(charm::is_cancelled());
      group.cancel();
      EXPECT_TRUE(charm::is_cancelled());
      charm::yield();
      EXPECT_TRUE(charm::is_cancelled()) << "also after it has waited";
      charm::invoke([] { EXPECT_TRUE(charm::is_cancelled()); }, [] { EXPECT_TRUE(charm::is_cancelled()); });
    });
    group.wait();
    EXPECT_FALSE(charm::is_cancelled());
  });
  EXPECT_FALSE(charm::is_cancelled());
}

TEST_P(Cancellation, NestedGroupsInherit) {
  charm::run([] {
    charm::task_group outer;
    std::atomic<int> ran{0};
    std::atomic<bool> told{false};
    outer.run([&] {
      charm::invoke(
          [&] {
            charm::task_group middle;
            middle.run([&] {
              charm::task_group inner;
              outer.cancel();
              EXPECT_TRUE(inner.is_cancelled());
              inner.run([&] { ++ran; });
              EXPECT_EQ(code_of([&] { inner.wait(); }), charm::Errc::cancelled);
              told = true;
              inner.wait();  // throws again, as long as the outer group is cancelled
              ++ran;
            });
            middle.wait();
            ++ran;
          },
          [] {});
      ++ran;
    });
    outer.wait();  // was cancelled by a call, so there is nothing to report
    EXPECT_TRUE(told);
    EXPECT_EQ(ran, 0);
  });
}

TEST_P(Cancellation, AnInnerGroupDoesNotCancelTheOuter) {
  charm::run([] {
    charm::task_group outer;
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i) {
      outer.run([&] {
        charm::task_group inner;
        inner.run([] { throw std::string("inner"); });
        EXPECT_THROW(inner.wait(), std::string);
        EXPECT_FALSE(charm::is_cancelled());
        ++ran;
      });
    }
    outer.wait();
    EXPECT_EQ(ran, 20);
  });
}

TEST_P(Cancellation, AGroupOnTheHeapStandsForItself) {
  charm::run([] {
    charm::task_group outer;
    std::atomic<int> ran{0};
    outer.run([&] {
      auto own = std::make_unique<charm::task_group>();
      outer.cancel();
      own->run([&] { ++ran; });
      own->wait();
    });
    outer.wait();
    EXPECT_EQ(ran, 1);
  });
}

TEST_P(Cancellation, AsyncTasksStandForThemselves) {
  charm::run([] {
    charm::task_group group;
    std::atomic<bool> cancelled{true};
    group.run([&] {
      group.cancel();
      charm::async([&] { cancelled = charm::is_cancelled(); }).get();
    });
    group.wait();
    EXPECT_FALSE(cancelled);
  });
}

TEST_P(Cancellation, LoopsStopEarly) {
  for (charm::Schedule schedule :
       {charm::Schedule::lazy, charm::Schedule::static_, charm::Schedule::dynamic, charm::Schedule::affine}) {
    charm::run([&] {
      charm::task_group group;
      std::atomic<long> ran{0};
      std::atomic<bool> told{false};
      group.run([&] {
        told = code_of([&] {
                 charm::parallel_for(0L, 1L << 40,
                                     [&](long) {
                                       if (++ran == 100) group.cancel();
                                     },
                                     {1, schedule});
               }) == charm::Errc::cancelled;
      });
      group.wait();
      EXPECT_TRUE(told);
    });
  }
}

TEST_P(Cancellation, ReductionsStopEarly) {
  for (bool deterministic : {false, true}) {
    charm::run([&] {
      charm::task_group group;
      std::atomic<long> ran{0};
      group.run([&] {
        charm::parallel_reduce(
            0L, 1L << (deterministic ? 20 : 40), 0L,
            [&](long, long, long sum) {
              if (++ran == 10) group.cancel();
              return sum;
            },
            [](long a, long b) { return a + b; }, {1, deterministic});
        ADD_FAILURE() << "a result of less than all";
      });
      group.wait();
      EXPECT_LT(ran, 1L << 20);
    });
  }
}

TEST_P(Cancellation, AnExceptionStopsALoopAndThoseNestedInIt) {
  for (charm::Schedule schedule :
       {charm::Schedule::lazy, charm::Schedule::static_, charm::Schedule::dynamic, charm::Schedule::affine}) {
    std::atomic<long> ran{0};
    try {
      charm::parallel_for(0, 4,
                          [&](int i) {
                            if (i == 0) {
                              while (charm::num_workers() > 1 && ran == 0) charm::yield();
                              throw std::string("first");
                            }
                            charm::parallel_for(0L, 1L << 40,
                                                [&](long j) {
                                                  if (j % 64 == 0) charm::yield();
                                                  ++ran;
                                                },
                                                {.grain = 1});
                          },
                          {1, schedule});
      ADD_FAILURE() << "no exception";
    } catch (const std::string& text) {
      EXPECT_EQ(text, "first") << "and not what the nested loops threw because they were stopped";
    }
  }
}

TEST_P(Cancellation, AnExceptionCancelsTheRestOfTheGroup) {
  charm::run([] {
    charm::task_group group;
    std::atomic<int> ran{0};
    for (int i = 0; i < 2000; ++i) {
      group.run([&, i] {
        if (i == 1999) throw std::logic_error("the newest, which a single worker runs first");
        ++ran;
      });
    }
    EXPECT_THROW(group.wait(), std::logic_error);
    if (charm::num_workers() == 1) {
      EXPECT_EQ(ran, 0);
    }
    group.run([&] { ran = -1; });
    group.wait();
    EXPECT_EQ(ran, -1) << "the group is fresh again";
  });
}

TEST_P(Cancellation, DroppingAGroupCancelsIt) {
  charm::run([] {
    std::atomic<int> running{0};
    std::atomic<int> in_vain{0};
    {
      charm::task_group group;
      for (int i = 0; i < 1000; ++i) {
        group.run([&] {
          ++running;
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
          while (!charm::is_cancelled() && std::chrono::steady_clock::now() < end) charm::yield();
          if (!charm::is_cancelled()) ++in_vain;
          --running;
        });
      }
    }
    EXPECT_EQ(running, 0);
    EXPECT_EQ(in_vain, 0) << "tasks waited for the cancellation of their group";
  });
}

TEST_P(Cancellation, ManyGroupsCancelledAtOnceByOthers) {
  for (int round = 0; round < 20; ++round) {
    charm::run([&] {
      charm::task_group groups[4];
      std::atomic<int> started{0};
      for (charm::task_group& group : groups) {
        group.run([&] {
          ++started;
          charm::task_group inner;
          for (int i = 0; i < 50; ++i) {
            inner.run([&] {
              while (!charm::is_cancelled()) charm::yield();
            });
          }
          inner.wait();
        });
      }
      charm::task_group killer;
      for (charm::task_group& group : groups) {
        killer.run([&] {
          while (started < 4) charm::yield();
          group.cancel();
        });
      }
      killer.wait();
      for (charm::task_group& group : groups) group.wait();
    });
  }
}

}  // namespace
