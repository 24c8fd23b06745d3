// Streamcluster: the clustering against the plain implementation, on every runtime and for points of every kind; local
// search on points whose answer is known; files; and bounds.
#include <charm/error.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <rapidcheck.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "workloads/executors.hpp"
#include "workloads/streamcluster/input.hpp"
#include "workloads/streamcluster/local_search.hpp"
#include "workloads/streamcluster/reference.hpp"
#include "workloads/streamcluster/stream.hpp"
#include "workloads/streamcluster/streamcluster_bench.hpp"
#include "workloads/streamcluster/threads.hpp"

namespace charm::workloads::testing {
namespace {

PointRows points_of(Index count, Index dimensions, std::uint64_t seed = 1) {
  SerialExecutor e;
  ExecutorLoop loop(e);
  return generate_points(loop, {}, {count, dimensions, seed});
}

void expect_same(const StreamCenters& found, const ReferenceCosts& right) {
  EXPECT_EQ(static_cast<Index>(found.weights.size()), right.centers);
  EXPECT_NEAR(found.chunk_cost, right.chunk_cost, 1e-6 * right.chunk_cost);
  EXPECT_NEAR(found.cost, right.cost, 1e-6 * right.cost);
}

TEST(Streamcluster, EveryRuntimeFindsWhatThePlainImplementationFinds) {
  const PointRows rows = points_of(600, 19);
  const StreamOptions options{250, 4, 7, 60, 7};
  const ReferenceCosts right = reference_costs(rows.view(), options);
  ASSERT_GT(right.cost, 0);
  std::vector<float> first;
  const auto check = [&](auto& e) {
    ExecutorLoop loop(e);
    const StreamCenters found = cluster_stream(loop, rows.view(), options);
    expect_same(found, right);
    EXPECT_EQ(found.chunks, 3);
    if (first.empty()) first = found.coordinates;
    EXPECT_EQ(found.coordinates, first);  // to the last bit, whatever the runtime
  };
  on_every_executor(check);
  ThreadsExecutor threads(3);
  threads.run([&] { check(threads); });
}

TEST(Streamcluster, PointsOfEveryKindAreClusteredAsByThePlainImplementation) {
  rc::check([] {
    const Index dimensions = *rc::gen::inRange<Index>(1, 40);
    const Index count = *rc::gen::inRange<Index>(1, 500);
    const Index places = *rc::gen::inRange<Index>(1, 60);  // few: many points coincide
    const Index least = *rc::gen::inRange<Index>(1, 8);
    const StreamOptions options{*rc::gen::inRange<Index>(20, 600), least, least + *rc::gen::inRange<Index>(0, 8), 500,
                                *rc::gen::inRange<std::uint64_t>(0, 1000)};
    PointRows rows = points_of(count, dimensions, options.seed);
    for (Index i = places; i < count; ++i)
      std::copy_n(rows.coordinates.data() + i % places * dimensions, dimensions,
                  rows.coordinates.data() + i * dimensions);
    SerialExecutor e;
    ExecutorLoop loop(e);
    const StreamCenters found = cluster_stream(loop, rows.view(), options);
    const ReferenceCosts right = reference_costs(rows.view(), options);
    RC_ASSERT(static_cast<Index>(found.weights.size()) == right.centers);
    RC_ASSERT(std::fabs(found.chunk_cost - right.chunk_cost) <= 1e-6 * right.chunk_cost + 1e-12);
    RC_ASSERT(std::fabs(found.cost - right.cost) <= 1e-6 * right.cost + 1e-9);
    const double weight = std::accumulate(found.weights.begin(), found.weights.end(), 0.0);
    RC_ASSERT(std::fabs(weight - static_cast<double>(count)) < 1e-3);
  });
}

TEST(Streamcluster, HeapsThatLieFarApartAreFound) {
  // Eight heaps at the corners of a large cube; every good solution has a centre in each.
  PointRows rows = points_of(800, 3);
  for (Index i = 0; i < rows.count; ++i) {
    for (Index j = 0; j < 3; ++j) rows.coordinates[i * 3 + j] += ((i >> j) & 1) != 0 ? 1000.0F : 0.0F;
  }
  SerialExecutor e;
  ExecutorLoop loop(e);
  Draws draws(3);
  const Points points = rows.view();
  const Clustering found = local_search(loop, points, 8, 8, draws);
  std::set<Index> corners;
  for (const Index center : found.centers) corners.insert(center & 7);
  EXPECT_EQ(corners.size(), 8U);
  for (Index i = 0; i < rows.count; ++i)
    EXPECT_EQ(found.centers[static_cast<std::size_t>(found.center_of[static_cast<std::size_t>(i)])] & 7, i & 7);
  double cost = 0;
  for (Index i = 0; i < rows.count; ++i)
    cost += static_cast<double>(squared_distance(
        points[i], points[found.centers[static_cast<std::size_t>(found.center_of[static_cast<std::size_t>(i)])]], 3));
  EXPECT_NEAR(found.cost, cost, 1e-6 * cost);
}

TEST(Streamcluster, TooManyIntermediateCentersAreAnError) {
  const PointRows rows = points_of(1000, 4);
  SerialExecutor e;
  ExecutorLoop loop(e);
  try {
    cluster_stream(loop, rows.view(), {100, 5, 10, 12, 1});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("intermediate"), std::string::npos) << error.what();
  }
}

TEST(Streamcluster, BoundsThatContradictAreErrors) {
  for (const StreamOptions& wrong : {StreamOptions{.least = 0}, StreamOptions{.least = 9, .most = 8},
                                     StreamOptions{.chunk = 0}, StreamOptions{.intermediate = 10}})
    EXPECT_THROW(check_stream(wrong), Error);
}

TEST(Threads, TakeEachIndexOnceAndMeetAtBarriers) {
  ThreadsExecutor threads(3);
  std::vector<int> seen(1000);
  Index sum = 0;
  threads.run([&] {
    threads.parallel_for(0, 1000, 1, [&](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    sum = threads.parallel_reduce(
        0, 1000, 1, Index{0},
        [](Index lo, Index hi, Index total) {
          for (Index i = lo; i < hi; ++i) total += i;
          return total;
        },
        [](Index a, Index b) { return a + b; });
    std::atomic<int> before = 0;
    threads.team([&](int, int members) {
      ++before;
      threads.barrier();
      EXPECT_EQ(before.load(), members);
    });
  });
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
  EXPECT_EQ(sum, 499500);
}

TEST(Threads, EndWhereTheRootThrows) {
  ThreadsExecutor threads(3);
  EXPECT_THROW(threads.run([] { throw Error(Errc::bad_input, "no", "yes"); }), Error);
  int ran = 0;
  threads.run([&] { ++ran; });
  EXPECT_EQ(ran, 1);
}

class PointFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / "charm_points_XXXXXX").string() + std::to_string(::getpid());
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::vector<float>& numbers, std::size_t more_bytes = 0) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(float)));
    file << std::string(more_bytes, 'x');
  }
  std::string complaint(Index dimensions) {
    try {
      PointSet::load(path_, dimensions, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return error.what();
    }
    return "accepted";
  }
  std::string path_;
};

