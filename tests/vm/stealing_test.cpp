// From whom the workers of a running runtime steal, on the machine that a real kernel manages: each worker is the thief
// of one round, in which all others hold jobs.
#include <charm/charm.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run/runtime.hpp"
#include "sched/stealing_round.hpp"

namespace {

using stealing_round::Jobs;
using stealing_round::jobs_each;
using stealing_round::Round;

class Steals {
 public:
  explicit Steals(int worker) : tally_(charm::sched::Runtime::get().workers[static_cast<std::size_t>(worker)]->tally) {}
  [[nodiscard]] std::vector<std::uint64_t> by_distance() const {
    return {tally_.steals_chiplet.load(), tally_.steals_node.load(), tally_.steals_far.load()};
  }

 private:
  const charm::sched::Tally& tally_;
};

TEST(StealingOrder, EachWorkerEmptiesItsChipletFirstAndPrefersItsNode) {
  charm::Config config;
  config.policy = "local";
  config.counters = "none";
  config.deadlock = "off";  // it looks around after a second
  config.lend_caller = false;
  charm::init(config);
  const auto cores = charm::worker_cores();
  const int workers = static_cast<int>(cores.size());
  enum Where : std::size_t { on_chiplet, on_node, beyond };
  const auto where = [&](int one, int other) {
    const auto& a = cores[static_cast<std::size_t>(one)];
    const auto& b = cores[static_cast<std::size_t>(other)];
    return a.chiplet == b.chiplet ? on_chiplet : a.node == b.node ? on_node : beyond;
  };
  int draws = 0, own_node = 0;
  for (int thief = 0; thief < workers && !HasFailure(); ++thief) {
    std::vector<std::uint64_t> left(3);
    for (int owner = 0; owner < workers; ++owner) left[where(owner, thief)] += owner == thief ? 0 : jobs_each;
    const Steals steals(thief);
    std::vector<std::uint64_t> counted = steals.by_distance();
    for (std::size_t i = 0; i < 3; ++i) counted[i] += left[i];
    const Round stolen(workers, thief, [](int) { return Jobs::all_public; });
    SCOPED_TRACE("thief " + std::to_string(thief) + "; " + stealing_round::told(stolen.order()));
    EXPECT_EQ(stolen.not_stolen(), 0);
    for (const int owner : stolen.order()) {
      const Where from = where(owner, thief);
      if (from != on_chiplet) {
        EXPECT_EQ(left[on_chiplet], 0U) << "it looked further while its chiplet had jobs";
        if (left[on_node] > 0 && left[beyond] > 0) {
          ++draws;
          own_node += from == on_node ? 1 : 0;
        }
      }
      --left[from];
    }
    EXPECT_EQ(left, std::vector<std::uint64_t>(3));
    EXPECT_EQ(steals.by_distance(), counted) << "the runtime counts the same distances";
  }
  charm::finalize();
  if (draws > 0) {
    EXPECT_GT(own_node * 2, draws) << own_node << " of " << draws;
    EXPECT_LT(own_node, draws) << "workers of other nodes are not left out";
  }
  std::printf("%d workers: %d of %d draws between the own node and others took the own node\n", workers, own_node,
              draws);
}

}  // namespace
