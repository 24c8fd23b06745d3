// A runtime that leases its cores: it goes over to what it holds as to any other change of cpus, gives back only what
// no worker is on any more, and has everything when it is alone.
#include "sched/control/sharing.hpp"

#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "binding/masks.hpp"
#include "lease/lease.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"

namespace {

using namespace std::chrono_literals;
using charm::lease::Lease;

class Sharing : public testing::Test {
 protected:
  Sharing() {
    charm::Config config;
    config.workers = 16;
    config.topology = "pack:1 l3:4 core:4 pu:1";
    config.policy = "local";
    config.watch_ms = 2;
    config.counters = "none";
    config.share = path();
    // On a thread that then ends: so worker 0 is never lent, and each worker is one thread in the kernel's books.
    std::thread([&] { new charm::sched::Runtime(config, kernel.watch()); }).join();
  }
  ~Sharing() override { charm::finalize(); }
  [[nodiscard]] std::string path() const { return folder_.path("shares"); }
  static charm::CpuSet allowed() { return charm::stats().allowed_cpus; }

  charm::test::FakeKernel kernel{16};

 private:
  charm::test::Folder folder_;
};

/// Keeps the workers in tasks until `enough` says so, or for far too long.
bool work_shared_until(const std::function<bool()>& enough) {
  const auto end = std::chrono::steady_clock::now() + 100s;
  while (std::chrono::steady_clock::now() < end) {
    charm::parallel_for(0, 200, [](int) {
      volatile int sink = 0;
      for (int k = 0; k < 20000; ++k) sink = sink + k;
    });
    if (enough()) return true;
  }
  return false;
}

bool wait_until(const std::function<bool()>& enough) {
  for (int i = 0; i < 250; ++i) {
    if (enough()) return true;
    std::this_thread::sleep_for(400ms);  // who asks often is not idle
  }
  return false;
}

TEST_F(Sharing, AloneItHasAllAndBesideAnotherItsPartInWholeChiplets) {
  EXPECT_EQ(allowed().size(), 16U);
  auto other = std::make_unique<Lease>(path(), charm::machine(), 100, 16);
  // All of it at one moment: left alone for a second, the runtime is idle and gives its cores back.
  charm::CpuSet mine;
  const auto settled = [&] {
    other->give_back(other->look(16).give_up);
    const auto standing = other->standing();
    mine = allowed();
    return mine.size() == 8 && standing.holds.size() == 8 && standing.due == 8 &&
           !mine.intersects(charm::binding::cpus_of_cores(charm::machine(), standing.holds));
  };
  ASSERT_TRUE(work_shared_until(settled)) << mine.to_text();
  for (const int cpu : mine) {
    EXPECT_TRUE(mine.contains(cpu / 4 * 4)) << "half a chiplet";
  }
  other.reset();
  EXPECT_TRUE(work_shared_until([] { return allowed().size() == 16; }));
  EXPECT_EQ(kernel.collisions(), 0);
  const auto decisions = charm::decisions();
  ASSERT_FALSE(decisions.empty());
  EXPECT_NE(decisions.front().reason.find("of the shared machine it has"), std::string::npos)
      << to_string(decisions.front());
}

TEST_F(Sharing, WhileItIsIdleOthersHaveItsCores) {
  Lease other(path(), charm::machine(), 100, 16);
  EXPECT_TRUE(wait_until([&] {
    other.give_back(other.look(16).give_up);
    return other.standing().holds.size() == 15;
  }));
  EXPECT_TRUE(work_shared_until([&] {
    other.give_back(other.look(16).give_up);
    return allowed().size() == 8;
  }));
}

TEST_F(Sharing, WhatIsDueToOthersIsFreeAfterALookThatSomebodyAsksFor) {
  charm::sched::Sharing& sharing = *charm::sched::Runtime::get().sharing();
  Lease other(path(), charm::machine(), 100, 16);
  EXPECT_TRUE(other.standing().holds.empty());
  bool settled = false;
  for (int look = 0; look < 1000 && !settled; ++look) settled = sharing.look_now();  // no wait: the workers sleep
  EXPECT_TRUE(settled);
  other.look(16);
  EXPECT_EQ(static_cast<int>(other.standing().holds.size()), other.standing().due);
  EXPECT_FALSE(charm::binding::cpus_of_cores(charm::machine(), other.standing().holds).intersects(allowed()));
}

charm::CpuSet cpus_of(const charm::arena& arena) {
  charm::CpuSet cpus;
  for (const charm::WorkerCore& core : arena.worker_cores()) {
    if (core.cpu >= 0) cpus.insert(core.cpu);
  }
  return cpus;
}

TEST_F(Sharing, ArenasFollowItAndItsCoresAreGivenBackOnlyWhenTheirWorkersHaveLeft) {
  charm::arena wide({.workers = 16});
  charm::arena first({.chiplets = {0}});
  charm::arena last({.chiplets = {3}});
  EXPECT_EQ(cpus_of(wide).size(), 16U);
  std::atomic<bool> stays{true};
  std::atomic<bool> there{false};
  wide.run_detached([&] {
    there = true;
    while (stays) std::this_thread::yield();
  });
  while (!there) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();  // a slow machine makes the rest only easier
  auto other = std::make_unique<Lease>(path(), charm::machine(), 100, 16);
  int looks = 0;
  EXPECT_TRUE(work_shared_until([&] {
    other->give_back(other->look(16).give_up);
    const std::size_t holds = other->standing().holds.size();
    // After two seconds the program gives its cores back in any case (binding/lease_follower.hpp).
    const bool in_time = std::chrono::steady_clock::now() - start < 2s;
    if (in_time) {
      EXPECT_EQ(holds, 0U);
    }
    return allowed().size() < 16 && (++looks == 20 || !in_time);
  }));
  stays = false;
  charm::CpuSet mine;
  EXPECT_TRUE(work_shared_until([&] {
    other->give_back(other->look(16).give_up);
    const auto standing = other->standing();
    mine = allowed();
    return mine.size() == 8 && standing.holds.size() == 8 && standing.due == 8;
  }));
  EXPECT_EQ(cpus_of(wide), mine);
  for (const auto& [arena, chiplet] : {std::pair<charm::arena*, int>{&first, 0}, {&last, 3}}) {
    // Its own cores where they are leased; where none of them is, any that are.
    const charm::CpuSet own = cpus_of(*arena);
    ASSERT_FALSE(own.empty());
    EXPECT_EQ(own & mine, own);
    if (mine.contains(4 * chiplet)) {
      EXPECT_EQ(own.front() / 4, chiplet);
    }
  }
  EXPECT_EQ(wide.execute([] { return charm::num_workers(); }), 16);
  EXPECT_EQ(first.execute([] { return charm::num_workers(); }), 4);
  charm::arena late({.chiplets = {mine.front() / 4}});
  EXPECT_EQ(cpus_of(late) & mine, cpus_of(late));
  other.reset();
  EXPECT_TRUE(work_shared_until([&] { return allowed().size() == 16 && cpus_of(wide).size() == 16; }));
  EXPECT_EQ(cpus_of(first).front() / 4, 0);
  EXPECT_EQ(cpus_of(last).front() / 4, 3);
}

TEST(Leaving, WorkersThatSleepMoveOrLetGoOfTheCoresThatTheyLose) {
  charm::test::FakeKernel kernel{16};
  charm::Config config;
  config.workers = 16;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "local";
  config.watch_ms = 2;
  config.counters = "none";
  config.share = "off";
  charm::sched::Runtime* runtime = nullptr;  // finalize() ends it
  std::thread([&] { runtime = new charm::sched::Runtime(config, kernel.watch()); }).join();
  charm::CpuSet low, high;
  for (int cpu = 0; cpu < 16; ++cpu) (cpu < 8 ? low : high).insert(cpu);
  for (int round = 0; round < 6; ++round) {
    const auto& keep = round % 2 == 0 ? high : low;
    const auto& lose = round % 2 == 0 ? low : high;
    std::this_thread::sleep_for(50ms);  // there is no work: they sleep
    runtime->steering->lease(keep);
    bool left = false;
    for (int i = 0; i < 5000 && !left; ++i) {  // far too long
      left = runtime->steering->has_left(lose) && !charm::CpuSet(kernel.taken()).intersects(lose);
      if (!left) std::this_thread::sleep_for(20ms);
    }
    EXPECT_TRUE(left) << "round " << round;
  }
  charm::finalize();
  EXPECT_EQ(kernel.collisions(), 0);
}

}  // namespace
