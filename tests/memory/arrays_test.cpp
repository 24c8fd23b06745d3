// The arrays and resources of the public interface, on this machine, which may have one node and no system calls.
#include <charm/charm.hpp>

#include <array>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace charm {
namespace {

struct Running : testing::Test {
  Running() {
    Config config;
    config.workers = 2;
    config.share_cores = true;
    init(config);
  }
  ~Running() override { finalize(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

using NearArray = Running;
using InterleavedArray = Running;
using PartitionedArray = Running;
using ReplicatedArray = Running;
using FirstTouch = Running;
using Resource = Running;
using PageQueries = Running;

/// Where the pages are as far as the kernel tells: on `node`.
void expect_on(const void* data, std::size_t bytes, int node) {
  const PageCensus census = page_census(data, bytes);
  for (std::size_t i = 0; i < census.pages.size(); ++i) {
    if (static_cast<int>(i) == node) continue;
    EXPECT_EQ(census.pages[i], 0U) << "node " << i;
  }
}

TEST_F(NearArray, LiesNearWhatItNames) {
  near<int> here(100000);
  near<int> worker(100000, on_worker{1});
  near<double> chiplet(1000, on_chiplet{0});
  near<char> node(5, on_node{0});
  near<int> number(7, 1);
  for (auto* array : {&here, &worker}) {
    EXPECT_EQ(std::accumulate(array->begin(), array->end(), 0), 0);
    std::iota(array->begin(), array->end(), 0);
    EXPECT_EQ((*array)[99999], 99999);
    expect_on(array->data(), array->size() * sizeof(int), array->node());
  }
  EXPECT_EQ(chiplet.size(), 1000U);
  EXPECT_EQ(node.node(), 0);
  EXPECT_THROW(near<int>(10, on_worker{2}), Error);
  EXPECT_THROW(near<int>(10, on_node{1000}), Error);
  EXPECT_THROW(near<int>(static_cast<std::size_t>(-1)), Error);
}

TEST_F(NearArray, MovesAndMayBeEmpty) {
  near<int> one(1000);
  one[999] = 5;
  const int* data = one.data();
  near<int> two(std::move(one));
  EXPECT_EQ(two.data(), data);
  EXPECT_TRUE(one.empty());  // NOLINT: a moved-from array is empty
  one = std::move(two);
  EXPECT_EQ(one[999], 5);
  const near<int> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
}

TEST_F(NearArray, TakesHugePagesOrSaysThatThereAreNone) {
  near<int> array(1 << 20, on_node{0}, {.huge = HugePages::requested});
  std::fill(array.begin(), array.end(), 3);
  EXPECT_EQ(array[(1 << 20) - 1], 3);
}

TEST_F(InterleavedArray, IsAnArray) {
  interleaved<std::uint64_t> array(1 << 18, {.huge = HugePages::advised});
  parallel_for(std::size_t{0}, array.size(), [&](std::size_t i) { array[i] = i; });
  std::uint64_t sum = 0;
  for (const auto value : array) sum += value;
  EXPECT_EQ(sum, (1ULL << 18U) * ((1ULL << 18U) - 1) / 2);
  const interleaved<int> on_one(100, {0});
  EXPECT_EQ(on_one.size(), 100U);
  EXPECT_THROW(interleaved<int>(100, {1000}), Error);
}

TEST_F(PartitionedArray, GivesEveryWorkerItsPart) {
  partitioned<int> array(100001);
  ASSERT_EQ(array.parts(), 2U);
  EXPECT_EQ(array.part(0).size(), 50001U);
  EXPECT_EQ(array.part(1).size(), 50000U);
  EXPECT_EQ(array.part(1).data(), array.data() + 50001);
  all_do([&](int worker) {
    for (int& value : array.part(static_cast<std::size_t>(worker))) value = worker + 1;
  });
  EXPECT_EQ(array[50000], 1);
  EXPECT_EQ(array[50001], 2);
  EXPECT_EQ(std::accumulate(array.begin(), array.end(), 0LL), 50001 + 2 * 50000);
  EXPECT_THROW(static_cast<void>(array.node(2)), std::out_of_range);
}

TEST_F(PartitionedArray, MayBeSmallerThanItsParts) {
  partitioned<int> array(1);
  EXPECT_EQ(array.part(0).size(), 1U);
  EXPECT_TRUE(array.part(1).empty());
  array[0] = 1;
}

TEST_F(ReplicatedArray, ReadsLocallyAndWritesEverywhere) {
  replicated<int> array(1000);
  ASSERT_GE(array.copies(), 1U);
  array.set(7, 42);
  for (std::size_t copy = 0; copy < array.copies(); ++copy) EXPECT_EQ(array.copy(copy)[7], 42);
  EXPECT_EQ(array.local()[7], 42);
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  array.assign(values);
  all_do([&] { EXPECT_EQ(array.local()[999], 999); });
  std::thread([&] { EXPECT_EQ(array.local()[999], 999) << "threads that are no workers read, too"; }).join();
  array.write([](std::span<int> copy) { copy[0] = -1; });
  EXPECT_EQ(array.local()[0], -1);
  EXPECT_THROW(array.assign(std::span<const int>(values).first(5)), std::length_error);
}

TEST_F(FirstTouch, KeepsWhatIsThere) {
  PageBlock block(100 * detail::page_bytes());
  auto* data = static_cast<unsigned char*>(block.data());
  for (std::size_t i = 0; i < block.bytes(); i += 777) data[i] = static_cast<unsigned char>(i);
  first_touch(std::span<unsigned char>(data, block.bytes()));
  for (std::size_t i = 0; i < block.bytes(); i += 777) ASSERT_EQ(data[i], static_cast<unsigned char>(i));
  first_touch(std::span<int>());
}

TEST_F(FirstTouch, GivesEveryPageAHome) {
  PageBlock block(64 * detail::page_bytes());
  auto* data = static_cast<int*>(block.data());
  const std::size_t count = block.bytes() / sizeof(int);
  const PageCensus before = page_census(data, block.bytes());
  first_touch(std::span<int>(data, count));
  const PageCensus after = page_census(data, block.bytes());
  EXPECT_EQ(before.unknown, 64U);
  std::size_t known = 0;
  for (const std::size_t pages : after.pages) known += pages;
  if (node_of(data) < 0) GTEST_SKIP() << "the kernel does not say where pages lie";
  EXPECT_EQ(known, 64U);
}

TEST_F(FirstTouch, CallsEachWorkerOnceWithItsRange) {
  std::array<std::atomic<int>, 1000> times{};
  first_touch(times.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++times[i];
  });
  for (const auto& count : times) EXPECT_EQ(count, 1);
}

TEST_F(Resource, ServesContainers) {
  for (const HugePages huge : {HugePages::no, HugePages::advised, HugePages::requested}) {
    memory_resource resource(on_worker{1}, {.huge = huge});
    std::pmr::vector<int> vector(&resource);
    for (int i = 0; i < 1000000; ++i) vector.push_back(i);
    EXPECT_EQ(vector[999999], 999999);
    std::pmr::map<int, std::pmr::string> map(&resource);
    for (int i = 0; i < 1000; ++i) map[i] = "a string that is too long to be kept inside";
    std::pmr::list<int> list(&resource);
    parallel_for(0, 100, [&](int i) {
      std::pmr::vector<int> own(static_cast<std::size_t>(i) * 1000, 1, &resource);
      EXPECT_EQ(own.size(), static_cast<std::size_t>(i) * 1000);
    });
    EXPECT_EQ(map.size(), 1000U);
  }
  memory_resource all(memory_resource::all_nodes());
  EXPECT_NE(all.allocate(100), nullptr);
  memory_resource first(MemoryOptions{});
  EXPECT_NE(first.allocate(100, 4096), nullptr);
}

TEST_F(Resource, TakesAnyAlignmentAndThrowsWhatContainersCatch) {
  for (const HugePages huge : {HugePages::no, HugePages::advised, HugePages::requested}) {
    memory_resource resource(MemoryOptions{.huge = huge});
    for (const std::size_t alignment : {std::size_t{1} << 13U, std::size_t{1} << 21U, std::size_t{1} << 23U}) {
      void* block = resource.allocate(100, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
      resource.deallocate(block, 100, alignment);
    }
    EXPECT_THROW(static_cast<void>(resource.allocate(PTRDIFF_MAX / 2)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(resource.allocate(PTRDIFF_MAX)), std::bad_alloc);
    std::pmr::vector<int> vector(&resource);
    EXPECT_THROW(vector.reserve(vector.max_size() / 2), std::bad_alloc);
  }
}

/// Worker threads give their pools back when they end, which takes memory from the resource.
TEST(ResourceOutlives, TheRuntimeWhoseWorkersHaveUsedIt) {
  Config config;
  config.workers = 2;
  config.share_cores = true;
  init(config);
  memory_resource resource(on_node{0});
  std::pmr::list<int> shared(&resource);
  all_do([&](int worker) {
    std::pmr::list<int> own(&resource);
    for (int i = 0; i < 1000; ++i) own.push_back(worker);
    if (worker == 1) shared.splice(shared.end(), own);
  });
  finalize();
  for (int i = 0; i < 10'000; ++i) shared.push_back(i);
  EXPECT_EQ(shared.size(), 11'000U);
  EXPECT_THROW(memory_resource(on_node{0}), Error);  // a new one asks the runtime
}

TEST_F(PageQueries, KnowNothingOfPagesThatNobodyTouched) {
  PageBlock block(detail::page_bytes());
  EXPECT_EQ(node_of(block.data()), -1);
  *static_cast<char*>(block.data()) = 1;
  EXPECT_GE(node_of(block.data()), -1);
  EXPECT_LT(node_of(block.data()), static_cast<int>(machine().nodes.size()));
}

TEST(Pages, WithoutARuntimeAreThereButPlaced) {
  PageBlock block(1000);
  static_cast<char*>(block.data())[999] = 1;
  EXPECT_FALSE(block.placed());
  EXPECT_THROW(near<int>(10), Error);
  EXPECT_THROW(PageBlock(1000, on_node{0}), Error);
  EXPECT_GT(available_memory(), 0U);
}

TEST(Pages, ShrinkToWhatIsKept) {
  const std::size_t page = detail::page_bytes();
  PageBlock block(10 * page);
  auto* data = static_cast<char*>(block.data());
  data[0] = 7;
  block.shrink(page + 1);
  EXPECT_EQ(block.bytes(), 2 * page);
  EXPECT_EQ(data[0], 7);
  block.shrink(5 * page);
  EXPECT_EQ(block.bytes(), 2 * page) << "it does not grow";
  block.shrink(0);
  EXPECT_EQ(block.data(), nullptr);
}

}  // namespace
}  // namespace charm
