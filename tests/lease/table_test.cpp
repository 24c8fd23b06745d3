// The table as bytes: what is written is read, and nothing else is believed.
#include "lease/table.hpp"

#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace {

using namespace charm::lease;

Entry entry(int pid, charm::CoreCpuSet holds) {
  return {pid, 77, 5, 1, 1000, 100, 4, {0, 1, 2, 3, 700}, std::move(holds)};
}

std::string file_with(const Table& table) {
  std::string file(file_bytes(), '\0');
  const std::string image = encode(table);
  return file.replace(image_offset(table.sequence), image.size(), image);
}

TEST(ShareTable, IsReadAsItWasWritten) {
  const Table table{7, {entry(10, {0, 700}), entry(11, {1})}};
  const Decoded decoded = decode(file_with(table));
  EXPECT_FALSE(decoded.damaged);
  EXPECT_EQ(decoded.table.entries, table.entries);
  EXPECT_EQ(decoded.table.sequence, 7U);
}

TEST(ShareTable, AnEmptyFileIsEmptyAndNotDamaged) {
  for (const std::string& file : {std::string(), std::string(100, '\0'), std::string(file_bytes(), '\0')}) {
    EXPECT_FALSE(decode(file).damaged);
    EXPECT_TRUE(decode(file).table.entries.empty());
  }
}

TEST(ShareTable, AWriteThatWasTornLeavesTheImageBefore) {
  const Table before{4, {entry(10, {0, 1})}};
  const std::string next = encode({5, {entry(10, {0}), entry(11, {1})}});
  for (std::size_t written = 0; written < next.size(); written += 13) {
    std::string file = file_with(before);
    file.replace(image_offset(5), written, next, 0, written);
    const Decoded decoded = decode(file);
    EXPECT_FALSE(decoded.damaged);
    // What is missing at the end may be zeros, as the file has them there already: then nothing is missing.
    if (file.compare(image_offset(5), next.size(), next) == 0) continue;
    EXPECT_EQ(decoded.table.entries, before.entries) << written;
  }
}

TEST(ShareTable, NoChangedByteIsTakenForATable) {
  EXPECT_TRUE(rc::check([] {
    const Table table{6, {entry(10, {0, 2}), entry(11, {1})}};
    std::string file = file_with(table);
    const auto at = *rc::gen::inRange<std::size_t>(0, encode(table).size());
    file[at] = static_cast<char>(file[at] ^ *rc::gen::inRange(1, 256));
    const Decoded decoded = decode(file);
    RC_ASSERT(decoded.damaged);
    RC_ASSERT(decoded.table.entries.empty());
  }));
}

TEST(ShareTable, WhatCannotBeIsRefusedThoughItsSumsAreRight) {
  auto is_refused = [](const Table& table) { return decode(file_with(table)).damaged; };
  EXPECT_TRUE(is_refused({2, {entry(10, {0, 1}), entry(11, {1})}})) << "one core twice";
  EXPECT_TRUE(is_refused({2, {entry(10, {5})}})) << "a core that it may not use";
  EXPECT_TRUE(is_refused({2, {entry(0, {})}})) << "no process";
  Entry heavy = entry(10, {});
  heavy.weight = 100000;
  EXPECT_TRUE(is_refused({2, {heavy}}));
}

TEST(ShareTable, OneWithoutHoldersIsAHeaderAlone) {
  const std::string image = encode({2, {}});
  EXPECT_EQ(image.size(), header_bytes());
  EXPECT_EQ(image_bytes_of(image), header_bytes());
  EXPECT_EQ(image_bytes_of(encode({2, {entry(10, {0})}})), encode({2, {entry(10, {0})}}).size());
  const Decoded decoded = decode(image, "");
  EXPECT_FALSE(decoded.damaged);
  EXPECT_EQ(decoded.table.sequence, 2U);
  EXPECT_EQ(image_bytes_of(image.substr(1)), 0U);
}

TEST(ShareTable, BoundsAreTakenAndWhatIsBeyondThemIsNot) {
  const auto is_taken = [](auto change) {
    Entry changed = entry(10, {0});
    change(changed);
    return !decode(file_with({2, {changed}})).damaged;
  };
  EXPECT_TRUE(is_taken([](Entry& e) { e.weight = 1; }));
  EXPECT_FALSE(is_taken([](Entry& e) { e.weight = 0; }));
  EXPECT_TRUE(is_taken([](Entry& e) { e.weight = 1000; }));
  EXPECT_FALSE(is_taken([](Entry& e) { e.weight = 1001; }));
  EXPECT_TRUE(is_taken([](Entry& e) { e.want = 0; }));
  EXPECT_FALSE(is_taken([](Entry& e) { e.want = -1; }));
  EXPECT_TRUE(is_taken([](Entry& e) { e.want = most_cpus; }));
  EXPECT_FALSE(is_taken([](Entry& e) { e.want = most_cpus + 1; }));
  EXPECT_TRUE(is_taken([](Entry& e) { e.pid = 1; }));
  EXPECT_TRUE(is_taken([](Entry& e) { e.may.insert(most_cpus - 1); }));
  EXPECT_FALSE(is_taken([](Entry& e) { e.may = e.holds = {}; }));
  Table full{2, {}};
  for (int pid = 1; pid <= static_cast<int>(most_entries); ++pid) full.entries.push_back(entry(pid, {}));
  EXPECT_EQ(decode(file_with(full)).table.entries.size(), most_entries);
  // The newer of two, whichever comes first.
  const std::string older = encode({2, {entry(10, {0})}}), newer = encode({3, {entry(11, {0})}});
  EXPECT_EQ(decode(older, newer).table.entries.front().pid, 11);
  EXPECT_EQ(decode(newer, older).table.entries.front().pid, 11);
  EXPECT_EQ(decode(older, newer.substr(0, newer.size() - 1)).table.entries.front().pid, 10);
}

TEST(ShareTable, RandomBytesAreDamage) {
  EXPECT_TRUE(rc::check([](const std::vector<char>& bytes) {
    const std::string file(bytes.begin(), bytes.end());
    RC_ASSERT(decode(file).table.entries.empty());
  }));
}

}  // namespace
