// Transactions without an engine: the distributions, the histogram, records and folders.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "workloads/oltp/data_folder.hpp"
#include "workloads/oltp/histogram.hpp"
#include "workloads/oltp/record.hpp"
#include "workloads/oltp/tpcc_random.hpp"
#include "workloads/oltp/ycsb.hpp"
#include "workloads/oltp_folder.hpp"

namespace charm::workloads::testing {
namespace {

using namespace oltp;
namespace fs = std::filesystem;

TEST(Zipfian, ZetaIsTheSum) {
  double sum = 0;
  for (int i = 300000; i > 0; --i) sum += std::pow(i, -.99);
  EXPECT_NEAR(Zipfian::zeta(300000, .99), sum, 1e-8 * sum);
  EXPECT_EQ(Zipfian::zeta(1, .99), 1);
}

TEST(Zipfian, DrawsRanksAsOftenAsTheLawSays) {
  const Zipfian zipfian(1000);
  Random random(5);
  constexpr int draws = 400000;
  std::vector<int> counts(1000);
  for (int i = 0; i < draws; ++i) ++counts.at(zipfian.next(random));
  const double zeta = Zipfian::zeta(1000, .99);
  // The generator is exact for the first two ranks and an approximation for the others.
  for (const std::size_t rank : {0U, 1U}) {
    const double right = draws / zeta * std::pow(static_cast<double>(rank) + 1, -.99);
    EXPECT_NEAR(counts[rank], right, 5 * std::sqrt(right)) << rank;
  }
  const int first_ten = std::accumulate(counts.begin(), counts.begin() + 10, 0);
  EXPECT_NEAR(first_ten, draws * Zipfian::zeta(10, .99) / zeta, .03 * draws);
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 0);
}

TEST(Zipfian, StaysWithinItsRanks) {
  for (const std::uint64_t count : {1U, 2U, 3U, 1000000U}) {
    const Zipfian zipfian(count);
    for (const double u : {0.0, .3, .7, .999999999, 1 - 0x1p-53}) EXPECT_LT(zipfian.rank(u), count) << u;
  }
}

TEST(Histogram, FindsPercentilesWithinAHundredth) {
  Histogram histogram;
  std::vector<std::uint64_t> values;
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> draw(9, 2);
  for (int i = 0; i < 20000; ++i) values.push_back(static_cast<std::uint64_t>(draw(random)));
  for (const auto value : values) histogram.add(value);
  std::sort(values.begin(), values.end());
  for (const double percent : {.01, 50.0, 95.0, 99.0, 99.9, 100.0}) {
    const auto at = static_cast<std::size_t>(std::ceil(percent / 100 * 20000)) - 1;
    const auto found = static_cast<double>(histogram.percentile(percent));
    EXPECT_GE(found, static_cast<double>(values[at])) << percent;
    EXPECT_LE(found, static_cast<double>(values[at]) * 1.008) << percent;
  }
  EXPECT_EQ(histogram.percentile(100), values.back());
}

TEST(Histogram, TakesEveryValueAndAddsUp) {
  Histogram one;
  EXPECT_EQ(one.percentile(50), 0U);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{255}, std::uint64_t{256}, ~std::uint64_t{0}}) {
    Histogram alone;
    alone.add(value);
    EXPECT_EQ(alone.percentile(50), value);
    one.add(alone);
  }
  EXPECT_EQ(one.count(), 4U);
  EXPECT_EQ(one.percentile(50), 255U);
}

TEST(Record, EveryChangedBitIsNoticed) {
  std::string value = ycsb_value(7, 0, 100);
  ASSERT_TRUE(Record::whole(value, 7, 100));
  EXPECT_FALSE(Record::whole(value, 8, 100));
  EXPECT_FALSE(Record::whole(value.substr(0, 99), 7, 100));
  for (std::size_t bit = 0; bit < value.size() * 8; ++bit) {
    value[bit / 8] = static_cast<char>(value[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(Record::whole(value, 7, 100)) << bit;
    value[bit / 8] = static_cast<char>(value[bit / 8] ^ (1 << (bit % 8)));
  }
  Record::change(value, 12345);
  EXPECT_TRUE(Record::whole(value, 7, 100));
  EXPECT_EQ(Record::version(value), 1U);
}

TEST(TpccRandom, DrawsWithinBoundsAndKnowsTheNames) {
  Random random(1);
  TpccScale scale;
  int most = 0;
  for (int i = 0; i < 100000; ++i) {
    const int c = random_customer(random, scale);
    ASSERT_TRUE(c >= 1 && c <= scale.customers);
    most = std::max(most, c);
  }
  EXPECT_GT(most, scale.customers * 9 / 10);
  EXPECT_STREQ(last_name(371).data(), "PRICALLYOUGHT");  // the standard's example
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(DataFolder, IsMadeOnceAndRefusedIfItIsNotWhatItWas) {
  const TestFolder root;
  int made = 0;
  const auto make = [&](const std::string& folder) {
    ++made;
    std::ofstream(folder + "/rows") << "rows";
  };
  const std::string first = prepared_database(root.path(), "a", "of 3\n", make);
  EXPECT_EQ(prepared_database(root.path(), "a", "of 3\n", make), first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(complaint([&] { prepared_database(root.path(), "a", "of 4\n", make); }).find("another database"),
            std::string::npos);
  fs::create_directory(root.path() + "/b");
  EXPECT_NE(complaint([&] { prepared_database(root.path(), "b", "of 3\n", make); }).find("not made by"),
            std::string::npos);
}

TEST(DataFolder, LeavesNothingIfTheDatabaseCannotBeMade) {
  const TestFolder root;
  const auto fail = [](const std::string& folder) {
    std::ofstream(folder + "/rows") << "some";
    throw Error(Errc::bad_input, "the disk is full", "");
  };
  EXPECT_EQ(complaint([&] { prepared_database(root.path(), "a", "m", fail); }), "the disk is full");
  EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST(DataFolder, RefusesWhatIsNoFolderForDatabases) {
  const TestFolder root;
  EXPECT_NE(complaint([&] { data_root(root.path() + "/none"); }).find("there is no folder"), std::string::npos);
  std::ofstream(root.path() + "/WiredTiger") << "";
  EXPECT_NE(complaint([&] { data_root(root.path() + "/WiredTiger"); }).find("is not a folder"), std::string::npos);
  EXPECT_NE(complaint([&] { data_root(root.path()); }).find("is a database itself"), std::string::npos);
}

TEST(DataFolder, CopiesAreRemovedAlsoThoseOfProcessesThatWereKilled) {
  const TestFolder root;
  const std::string database = prepared_database(
      root.path(), "a", "m", [](const std::string& folder) { std::ofstream(folder + "/rows") << "rows"; });
  const std::string left = root.path() + "/run-1-1";
  fs::create_directory(left);
  std::ofstream(left + "/lock") << "";
  {
    const WorkingCopy first = copy_database(root.path(), database);
    EXPECT_FALSE(fs::exists(left));
    const WorkingCopy second = copy_database(root.path(), database);
    EXPECT_TRUE(fs::exists(first.database() + "/rows"));  // its owner lives
    EXPECT_TRUE(fs::exists(second.database() + "/rows"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace charm::workloads::testing
