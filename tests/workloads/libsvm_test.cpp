// LIBSVM files: what is read, and that every bad one is refused with file, line, reason and remedy.
#include "workloads/sgd/libsvm.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>
#include <zlib.h>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/executors.hpp"
#include "workloads/sgd/sgd_bench.hpp"

namespace charm::workloads::testing {
namespace {

using Entry = std::pair<Index, float>;
using Row = std::pair<int, std::vector<Entry>>;

/// The rows in ascending order, without zeros.
std::vector<Row> rows_of(const Samples& s) {
  std::vector<Row> rows;
  for (Index r = 0; r < s.rows; ++r) {
    Row row{s.labels[r], {}};
    const Index first = s.sparse() ? s.offsets[r] : r * s.features;
    const Index last = s.sparse() ? s.offsets[r + 1] : first + s.features;
    for (Index i = first; i < last; ++i) {
      if (s.values[i] != 0) row.second.emplace_back(s.sparse() ? s.columns[i] : i - first, s.values[i]);
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

LoadedSamples load_text(const std::string& text, std::uint64_t seed = 1) {
  const test::Folder folder;
  SerialExecutor e;
  return load_libsvm(e, folder.file("samples.svm", text), seed);
}

TEST(Libsvm, ReadsLabelsFeaturesCommentsAndEmptyRows) {
  const auto loaded = load_text("# two kinds\n+1 1:0.5 3:-.25 # the first\n\n-1 2:1e-1\n+1\n-1 3:0\r\n");
  EXPECT_EQ(loaded.negative, -1);
  EXPECT_EQ(loaded.positive, 1);
  EXPECT_FALSE(loaded.scaled);
  EXPECT_EQ(loaded.samples.features, 3);
  EXPECT_TRUE(loaded.samples.sparse());
  const std::vector<Row> right = {{-1, {}}, {-1, {{1, .1F}}}, {1, {}}, {1, {{0, .5F}, {2, -.25F}}}};
  EXPECT_EQ(rows_of(loaded.samples), right);
}

TEST(Libsvm, StoresFullRowsDense) {
  const auto loaded = load_text("0 1:.5 2:.25\n1 1:1 2:1\n0 2:.5");
  EXPECT_FALSE(loaded.samples.sparse());
  EXPECT_EQ(loaded.positive, 1);
  const std::vector<Row> right = {{-1, {{0, .5F}, {1, .25F}}}, {-1, {{1, .5F}}}, {1, {{0, 1.F}, {1, 1.F}}}};
  EXPECT_EQ(rows_of(loaded.samples), right);
}

TEST(Libsvm, DividesEachFeatureByItsLargestMagnitude) {
  const auto loaded = load_text("2 1:100 2:.5\n5 1:-400 2:.25\n");
  EXPECT_TRUE(loaded.scaled);
  EXPECT_EQ(loaded.negative, 2);
  const std::vector<Row> right = {{-1, {{0, .25F}, {1, 1.F}}}, {1, {{0, -1.F}, {1, .5F}}}};
  EXPECT_EQ(rows_of(loaded.samples), right);
}

TEST(Libsvm, LeavesFeaturesAsTheyAreIfAsked) {
  const test::Folder folder;
  SerialExecutor e;
  const auto loaded = load_libsvm(e, folder.file("samples.svm", "2 1:100 2:.5\n5 1:-400 2:.25\n"), 1, false);
  EXPECT_FALSE(loaded.scaled);
  const std::vector<Row> right = {{-1, {{0, 100.F}, {1, .5F}}}, {1, {{0, -400.F}, {1, .25F}}}};
  EXPECT_EQ(rows_of(loaded.samples), right);
}

std::string sorted_by_label(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += (i < rows / 2 ? "-1 1:0." : "+1 3:0.") + std::to_string(i + 1) + " 900:0.5\n";
  return text;
}

TEST(Libsvm, MixesTheRowsAsTheSeedSaysWhateverTheRuntime) {
  const test::Folder folder;
  const std::string path = folder.file("samples.svm", sorted_by_label(2000));
  SerialExecutor serial;
  const Samples right = load_libsvm(serial, path, 1).samples;
  const Samples other = load_libsvm(serial, path, 2).samples;
  EXPECT_EQ(rows_of(right), rows_of(other));
  EXPECT_FALSE(std::equal(right.labels.begin(), right.labels.end(), other.labels.begin()));
  const auto first_half = std::count(right.labels.begin(), right.labels.begin() + 1000, 1);
  EXPECT_GT(first_half, 400);
  EXPECT_LT(first_half, 600);
  on_every_executor([&](auto& e) {
    const Samples s = load_libsvm(e, path, 1).samples;
    EXPECT_TRUE(std::equal(s.labels.begin(), s.labels.end(), right.labels.begin(), right.labels.end()));
    EXPECT_TRUE(std::equal(s.values.begin(), s.values.end(), right.values.begin(), right.values.end()));
    EXPECT_TRUE(std::equal(s.columns.begin(), s.columns.end(), right.columns.begin(), right.columns.end()));
  });
}

TEST(Libsvm, ReadsGzipAndIsVerifiedByEveryKernel) {
  const test::Folder folder;
  const std::string path = folder.path("samples.svm.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, sorted_by_label(500).c_str());
  gzclose(file);
  const auto samples = SampleSet::load(path, 1, {});
  EXPECT_NE(samples.describe().find("label 1 against -1"), std::string::npos) << samples.describe();
  for (const auto& kernel : sgd_kernels()) {
    const auto run = run_sgd(kernel, {runtimes().front(), 3}, samples);
    EXPECT_TRUE(run.verified) << kernel << ": " << run.detail;
  }
}

TEST(Libsvm, CountsFeaturesFromZeroWhereALineHasFeatureZero) {
  const Samples from_one = load_text("+1 1:0.5 3:0.25\n-1 2:1\n").samples;
  const Samples from_zero = load_text("+1 0:0.5 2:0.25\n-1 1:1\n").samples;
  EXPECT_EQ(from_zero.features, 3);
  EXPECT_EQ(rows_of(from_zero), rows_of(from_one));
  EXPECT_EQ(load_text("+1 0:0 2:0.25\n-1 1:1\n").samples.features, 3) << "also where its value is 0";
}

TEST(Libsvm, AFewBytesDoNotAskForGigabytes) {
  try {
    load_text("+1 2147483647:1\n-1 1:1\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("by its size"), std::string::npos) << error.what();
  }
}

TEST(Libsvm, RefusesEveryBadFileInOneLineThatNamesTheLine) {
  const std::tuple<const char*, const char*, const char*> bad[] = {
      {"", "svm: ", "empty"},
      {"\n# nothing\n", "svm:", "without a row"},
      {"+1 1:1\n+1 1:2\n", "svm: ", "all rows have label 1"},
      {"+1\n-1\n", "svm: ", "no row has a value"},
      {"+1 1:1\n-1 1:2\n3 1:1\n", "svm:3: ", "label 3 is the third"},
      {"+1 1:1\nnan 1:2\n", "svm:2: ", "label 'nan' is not a finite"},
      {"+1 1:1\nspam 1:2\n", "svm:2: ", "label 'spam'"},
      {"1:1 2:2\n", "svm:1: ", "label '1:1'"},
      {"+1 1:nan\n", "svm:1: ", "value 'nan' is not a finite"},
      {"+1 1:inf\n", "svm:1: ", "value 'inf'"},
      {"+1 1:1e39\n", "svm:1: ", "value '1e39'"},
      {"+1 1:\n", "svm:1: ", "value ''"},
      {"+1 1:2x\n", "svm:1: ", "value '2x'"},
      {"+1 1:1:1\n", "svm:1: ", "value '1:1'"},
      {"+1 :1\n", "svm:1: ", "feature"},
      {"+1 -2:1\n", "svm:1: ", "feature -2 is negative"},
      {"+1 2147483648:1\n", "svm:1: ", "feature 2147483648 is out of range"},
      {"+1 99999999999999999999:1\n", "svm:1: ", "out of range"},
      {"+1 1:1 7\n", "svm:1: ", "'7' is not a feature and a value"},
      {"+1 2:1 1:1\n", "svm:1: ", "feature 1 follows feature 2"},
      {"+1 2:1 2:1\n", "svm:1: ", "feature 2 follows feature 2"},
      {"+1 qid:3 1:1\n", "svm:1: ", "qid"},
      {"+1 1:1\n-1 1:1\n5 1:x\n7 1:1\n", "svm:3: ", "third"},
      {"+1 1:1\n-1 1:x\n5 1:1\n", "svm:2: ", "value 'x'"},
      {"\x1f\x8b\x08\x00\x00", "svm", "gzip"},
  };
  for (const auto& [text, where, what] : bad) {
    try {
      load_text(std::string(text, text[0] == '\x1f' ? 5 : std::char_traits<char>::length(text)));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), Errc::bad_input);
      EXPECT_FALSE(error.remedy().empty()) << text;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_NE(message.find(where), std::string::npos) << message;
      EXPECT_NE(message.find(what), std::string::npos) << message;
      EXPECT_EQ((message + error.remedy()).find("graph"), std::string::npos) << message << error.remedy();
    }
  }
  SerialExecutor e;
  EXPECT_THROW(load_libsvm(e, "/nowhere/samples.svm", 1), Error);
  EXPECT_THROW(load_libsvm(e, "/", 1), Error);
}

}  // namespace
}  // namespace charm::workloads::testing
