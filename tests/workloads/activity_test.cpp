// How many threads run bodies at a time: worked examples, and what SGD's kernels record on each runtime.
#include "workloads/activity.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "workloads/sgd/sgd_bench.hpp"

namespace charm::workloads::testing {
namespace {

TEST(ThreadConcurrency, IsTheNumberOfBodiesByTime) {
  ActivityLog log;
  log.add(1000, 3000);
  std::thread([&] { log.add(2000, 4000); }).join();
  const ThreadConcurrency found = log.concurrency(3);
  EXPECT_EQ(found.threads, 2);
  EXPECT_DOUBLE_EQ(found.bin_s, 1e-6);
  ASSERT_EQ(found.running.size(), 3U);
  EXPECT_DOUBLE_EQ(found.running[0], 1);
  EXPECT_DOUBLE_EQ(found.running[1], 2);
  EXPECT_DOUBLE_EQ(found.running[2], 1);
  EXPECT_DOUBLE_EQ(found.mean, 4.0 / 3);
}

TEST(ThreadConcurrency, CountsGapsAndPartsOfABin) {
  ActivityLog log;
  log.add(0, 50);
  log.add(350, 400);
  const ThreadConcurrency found = log.concurrency(4);
  EXPECT_EQ(found.threads, 1);
  EXPECT_DOUBLE_EQ(found.running[0], .5);
  EXPECT_DOUBLE_EQ(found.running[1], 0);
  EXPECT_DOUBLE_EQ(found.running[3], .5);
  EXPECT_DOUBLE_EQ(found.mean, .25);
}

TEST(ThreadConcurrency, IsRecordedOnlyWhileALogExists) {
  {
    const RunningBody before;
  }
  ActivityLog log;
  EXPECT_EQ(log.concurrency().threads, 0);
  {
    const RunningBody body;
  }
  EXPECT_EQ(log.concurrency().threads, 1);
}

TEST(ThreadConcurrency, OfSgdHasOneThreadForEachWorkerButForEachTaskWithStdAsync) {
  const SampleSet samples = SampleSet::generate({.rows = 4000, .features = 64}, {"serial"});
  for (const char* kernel : {"loss", "gradient", "sgd-core"}) {
    const KernelRun serial = run_sgd(kernel, {"serial"}, samples);
    ASSERT_TRUE(serial.verified && serial.concurrency) << kernel;
    EXPECT_EQ(serial.concurrency->threads, 1) << kernel;
    EXPECT_GT(serial.concurrency->mean, 0) << kernel;
    EXPECT_LE(serial.concurrency->mean, 1.0001) << kernel;
    const KernelRun async = run_sgd(kernel, {"async", 2}, samples);
    ASSERT_TRUE(async.verified && async.concurrency) << kernel;
    EXPECT_GT(async.concurrency->threads, 20) << kernel;  // two workers, but a thread for each of some dozens of blocks
    EXPECT_LE(async.concurrency->mean, 2.0001) << kernel;
  }
}

}  // namespace
}  // namespace charm::workloads::testing
