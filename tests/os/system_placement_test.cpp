// What places threads besides CHARM, read from made-up trees (tools/os/system_placement.hpp).
#include "tools/os/system_placement.hpp"

#include <gtest/gtest.h>

#include "base/folder.hpp"

namespace charm::os {
namespace {

TEST(SystemPlacement, IsReadWhereTheKernelTells) {
  const test::Folder system;
  system.file("proc/sys/kernel/osrelease", "7.3.4-cloud-amd64\n");
  system.file("sys/kernel/debug/sched/llc_balancing/enabled", "1\n");
  system.file("sys/kernel/sched_ext/state", "enabled\n");
  system.file("sys/kernel/sched_ext/root/ops", "lavd_1.0.5\n");
  system.file("proc/sys/kernel/numa_balancing", "0\n");
  system.file("proc/17/comm", "numad\n");
  system.file("proc/18/comm", "bash\n");
  system.file("proc/19/comm", "irqbalance\n");
  EXPECT_EQ(one_line(read_system_placement(system.root())),
            "cache-aware scheduling on, BPF scheduler lavd_1.0.5, NUMA balancing off; irqbalance, numad run");
  system.file("sys/kernel/debug/sched/llc_balancing/enabled", "N\n");
  system.file("sys/kernel/sched_ext/state", "disabled\n");
  system.file("proc/sys/kernel/numa_balancing", "2\n");  // tiering
  EXPECT_EQ(one_line(read_system_placement(system.root())),
            "cache-aware scheduling off, no BPF scheduler, NUMA balancing on; irqbalance, numad run");
}

TEST(SystemPlacement, OfAnOldKernelIsKnownWithoutDebugfs) {
  const test::Folder system;
  system.file("proc/sys/kernel/osrelease", "6.1.0-41-amd64\n");
  EXPECT_EQ(one_line(read_system_placement(system.root())),
            "cache-aware scheduling not in Linux 6.1.0-41-amd64, no BPF scheduler, NUMA balancing not in this kernel");
  system.file("proc/sys/kernel/osrelease", "7.1.9\n");
  EXPECT_EQ(read_system_placement(system.root()).cache_aware, "not in Linux 7.1.9");
}

TEST(SystemPlacement, SaysWhyItIsNotKnown) {
  const test::Folder system;
  system.file("proc/sys/kernel/osrelease", "7.2.0\n");
  EXPECT_TRUE(read_system_placement(system.root()).cache_aware.starts_with("not known: "));
  system.file("boot/config-7.2.0", "CONFIG_SMP=y\n# CONFIG_SCHED_CACHE is not set\n");
  EXPECT_EQ(read_system_placement(system.root()).cache_aware, "not in this kernel, which was built without it");
  EXPECT_FALSE(read_system_placement(system.root()).gathers());
  system.file("boot/config-7.2.0", "CONFIG_SMP=y\nCONFIG_SCHED_CACHE=y\n");
  EXPECT_TRUE(read_system_placement(system.root()).cache_aware.starts_with("not known, on by default: "));
  EXPECT_TRUE(read_system_placement(system.root()).gathers()) << "nobody has to switch it on";
  system.file("sys/kernel/sched_ext/state", "enabled\n");
  EXPECT_FALSE(read_system_placement(system.root()).gathers()) << "another scheduler has its own rules";
  system.file("sys/kernel/sched_ext/state", "disabled\n");
  system.file("sys/kernel/debug/sched/features", "\n");
  EXPECT_EQ(read_system_placement(system.root()).cache_aware, "not in this kernel");
}

TEST(SystemPlacement, AKubeletCountsUnderItsStaticPolicyAlone) {
  const test::Folder system;
  system.file("proc/17/comm", "kubelet\n");
  EXPECT_TRUE(read_system_placement(system.root()).by.empty());
  system.file("var/lib/kubelet/cpu_manager_state", R"({"policyName":"static","defaultCpuSet":"0-3"})");
  EXPECT_EQ(read_system_placement(system.root()).by, std::vector<std::string>{"kubelet"});
}

}  // namespace
}  // namespace charm::os
