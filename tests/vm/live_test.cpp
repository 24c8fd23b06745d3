// The controller on a real kernel with several chiplets: after each decision every worker is bound to its core, by what
// the kernel says, and fresh pages lie on its node; when the control group changes while tasks run, all follow, and no
// task is lost.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "sched/run/runtime.hpp"
#include "sched/scripted_counters.hpp"
#include "sched/work_until.hpp"
#include "vm/groups.hpp"

namespace {

using charm::test::Scripted;
using charm::test::work_until;

/// Also where a test ends early.
struct EndsRuntime {
  ~EndsRuntime() { charm::finalize(); }
};

struct Found {
  charm::CpuSet mask;
  int page_node = -1;
};

/// What a worker's own thread has from the kernel. On the worker's thread, so not as the guest of worker 0.
std::vector<Found> look_at_all() {
  std::vector<Found> found(static_cast<std::size_t>(charm::num_workers()));
  charm::all_do([&](int worker) {
    auto& here = found[static_cast<std::size_t>(worker)];
    here.mask = charm::os::allowed_cpus();
    charm::os::NodeMemory fresh(1 << 16);
    static_cast<char*>(fresh.data())[0] = 1;
    here.page_node = charm::os::home_of(fresh.data());
  });
  return found;
}

std::string told() {
  std::string text;
  for (const auto& d : charm::decisions()) text += to_string(d) + "\n";
  return text;
}

TEST(LiveController, AfterEachDecisionMasksAndFreshPagesAreWhereTheyShouldBe) {
  const auto machine = charm::Machine::discover();
  if (machine.chiplets.size() < 2) GTEST_SKIP() << "one chiplet leaves nothing to decide";
  Scripted::Rates rates;
  charm::Config config;
  constexpr int workers = 4;
  config.workers = workers;
  config.policy = "charm-alg1-group:period=0.05";
  config.sockets = "balance";  // where sockets are chiplets, filling one leaves no other level
  auto* runtime = new charm::sched::Runtime(config, nullptr, std::make_unique<Scripted>(rates));  // finalize() ends it
  const EndsRuntime ends;
  const auto levels = runtime->placement.levels;
  bool differ = false;
  for (int w = 0; w < workers; ++w) {
    differ =
        differ || runtime->placement.lookup(w, levels.front()).cpu != runtime->placement.lookup(w, levels.back()).cpu;
  }
  if (!differ) GTEST_SKIP() << "the workers have the same cores at every level";
  for (const std::uint64_t fills : {1000000, 0, 1000000}) {
    rates.other_chiplet = fills;
    const int level = fills > 0 ? levels.back() : levels.front();
    std::vector<Found> found;
    EXPECT_TRUE(work_until([&] {
      found = look_at_all();
      for (int w = 0; w < workers; ++w) {
        if (found[static_cast<std::size_t>(w)].mask != charm::CpuSet{runtime->placement.lookup(w, level).cpu})
          return false;
      }
      return true;
    })) << "level "
        << level << " was not reached\n"
        << told();
    for (int w = 0; w < workers; ++w) {
      const int node = runtime->placement.lookup(w, level).node;
      EXPECT_EQ(found[static_cast<std::size_t>(w)].page_node, machine.nodes[static_cast<std::size_t>(node)].os_index)
          << "a fresh page of worker " << w << " at level " << level;
    }
  }
  EXPECT_GE(charm::decisions().size(), 3U);
}

TEST(LiveController, ACpuIsSwitchedOffAndOnWhileTasksRunAndNoneIsLost) {
  const charm::CpuSet all = charm::os::allowed_cpus();
  if (all.size() < 4) GTEST_SKIP() << "too few cpus";
  charm::Config config;
  config.workers = 2;
  config.policy = "adaptive:tick=0.02";
  config.caller_mask = "worker";  // else the caller is bound only after a millisecond
  charm::init(config);
  const EndsRuntime ends;
  std::atomic<long> done{0};
  std::vector<Found> found;
  const auto each_alone_among = [&](const charm::CpuSet& cpus) {
    found = look_at_all();
    std::set<int> taken;
    for (const auto& one : found) {
      if (one.mask.size() != 1 || !cpus.contains(one.mask[0])) return false;
      taken.insert(one.mask[0]);
    }
    return taken.size() == 2;
  };
  ASSERT_TRUE(work_until([&] { return each_alone_among(all); }, &done));
  const int victim = found[1].mask[0];  // the first cpu cannot be switched off, and is worker 0's
  charm::test::Switch cpu(victim);
  if (!cpu.set(false)) GTEST_SKIP() << "cpu " << victim << " cannot be switched off";
  charm::CpuSet rest = all;
  rest.erase(victim);
  EXPECT_TRUE(work_until([&] { return charm::stats().allowed_cpus == rest; }, &done)) << told();
  EXPECT_TRUE(work_until([&] { return each_alone_among(rest); }, &done)) << told();
  ASSERT_TRUE(cpu.set(true));
  EXPECT_TRUE(work_until([&] { return charm::stats().allowed_cpus == all; }, &done)) << told();
  EXPECT_TRUE(work_until([&] { return each_alone_among(all); }, &done)) << told();
  EXPECT_EQ(done.load() % 64, 0) << "tasks were lost";
}

TEST(LiveController, TheGroupsCpusChangeWhileTasksRunAndNoneIsLost) {
  const charm::CpuSet all = charm::os::allowed_cpus();
  if (all.size() < 4) GTEST_SKIP() << "too few cpus";
  charm::test::Group group("live");
  if (!group.grant(all) || !group.enter()) GTEST_SKIP() << "no control group of cpus can be made here";
  const std::size_t half = all.size() / 2;
  charm::CpuSet every_second;
  for (std::size_t i = 0; i < all.size(); i += 2) every_second.insert(all[i]);
  const std::vector<charm::CpuSet> sets = {{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(half)},
                                           {all.begin() + static_cast<std::ptrdiff_t>(half), all.end()},
                                           every_second,
                                           all};
  charm::Config config;
  config.workers = 2;
  config.policy = "adaptive:tick=0.02";
  config.caller_mask = "worker";  // else the caller is bound only after a millisecond
  charm::init(config);
  const EndsRuntime ends;
  std::atomic<long> done{0};
  for (const auto& cpus : sets) {
    ASSERT_TRUE(group.grant(cpus));
    EXPECT_TRUE(work_until([&] { return charm::stats().allowed_cpus == cpus; }, &done))
        << "not seen: " << cpus.to_text();
    std::set<int> taken;
    EXPECT_TRUE(work_until(
        [&] {
          taken.clear();
          for (const auto& found : look_at_all()) {
            if (found.mask.size() != 1 || !cpus.contains(found.mask[0])) return false;
            taken.insert(found.mask[0]);
          }
          return taken.size() == 2;
        },
        &done))
        << "two workers, each alone on a cpu out of " << cpus.to_text();
  }
  EXPECT_EQ(done.load() % 64, 0) << "tasks were lost";
  EXPECT_EQ(charm::stats().cpu_changes, static_cast<int>(sets.size()));
}

}  // namespace
