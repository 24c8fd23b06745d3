// Streamcluster on a machine of several NUMA nodes: where the rows of a chunk lie, and that this changes no answer.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sched/running.hpp"
#include "workloads/executor/charm.hpp"
#include "workloads/streamcluster/chunk.hpp"
#include "workloads/streamcluster/streamcluster_bench.hpp"
#include "workloads/two_nodes.hpp"

namespace charm::workloads::testing {
namespace {

TEST(PlacedStreamcluster, AnswersAreTheSameWhereverTheRowsOfAChunkLie) {
  const StreamOptions options{700, 4, 7, 60, 7};
  const auto plain = PointSet::generate({2000, 19, 1}, {"serial", 1});
  const Running running(8, two_nodes());
  for (const auto& name : memory_names()) {
    SCOPED_TRACE(name);
    const Runner runner{"charm", 0, memory_named(name)};
    const auto points = PointSet::generate({2000, 19, 1}, runner);
    const auto run = run_streamcluster(runner, points, options);
    EXPECT_TRUE(run.verified) << run.detail;
    EXPECT_EQ(run.detail, run_streamcluster({"serial", 1}, plain, options).detail);
  }
}

TEST(PlacedStreamcluster, AChunkIsDividedAsItsLoopsAreOrCopiedToEveryNode) {
  const Running running(8, two_nodes());
  CharmExecutor executor;
  ExecutorLoop loop(executor);
  constexpr Index dimensions = 19, most = 512;
  for (const auto& [memory, copies] : {std::pair(Memory::touched, 0U),
                                       {Memory::near, 0U},
                                       {Memory::interleaved, 0U},
                                       {Memory::partitioned, 1U},
                                       {Memory::replicated, 2U}}) {
    executor.place(memory);
    executor.run([&] {
      const PointRows stream = generate_points(loop, executor.array_placement(), {1000, dimensions, 1});
      ChunkRows rows(loop, most, dimensions);
      EXPECT_EQ(rows.copies(), copies);
      const Points chunk = rows.load(loop, stream.view(), most, 1000 - most);
      EXPECT_EQ(chunk.count, 1000 - most);
      EXPECT_EQ(chunk.coordinates == stream.view()[most], copies == 0);
      std::set<const float*> read;
      for (int worker = 0; worker < 8; ++worker) {
        const Points here = chunk.near(worker);
        read.insert(here.coordinates);
        EXPECT_TRUE(std::equal(here[0], here[chunk.count], stream.view()[most])) << worker;
        if (copies < 2) continue;
        const auto node = [](int of) { return charm::worker_cores()[static_cast<std::size_t>(of)].node; };
        EXPECT_EQ(here.coordinates == chunk.near(0).coordinates, node(worker) == node(0)) << worker;
      }
      EXPECT_EQ(read.size(), std::max<std::size_t>(1, copies));
    });
  }
}

}  // namespace
}  // namespace charm::workloads::testing
