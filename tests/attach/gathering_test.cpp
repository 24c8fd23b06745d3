// What is left to a kernel that gathers the threads of a process on one cache, and what is not.
#include "tools/attach/gathering.hpp"

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"
#include "placement/machines.hpp"

namespace {

using namespace charm::attach;
using charm::placement::SocketOrder;
using charm::placement::Standing;
using Program = charm::test::SteeredProgram;

constexpr Standing on_one{SocketOrder::fill, 1};

/// The most threads that are left to the kernel; 0: none.
int most_left(const charm::Machine& machine) {
  int most = 0;
  for (int workers = 2; workers <= 64; ++workers) {
    if (!kernel_would_gather(machine, workers, on_one)) continue;
    EXPECT_TRUE(most == 0 || most == workers - 1) << "there is one limit";
    most = workers;
  }
  return most;
}

TEST(Gathering, EndsAtHalfACachesCpusPlusOneAndFourFifthsOfItsCores) {
  EXPECT_EQ(most_left(charm::test::uniform(1, 2, 4)), 3) << "as Linux 7.3.4 did with two caches of four cpus";
  EXPECT_EQ(most_left(charm::test::uniform(1, 4, 8)), 5);
  EXPECT_EQ(most_left(charm::test::uniform(1, 4, 8, 2)), 6) << "of 16 cpus, but 8 cores";
  EXPECT_EQ(most_left(charm::test::uniform(1, 4, 2)), 0) << "two threads are more than four fifths of two cores";
}

TEST(Gathering, IsNotForWhatTheKernelDoesNotKnow) {
  EXPECT_FALSE(kernel_would_gather(charm::test::uniform(1, 1, 8), 2, on_one)) << "one cache";
  EXPECT_FALSE(kernel_would_gather(charm::test::uniform(2, 2, 8), 2, on_one)) << "two nodes";
  EXPECT_FALSE(kernel_would_gather(charm::test::uniform(1, 4, 8), 2, {SocketOrder::fill, 2})) << "more caches wanted";
  EXPECT_FALSE(kernel_would_gather(charm::test::uniform(1, 4, 8), 1, on_one)) << "one thread is not gathered";
  for (const int other : {0, 1}) {
    charm::test::Shape shape;
    shape.sockets = {
        {{{8, 1 << 20}, other == 0 ? charm::test::Shape::Die{8, 3 << 20} : charm::test::Shape::Die{6, 1 << 20}}}};
    EXPECT_FALSE(kernel_would_gather(charm::test::build(shape), 2, on_one)) << "unequal caches";
  }
}

/// A program of three busy threads and little memory on four caches of eight cores.
struct Small : Program {
  explicit Small(const std::string& policy, bool kernel = true) : Program(charm::test::uniform(1, 4, 8), policy) {
    program.resident = 1e6;
    program.kernel_gathers = kernel;
    for (int i = 0; i < 3; ++i) program.start(1.0);
    pass(5);
  }
  /// Whether every thread may run on all cpus.
  [[nodiscard]] bool is_free() const {
    return std::all_of(program.all.begin(), program.all.end(),
                       [&](const auto& one) { return one.second.mask == machine.allowed_cpus; });
  }
};

TEST(Gathering, AdaptiveLeavesToTheKernelWhatItWouldDoItselfAndSaysSo) {
  const Small left("adaptive");
  EXPECT_TRUE(left.thread_placer.left_to_kernel());
  EXPECT_TRUE(left.is_free());
  EXPECT_NE(left.thread_placer.trouble().find("cache-aware scheduling"), std::string::npos);
  const Small older("adaptive", false);
  EXPECT_FALSE(older.thread_placer.left_to_kernel());
  EXPECT_FALSE(older.is_free());
  const Small asked("local");
  EXPECT_FALSE(asked.is_free()) << "whoever names a policy has it";
}

TEST(Gathering, IsTakenOverWhenTheKernelCannotBeRightAndGivenBack) {
  Small run("adaptive");
  const int one = run.program.start(1.0), two = run.program.start(1.0), three = run.program.start(1.0);
  run.pass(5);
  EXPECT_FALSE(run.thread_placer.left_to_kernel()) << "six threads on a cache of eight";
  EXPECT_EQ(run.cpus_of_workers().size(), 6U);
  EXPECT_EQ(run.program.collisions, 0);
  for (const int id : {one, two, three}) run.program.end(id);
  run.pass(5);
  EXPECT_TRUE(run.thread_placer.left_to_kernel());
  EXPECT_TRUE(run.is_free());

  run.program.resident = 400e6;  // more than a cache holds
  run.pass(10);
  EXPECT_FALSE(run.thread_placer.left_to_kernel());
  EXPECT_FALSE(run.is_free());
}

TEST(Gathering, OfTwoProcessesNothingIsLeftToTheKernel) {
  Small run("kernel");
  ASSERT_TRUE(run.thread_placer.left_to_kernel());
  run.program.start(1.0, 0, 2);
  run.pass(5);
  EXPECT_FALSE(run.thread_placer.left_to_kernel());
  EXPECT_FALSE(run.is_free());
}

TEST(Gathering, TheThreadsOfAProgramThatIsGivenBackAreAsTheyCame) {
  Small run("kernel");
  run.thread_placer.restore();
  EXPECT_TRUE(run.is_free());
}

/// Whatever the machine and the program.
TEST(Gathering, UnderPolicyKernelNoThreadIsEverOnASingleCpu) {
  EXPECT_TRUE(rc::check([] {
    Program run(charm::test::uniform(*rc::gen::inRange(1, 3), *rc::gen::inRange(1, 5), *rc::gen::inRange(2, 9)),
                "kernel");
    run.program.kernel_gathers = *rc::gen::arbitrary<bool>();
    run.program.has_counters = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) run.program.done = 0;
    std::vector<int> threads;
    for (int round = 0; round < 6; ++round) {
      run.program.resident = *rc::gen::element(1e6, 60e6, 4e9);
      if (!threads.empty() && *rc::gen::inRange(0, 3) == 0) {
        run.program.end(threads.back());
        threads.pop_back();
      } else {
        const int more = *rc::gen::inRange(1, 7);
        for (int i = 0; i < more; ++i) threads.push_back(run.program.start(1.0, 0, *rc::gen::element(1, 1, 1, 2)));
      }
      for (int i = 0; i < 30; ++i) {
        run.pass(0.1);
        if (run.program.done) *run.program.done += 1;
        for (const auto& [id, thread] : run.program.all) {
          RC_ASSERT(thread.mask.size() > 1U);
          // Whole chiplets.
          for (const int cpu : thread.mask) {
            const auto& chiplet = run.machine.chiplets[static_cast<std::size_t>(run.machine.core_of_cpu(cpu)->chiplet)];
            for (const int core : chiplet.cores)
              RC_ASSERT(thread.mask.contains(run.machine.cores[static_cast<std::size_t>(core)].cpu));
          }
        }
      }
      RC_ASSERT(!run.thread_placer.decides());
    }
  }));
}

}  // namespace
