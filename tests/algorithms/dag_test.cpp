// Random task graphs against the sequential oracle: the same values, the same nodes threw; cancelled ones are cut off
// cleanly. A failure names the seed and the size.
#include "algorithms/dag.hpp"

#include <rapidcheck.h>

#include "algorithms/runtimes.hpp"

namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t many = 1500;
#else
constexpr std::size_t many = 100'000;
#endif

using Dags = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Dags, shapes());

TEST_P(Dags, SmallOnesComputeWhatTheOracleComputes) {
  EXPECT_TRUE(rc::check([] {
    auto seed = *rc::gen::arbitrary<std::uint64_t>();
    auto nodes = *rc::gen::inRange<std::size_t>(1, 400);
    Dag dag(seed, nodes);
    DagRun run(dag, nodes);
    run.run();
    RC_ASSERT(run.outcomes == dag.sequential());
  }));
}

TEST_P(Dags, CancelledOnesAreCutOffCleanly) {
  EXPECT_TRUE(rc::check([] {
    auto seed = *rc::gen::arbitrary<std::uint64_t>();
    auto nodes = *rc::gen::inRange<std::size_t>(1, 400);
    auto cancel_at = *rc::gen::inRange<std::size_t>(0, nodes);
    Dag dag(seed, nodes);
    const std::vector<Outcome> expected = dag.sequential();
    DagRun run(dag, cancel_at);
    run.run();
    std::size_t ended = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (run.outcomes[i].state == State::untouched) continue;
      ++ended;
      RC_ASSERT(run.outcomes[i] == expected[i]);
      for (std::size_t p : dag.before(i)) RC_ASSERT(run.outcomes[p].state != State::untouched);
    }
    RC_TAG(ended == nodes ? "all ended before" : "cut off");
  }));
}

TEST_P(Dags, AHundredThousandNodes) {
  const std::uint64_t seed = mix(static_cast<std::uint64_t>(GetParam().workers));
  Dag dag(seed, many);
  DagRun run(dag, many);
  run.run();
  const std::vector<Outcome> expected = dag.sequential();
  for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(run.outcomes[i], expected[i]) << "node " << i << " of seed " << seed;
}

}  // namespace
