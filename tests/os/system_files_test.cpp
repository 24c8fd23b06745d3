// Files of /proc and /sys: where they are below a root, and the few forms that they have.
#include "os/files/system_files.hpp"

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "os/machine/load_average.hpp"
#include "os/processes/process_stat.hpp"

namespace charm::os {
namespace {

TEST(PathBelow, HasOneSlashHoweverTheRootEnds) {
  EXPECT_EQ(path_below("/", "proc/stat"), "/proc/stat");
  EXPECT_EQ(path_below("/tmp/tree", "proc/stat"), "/tmp/tree/proc/stat");
  EXPECT_EQ(path_below("/tmp/tree/", "proc/stat"), "/tmp/tree/proc/stat");
}

TEST(ReadText, GivesNothingForAFileThatIsNotThere) {
  EXPECT_EQ(read_text("/nowhere/at/all"), "");
  EXPECT_EQ(first_line("/nowhere/at/all"), std::nullopt);
}

TEST(ReadText, GivesFilesLongerThanOneRead) {
  const test::Folder tree;
  const std::string text(10000, 'x');
  tree.file("proc/long", text + "\nsecond\n");
  EXPECT_EQ(first_line(path_below(tree.root(), "proc/long")), text);
}

TEST(ValueOf, FindsTheLineThatBeginsWithTheName) {
  const char* text = "NotName: 1\nName:\t 22 kB\nName: 3\n";
  EXPECT_EQ(value_of(text, "Name:"), "22 kB");
  EXPECT_EQ(kilobytes_of(text, "Name:"), 22U * 1024);
  EXPECT_EQ(value_of(text, "Other:"), std::nullopt);
  EXPECT_EQ(value_of("", "Name:"), std::nullopt);
}

TEST(NumberedEntries, AreSortedAndNothingElse) {
  const test::Folder tree;
  for (const char* name : {"proc/20/x", "proc/3/x", "proc/self/x", "proc/4a/x"}) tree.file(name, "");
  EXPECT_EQ(numbered_entries(path_below(tree.root(), "proc")), (std::vector<int>{3, 20}));
}

TEST(ProcessStat, IsReadBehindANameOfAnyForm) {
  const std::string fields =
      " S 7 1 1 0 -1 4194304 101 0 11 0 250 50 3 4 20 0 9 0 777 1000 50 18446744073709551615 1 1";
  const std::string text = "42 (a) b (c)" + fields + " 0 0 0 0 0 0 0 0 0 0 17 5 0 0 0\n";
  const auto stat = parse_process_stat(text);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->name, "a) b (c");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->minor_faults, 101U);
  EXPECT_EQ(stat->major_faults, 11U);
  EXPECT_EQ(stat->used_ticks, 300U);
  EXPECT_EQ(stat->waited_ticks, 7U);
  EXPECT_EQ(stat->threads, 9);
  EXPECT_EQ(stat->started, 777U);
  EXPECT_EQ(stat->cpu, 5);
}

TEST(ProcessStat, MayEndBehindTheTimes) {
  const auto stat = parse_process_stat("1 (x) R 0 0 0 0 0 0 0 0 0 0 5 6");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->used_ticks, 11U);
  EXPECT_EQ(stat->started, std::nullopt);
  EXPECT_EQ(stat->cpu, -1);
  EXPECT_FALSE(parse_process_stat("1 (x) R 0 0 0").has_value());
  EXPECT_FALSE(parse_process_stat("").has_value());
}

TEST(LoadAverage, IsReadWithItsCounts) {
  const test::Folder tree;
  EXPECT_FALSE(read_load_average(tree.root()).has_value());
  tree.file("proc/loadavg", "0.50 0.20 0.30 7/345 6789\n");
  const auto load = read_load_average(tree.root());
  ASSERT_TRUE(load.has_value());
  EXPECT_EQ(load->one_minute, 0.5);
  EXPECT_EQ(load->runnable, 7U);
  EXPECT_EQ(load->last_created, 6789);
}

}  // namespace
}  // namespace charm::os
