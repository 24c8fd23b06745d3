#include "tools/top/masks.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/folder.hpp"

namespace charm::top {
namespace {

/// A /proc of our own, with eight cpus and a cgroup that grants the first four.
class Masks : public testing::Test {
 protected:
  Masks() {
    folder_.line("sys/devices/system/cpu/online", "0-7");
    folder_.line("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    folder_.line("sys/fs/cgroup/cpuset.cpus.effective", "0-7");
    folder_.line("sys/fs/cgroup/pod/cpuset.cpus.effective", "0-3");
  }
  ThreadShare thread(int pid, int tid, const std::string& cpus, const std::string& group,
                     const std::string& name = "x") {
    folder_.line("proc/" + std::to_string(pid) + "/cgroup", "0::/" + group);
    folder_.file("proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/status",
                 "Name:\tx\nCpus_allowed_list:\t" + cpus + "\n");
    ThreadShare row;
    row.pid = pid;
    row.tid = tid;
    row.name = name;
    return row;
  }
  std::string from(ThreadShare row) {
    std::vector<ThreadShare> rows{std::move(row)};
    MaskReader(folder_.root()).read(rows);
    return std::string(name_of(rows.front().mask_from)) + " " + rows.front().mask.to_text();
  }

  charm::test::Folder folder_;
};

TEST_F(Masks, OfAllCpusAreNobodys) { EXPECT_EQ(from(thread(10, 10, "0-7", "")), " 0-7"); }

TEST_F(Masks, AreTheCpusetsWhereTheyAreWhatItGrants) { EXPECT_EQ(from(thread(10, 11, "0-3", "pod")), "cpuset 0-3"); }

TEST_F(Masks, AreTheProgramsWhereNobodyElseHasSetThem) {
  EXPECT_EQ(from(thread(10, 11, "2", "pod")), "program 2");
  EXPECT_EQ(from(thread(10, 11, "0-3", "")), "program 0-3") << "its group grants more";
}

TEST_F(Masks, OfTheLibrarysWorkersAreCharms) { EXPECT_EQ(from(thread(10, 11, "2", "pod", "charm-2")), "charm 2"); }

TEST_F(Masks, OfAThreadThatHasEndedAreNotKnown) {
  ThreadShare row;
  row.pid = row.tid = 99;
  EXPECT_EQ(from(row), " ");
}

TEST_F(Masks, OfEachProcessAreComparedWithItsOwnGroup) {
  std::vector<ThreadShare> rows{thread(10, 11, "0-3", "pod"), thread(20, 21, "0-3", ""), thread(10, 12, "1", "pod")};
  MaskReader reader(folder_.root());
  for (int again = 0; again < 2; ++again) {
    reader.read(rows);
    EXPECT_EQ(rows[0].mask_from, MaskFrom::cpuset);
    EXPECT_EQ(rows[1].mask_from, MaskFrom::program);
    EXPECT_EQ(rows[2].mask_from, MaskFrom::program);
  }
}

}  // namespace
}  // namespace charm::top
