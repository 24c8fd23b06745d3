// Workloads: what they describe, how they are asked for, and the records that they are made from.
#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "tools/sim/generator.hpp"
#include "tools/sim/graph_record.hpp"

using namespace charm::sim;

namespace {

TEST(Workloads, AllDescribeSomething) {
  for (const Generator* generator : generators()) {
    for (const int workers : {1, 7, 64}) {
      const Workload w = workload(generator->name, workers);
      ASSERT_EQ(w.phases.size(), 1U);
      for (const Component& c : w.phases[0].components) {
        EXPECT_GT(c.bytes, 0) << w.name;
        EXPECT_GT(c.accesses, 0) << w.name;
        double lines = 0, accesses = 0;
        for (const auto& k : c.popularity.classes) {
          lines += k.lines;
          accesses += k.accesses;
        }
        EXPECT_NEAR(lines, 1, 1e-6) << w.name;
        EXPECT_NEAR(accesses, 1, 1e-6) << w.name;
      }
    }
  }
}

TEST(Workloads, TakeParametersAndPhases) {
  const Workload w = workload("sweep:mb=24,writes=0@10+pairs@2", 8);
  ASSERT_EQ(w.phases.size(), 2U);
  EXPECT_EQ(w.phases[0].seconds, 10);
  EXPECT_EQ(w.phases[1].seconds, 2);
  EXPECT_EQ(w.phases[0].components[0].bytes, 24 * 1048576.0);
  EXPECT_THROW(workload("sweep:gb=1", 8), charm::Error);
  EXPECT_THROW(workload("sweep:mb=-1", 8), charm::Error);
  EXPECT_THROW(workload("sweeep", 8), charm::Error);
  EXPECT_THROW(workload("sweep@x+pairs@1", 8), charm::Error);
  EXPECT_THROW(workload("sweep+pairs@1", 8), charm::Error);
  EXPECT_THROW(workload("", 8), charm::Error);
  EXPECT_THROW(workload("bfs:scale=99", 8), charm::Error);
  EXPECT_THROW(workload("sweep:writes=2", 8), charm::Error);
  EXPECT_THROW(workload("uniform:total_mb=0", 8), charm::Error);
  EXPECT_THROW(workload("zipf:skew=nan", 8), charm::Error);
  EXPECT_THROW(workload("pairs:kb=inf", 8), charm::Error);
}

TEST(Workloads, AreSplitWhereALaterPieceIsNotAnArgument) {
  EXPECT_EQ(split_specs("charm,static:spread=2,ring"), (std::vector<std::string>{"charm", "static:spread=2", "ring"}));
  EXPECT_EQ(split_specs("adaptive:tick=0.1,expand=0.05,local"),
            (std::vector<std::string>{"adaptive:tick=0.1,expand=0.05", "local"}));
}

TEST(Workloads, ZipfGivesTheFirstLineItsDue) {
  const Popularity p = zipf_popularity(1, 1e6);
  EXPECT_NEAR(p.classes.front().accesses, 1 / 14.39, 0.002);  // 1/H(10^6)
}

TEST(Workloads, GraphRecordsHoldWhatTheKernelsTouched) {
  const GraphRecord& record = recorded_graph();
  EXPECT_GE(record.vertices, 65536);
  for (const char* kernel : {"bfs", "sssp", "cc", "pagerank", "graph500"}) {
    const auto& run = record.run(kernel);
    EXPECT_GT(run.edges(), 0.5 * record.arcs) << kernel;
  }
  EXPECT_GT(record.run("bfs").steps.size(), 4U);
  EXPECT_GT(record.run("sssp").steps.size(), record.run("bfs").steps.size());
  // A Kronecker graph is skewed: a tenth of the lines takes more than its share of the touches.
  double lines = 0, touches = 0;
  for (const auto& c : record.run("bfs").popularity.classes) {
    if (lines >= 0.1) break;
    lines += c.lines;
    touches += c.accesses;
  }
  EXPECT_GT(touches, 2 * lines);
  const GraphRecord again = parse_graph_record(graph_record_json(record), "again");
  EXPECT_EQ(again.run("sssp").steps, record.run("sssp").steps);
  EXPECT_NEAR(again.run("bfs").popularity.classes[0].accesses, record.run("bfs").popularity.classes[0].accesses, 1e-4);
  EXPECT_THROW(parse_graph_record("{}", "broken"), charm::Error);
}

}  // namespace
