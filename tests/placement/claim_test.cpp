// The claim protocol: never two owners, and every exchange of cores comes to an end.
#include "placement/claim.hpp"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using charm::placement::CoreClaim;
using charm::placement::CpuClaims;
using State = CoreClaim::State;

namespace {

bool agrees(int /*cpu*/) { return true; }
bool refuses(int /*cpu*/) { return false; }
bool nothing() { return true; }

TEST(CpuClaims, OnlyAFreeCpuCanBeClaimedAndOnlyItsOwnerReleasesIt) {
  CpuClaims claims(2);
  EXPECT_TRUE(claims.claim(1, 7));
  EXPECT_TRUE(claims.claim(1, 7)) << "again by its owner";
  EXPECT_FALSE(claims.claim(1, 8));
  EXPECT_FALSE(claims.release(1, 8));
  EXPECT_EQ(claims.owner(1), 7);
  EXPECT_TRUE(claims.release(1, 7));
  EXPECT_TRUE(claims.claim(1, 8));
}

TEST(CpuClaims, CoverTheCpusOfAMachineAndAtLeast1024) {
  charm::Machine machine;
  EXPECT_EQ(CpuClaims(machine).cpus(), 1024);
  machine.allowed_cpus = {0, 1023};
  EXPECT_EQ(CpuClaims(machine).cpus(), 1024);
  machine.allowed_cpus = {0, 1024};
  EXPECT_EQ(CpuClaims(machine).cpus(), 1025);
  machine.forbidden_cpus = {7, 4000};
  EXPECT_EQ(CpuClaims(machine).cpus(), 4001);
}

TEST(CoreClaim, KeepsItsOldCpuUntilItIsBoundToTheNewOne) {
  CpuClaims claims(2);
  CoreClaim holder(claims, 3);
  ASSERT_EQ(holder.place(0, agrees, nothing), State::placed);
  EXPECT_EQ(holder.place(1, [&](int) { return claims.owner(0) == 3 && claims.owner(1) == 3; }, nothing), State::placed);
  EXPECT_EQ(claims.owner(0), CpuClaims::free_cpu);
  EXPECT_EQ(holder.held(), 1);
}

TEST(CoreClaim, GivesTheClaimBackWhereTheKernelRefuses) {
  CpuClaims claims(2);
  CoreClaim holder(claims, 3);
  ASSERT_EQ(holder.place(0, agrees, nothing), State::placed);
  EXPECT_EQ(holder.place(1, refuses, nothing), State::waiting);
  EXPECT_EQ(claims.owner(1), CpuClaims::free_cpu);
  EXPECT_EQ(holder.held(), 0);
}

TEST(CoreClaim, TwoThatSwapCoresBothArrive) {
  CpuClaims claims(2);
  CoreClaim a(claims, 0, 3), b(claims, 1, 3);
  ASSERT_EQ(a.place(0, agrees, nothing), State::placed);
  ASSERT_EQ(b.place(1, agrees, nothing), State::placed);
  int floated = 0;
  State sa = State::waiting, sb = State::waiting;
  for (int turn = 0; turn < 8 && (sa != State::placed || sb != State::placed); ++turn) {
    sa = a.place(1, agrees, [&] { return ++floated > 0; });
    sb = b.place(0, agrees, [&] { return ++floated > 0; });
  }
  EXPECT_EQ(a.held(), 1);
  EXPECT_EQ(b.held(), 0);
  EXPECT_GE(floated, 1) << "somebody had to let go first";
}

TEST(CoreClaim, UnbindsBeforeItLetsGo) {
  CpuClaims claims(2);
  claims.claim(1, 9);
  CoreClaim holder(claims, 3, 1);
  ASSERT_EQ(holder.place(0, agrees, nothing), State::placed);
  EXPECT_EQ(holder.place(1, agrees, [&] { return claims.owner(0) == 3; }), State::floating);
  EXPECT_EQ(claims.owner(0), CpuClaims::free_cpu);
  EXPECT_EQ(holder.place(1, agrees, nothing), State::floating);
  claims.release(1, 9);
  EXPECT_EQ(holder.place(1, agrees, nothing), State::placed);
}

/// Its patience is counted anew for each cpu that it wants, and after each that it has got.
TEST(CoreClaim, WaitsAsOftenAsItHasPatienceAndFloatsOnce) {
  CpuClaims claims(3);
  claims.claim(1, 9);
  claims.claim(2, 9);
  CoreClaim holder(claims, 3, 3);
  ASSERT_EQ(holder.place(0, agrees, nothing), State::placed);
  int unbound = 0;
  const auto unbinds = [&] { return ++unbound > 0; };
  EXPECT_EQ(holder.place(1, agrees, unbinds), State::waiting);
  EXPECT_EQ(holder.place(1, agrees, unbinds), State::waiting);
  for (const int wanted : {2, 1, 2}) {
    EXPECT_EQ(holder.place(wanted, agrees, unbinds), State::waiting) << "first of " << wanted;
    EXPECT_EQ(holder.place(wanted, agrees, unbinds), State::waiting);
  }
  EXPECT_EQ(unbound, 0);
  EXPECT_EQ(holder.place(2, agrees, unbinds), State::floating);
  for (int again = 0; again < 4; ++again) EXPECT_EQ(holder.place(2, agrees, unbinds), State::floating);
  EXPECT_EQ(unbound, 1) << "it floats already";
  claims.release(2, 9);
  EXPECT_EQ(holder.place(2, agrees, unbinds), State::placed);
  EXPECT_EQ(holder.place(1, agrees, unbinds), State::waiting) << "it floats no longer";
  EXPECT_EQ(holder.held(), 2);
}

TEST(CoreClaim, BeginsBoundToNothingAndWaitsForItsFirstCpu) {
  CpuClaims claims(1);
  claims.claim(0, 9);
  CoreClaim holder(claims, 3, 2);
  EXPECT_EQ(holder.held(), CpuClaims::free_cpu);
  EXPECT_EQ(holder.place(0, agrees, nothing), State::waiting);
  EXPECT_EQ(holder.place(0, agrees, nothing), State::floating);
}

TEST(CoreClaim, KeepsItsCpuWhereTheKernelRefusesToUnbindIt) {
  CpuClaims claims(2);
  claims.claim(1, 9);
  CoreClaim holder(claims, 3, 1);
  ASSERT_EQ(holder.place(0, agrees, nothing), State::placed);
  EXPECT_EQ(holder.place(1, agrees, [] { return false; }), State::waiting);
  EXPECT_EQ(claims.owner(0), 3) << "its thread is still bound there";
  EXPECT_EQ(holder.place(1, agrees, nothing), State::floating) << "it tries again";
  EXPECT_EQ(claims.owner(0), CpuClaims::free_cpu);
}

TEST(CoreClaim, LeavesItsCpuWhenItEnds) {
  CpuClaims claims(1);
  {
    CoreClaim(claims, 3).place(0, agrees, nothing);
  }
  EXPECT_EQ(claims.owner(0), CpuClaims::free_cpu);
}

TEST(ClaimStress, NoCpuEverHasTwoOwnersWhileAllChangeCores) {
  constexpr int kWorkers = 4, kCpus = 5, kRounds = 20000;
  CpuClaims claims(kCpus);
  long visits[kCpus] = {};  // plain on purpose: two owners at once are a data race that ThreadSanitizer reports
  std::vector<long> counted(kWorkers, 0);
  std::vector<std::thread> threads;
  for (int w = 0; w < kWorkers; ++w) {
    threads.emplace_back([&, w] {
      CoreClaim holder(claims, w, 4);
      std::mt19937 random(static_cast<unsigned>(w));
      long mine = 0;
      for (int i = 0; i < kRounds; ++i) {
        int cpu = static_cast<int>(random() % kCpus);
        if (holder.place(cpu, agrees, nothing) != State::placed) continue;
        ++visits[cpu];
        ++mine;
      }
      counted[static_cast<std::size_t>(w)] = mine;
    });
  }
  for (auto& thread : threads) thread.join();
  long all = 0, expected = 0;
  for (long v : visits) all += v;
  for (long c : counted) expected += c;
  EXPECT_EQ(all, expected) << "a visit was lost, so two owners wrote at once";
  for (int cpu = 0; cpu < kCpus; ++cpu) EXPECT_EQ(claims.owner(cpu), CpuClaims::free_cpu);
}

TEST(ClaimStress, WorkersThatRotateCoresAllArrive) {
  constexpr int kWorkers = 4;
  CpuClaims claims(kWorkers);
  std::vector<std::thread> threads;
  for (int w = 0; w < kWorkers; ++w) {
    threads.emplace_back([&, w] {
      CoreClaim holder(claims, w, 4);
      for (int generation = 0; generation < 50; ++generation) {
        while (holder.place((w + generation) % kWorkers, agrees, nothing) != State::placed) std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int cpu = 0; cpu < kWorkers; ++cpu) EXPECT_EQ(claims.owner(cpu), CpuClaims::free_cpu);
}

}  // namespace