TEST_F(PointFile, IsReadAsItWasWritten) {
  write({1, 2, 3, 4, 5, 6});
  SerialExecutor e;
  ExecutorLoop loop(e);
  const PointRows rows = read_points(loop, {}, path_, 3);
  EXPECT_EQ(rows.count, 2);
  EXPECT_EQ(rows.coordinates[5], 6);
  EXPECT_NE(PointSet::load(path_, 2, {}).describe().find("3 points of 2 dimensions"), std::string::npos);
}

TEST_F(PointFile, RaggedEmptyMissingAndNotFiniteAreErrors) {
  write({1, 2, 3}, 2);
  EXPECT_NE(complaint(3).find("14 bytes"), std::string::npos);
  write({1, 2, 3, 4});
  EXPECT_NE(complaint(3).find("rows of 3"), std::string::npos);
  write({});
  EXPECT_NE(complaint(3).find("0 bytes"), std::string::npos);
  write({1, 2, 3, 4, std::numeric_limits<float>::quiet_NaN(), 6});
  EXPECT_NE(complaint(3).find("coordinate 1 of point 1 is nan"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(complaint(3).find("cannot be read"), std::string::npos);
}

TEST_F(PointFile, PipesAndFilesLargerThanTheMemoryAreErrorsAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(complaint(3).find("not a regular file"), std::string::npos);  // and nobody waits for a writer
  std::filesystem::remove(path_);
  write({});
  std::error_code refused;
  std::filesystem::resize_file(path_, std::uint64_t{3} << 42, refused);  // takes no room on the disk
  if (refused) GTEST_SKIP() << "no files of that size here";
  EXPECT_NE(complaint(3).find("are available"), std::string::npos);
}

TEST(StreamclusterBench, TrialsOfEverySeedAreVerified) {
  const PointSet points = PointSet::generate({2000, 8, 1}, {});
  const KernelRun run = run_streamcluster({}, points, {500, 5, 10, 100, 1}, 2);
  EXPECT_TRUE(run.verified) << run.detail;
  EXPECT_EQ(run.seconds.size(), 2U);
  EXPECT_EQ(run.work.front(), 2000);
  EXPECT_NE(run.detail.find("4 chunks"), std::string::npos) << run.detail;
  const KernelRun other = run_streamcluster({}, points, {500, 5, 10, 100, 2}, 1);  // another seed: another reference
  EXPECT_TRUE(other.verified) << other.detail;
  EXPECT_THROW(run_streamcluster({"none", 1}, points, {}, 1), Error);
}

TEST(StreamclusterBench, WrongAnswersAreRefused) {
  const PointRows rows = points_of(400, 6);
  const StreamOptions options{200, 4, 8, 50, 1};
  SerialExecutor e;
  ExecutorLoop loop(e);
  const StreamCenters right = cluster_stream(loop, rows.view(), options);
  const ReferenceCosts costs = reference_costs(rows.view(), options);
  const auto complaint = [&](const StreamCenters& found) {
    return complaint_about(found, rows.view(), options, &costs);
  };
  EXPECT_EQ(complaint(right), "");
  StreamCenters wrong = right;
  wrong.weights.pop_back();
  EXPECT_NE(complaint(wrong).find("points of 400"), std::string::npos) << complaint(wrong);
  wrong = right;
  wrong.weights.assign(17, 1);
  EXPECT_NE(complaint(wrong).find("there should be 4 to 8"), std::string::npos) << complaint(wrong);
  wrong = right;
  wrong.weights.back() -= 1;
  wrong.weights.push_back(1);
  EXPECT_NE(complaint(wrong).find("centres, not"), std::string::npos) << complaint(wrong);
  wrong = right;
  wrong.chunk_cost *= 1.00001;
  EXPECT_NE(complaint(wrong).find("the chunks cost"), std::string::npos) << complaint(wrong);
  wrong = right;
  wrong.cost = wrong.cost * 1.00001 + 1e-3;
  EXPECT_NE(complaint(wrong).find("the centres cost"), std::string::npos) << complaint(wrong);
}

}  // namespace
}  // namespace charm::workloads::testing
