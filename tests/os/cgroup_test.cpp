// Made-up cgroup trees, as hosts and containers of both generations have them.
#include "os/machine/cgroup.hpp"

#include <gtest/gtest.h>

#include "base/folder.hpp"

using charm::os::read_cgroup_limits;
using Cpus = charm::CpuSet;
using Nodes = charm::OsNodeSet;

namespace {

class Tree : public charm::test::Folder {
 public:
  Tree& line(const std::string& path, const std::string& text) {
    Folder::line(path, text);
    return *this;
  }
  Tree& member(const std::string& text) { return line("proc/self/cgroup", text); }
  Tree& mounts(const std::string& text) { return line("proc/self/mountinfo", text); }
  [[nodiscard]] charm::os::CgroupLimits limits() const { return read_cgroup_limits(root()); }
};

const std::string v2_mount = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
const std::string v1_mounts =
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset";

TEST(Cgroup, WithoutAnyNothingIsLimited) {
  Tree tree;
  auto limits = tree.limits();
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.nodes);
  EXPECT_EQ(limits.cpu_quota, 0);
}

TEST(CgroupV2, GivesCpusMemoryNodesAndQuota) {
  Tree tree;
  tree.mounts(v2_mount).member("0::/user.slice/job");
  tree.line("sys/fs/cgroup/user.slice/job/cpuset.cpus.effective", "0-3,8");
  tree.line("sys/fs/cgroup/user.slice/job/cpuset.mems.effective", "1");
  tree.line("sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000");
  auto limits = tree.limits();
  EXPECT_EQ(limits.cpus, (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(limits.nodes, Nodes{1});
  EXPECT_EQ(limits.cpu_quota, 1.5);
}

TEST(CgroupV2, TheFewestThreadsOnTheWayUpCount) {
  Tree tree;
  tree.mounts(v2_mount).member("0::/a/b");
  EXPECT_EQ(tree.limits().threads, 0);
  tree.line("sys/fs/cgroup/a/b/pids.max", "max");
  EXPECT_EQ(tree.limits().threads, 0);
  tree.line("sys/fs/cgroup/a/b/pids.max", "200");
  tree.line("sys/fs/cgroup/a/pids.max", "40");
  EXPECT_EQ(tree.limits().threads, 40);
}

TEST(CgroupV1, ThePidsControllerLimitsThreads) {
  Tree tree;
  tree.mounts("35 31 0:32 / /sys/fs/cgroup/pids rw shared:11 - cgroup cgroup rw,pids").member("4:pids:/job");
  tree.line("sys/fs/cgroup/pids/job/pids.max", "12");
  EXPECT_EQ(tree.limits().threads, 12);
}

TEST(CgroupV2, TheTightestQuotaOnTheWayUpCounts) {
  Tree tree;
  tree.mounts(v2_mount).member("0::/a/b/c");
  tree.line("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000");
  tree.line("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  tree.line("sys/fs/cgroup/a/cpu.max", "50000 25000");
  EXPECT_EQ(tree.limits().cpu_quota, 2);
  tree.line("sys/fs/cgroup/cpu.max", "10000 100000");  // a container's own root has one too
  EXPECT_EQ(tree.limits().cpu_quota, 0.1);
}

TEST(CgroupV2, AGroupWithoutTheControllerInheritsFromAbove) {
  Tree tree;
  tree.mounts(v2_mount).member("0::/a/b");
  tree.line("sys/fs/cgroup/a/b/cgroup.procs", "1");
  tree.line("sys/fs/cgroup/a/cpuset.cpus.effective", "4-5");
  EXPECT_EQ(tree.limits().cpus, (Cpus{4, 5}));
}

TEST(CgroupV2, MaxAndRubbishAreNoLimit) {
  for (const char* text : {"max 100000", "max", "", "many few", "100000 0", "-1 100000"}) {
    Tree tree;
    tree.mounts(v2_mount).member("0::/").line("sys/fs/cgroup/cpu.max", text);
    tree.line("sys/fs/cgroup/cpuset.cpus.effective", "rubbish");
    EXPECT_EQ(tree.limits().cpu_quota, 0) << text;
    EXPECT_FALSE(tree.limits().cpus) << text;
  }
}

TEST(CgroupV2, AContainerThatSeesItsHostsPathReadsTheMountsTop) {
  Tree tree;
  tree.mounts("29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw").member("0::/docker/abc/inner");
  tree.line("sys/fs/cgroup/inner/cpu.max", "300000 100000");
  tree.line("sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_EQ(tree.limits().cpu_quota, 2);
  tree.member("0::/docker/abcdef");  // begins alike and is another group
  EXPECT_EQ(tree.limits().cpu_quota, 2);
  tree.member("0::/../../elsewhere");
  EXPECT_EQ(tree.limits().cpu_quota, 2);
}

TEST(CgroupV1, GivesCpusMemoryNodesAndQuota) {
  Tree tree;
  tree.mounts(v1_mounts).member("4:cpuset:/job\n3:cpu,cpuacct:/job/step\n1:name=systemd:/x");
  tree.line("sys/fs/cgroup/cpuset/job/cpuset.cpus", "0-7");
  tree.line("sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-5");
  tree.line("sys/fs/cgroup/cpuset/job/cpuset.mems", "0-1");
  tree.line("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1");
  tree.line("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000");
  tree.line("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  tree.line("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "50000");
  auto limits = tree.limits();
  EXPECT_EQ(limits.cpus, (Cpus{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(limits.nodes, (Nodes{0, 1}));
  EXPECT_EQ(limits.cpu_quota, 5);
}

TEST(CgroupV1, WithoutEffectiveCpusTheConfiguredOnesCount) {
  Tree tree;
  tree.mounts(v1_mounts).member("4:cpuset:/job");
  tree.line("sys/fs/cgroup/cpuset/job/cpuset.cpus", "2-3");
  EXPECT_EQ(tree.limits().cpus, (Cpus{2, 3}));
}

TEST(CgroupHybrid, BothGenerationsAreReadSideBySide) {
  Tree tree;
  tree.mounts(v1_mounts + "\n42 31 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw")
      .member("3:cpu,cpuacct:/a\n0::/b");
  tree.line("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000");
  tree.line("sys/fs/cgroup/unified/b/cpu.max", "400000 100000");
  tree.line("sys/fs/cgroup/unified/b/cpuset.cpus.effective", "1");
  EXPECT_EQ(tree.limits().cpu_quota, 3);
  EXPECT_EQ(tree.limits().cpus, Cpus{1});
}

TEST(Cgroup, BlanksInPathsAreUnderstood) {
  Tree tree;
  tree.mounts("29 23 0:26 / /sys/fs/my\\040groups rw - cgroup2 none rw").member("0::/a");
  tree.line("sys/fs/my groups/a/cpu.max", "100000 100000");
  EXPECT_EQ(tree.limits().cpu_quota, 1);
}

TEST(Cgroup, ThisMachinesAreReadWithoutHarm) { EXPECT_GE(read_cgroup_limits().cpu_quota, 0); }

}  // namespace
