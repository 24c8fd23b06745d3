// The reason why there are no counters is the true one, and the remedy fits it.
#include "counters/refusal.hpp"

#include <cerrno>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "os/machine/cpu_identity.hpp"
#include "os/machine/pressure.hpp"
#include "os/perf/perf_access.hpp"

namespace charm::counters {
namespace {

os::PerfAccess access(int paranoid, bool seccomp = false) {
  os::PerfAccess all;
  all.paranoid = paranoid;
  all.seccomp = seccomp;
  all.devices = {"cpu", "software"};
  return all;
}

TEST(Refusal, NamesTheParanoidLevelThatWasRead) {
  const Refusal refusal = explain(EACCES, access(4));
  EXPECT_NE(refusal.why.find("perf_event_paranoid is 4"), std::string::npos);
  EXPECT_NE(refusal.remedy.find("perf_event_paranoid=2"), std::string::npos);
}

TEST(Refusal, BlamesSeccompWhereTheLevelWouldAllowIt) {
  const Refusal refusal = explain(EPERM, access(1, true));
  EXPECT_NE(refusal.why.find("seccomp"), std::string::npos);
  EXPECT_NE(refusal.remedy.find("container"), std::string::npos);
}

TEST(Refusal, BlamesALackOfRightsWhereNeitherForbidsIt) {
  EXPECT_NE(explain(EACCES, access(2)).why.find("capability"), std::string::npos);
}

TEST(Refusal, SaysThatAVirtualMachineHasNoPmu) {
  os::PerfAccess guest = access(2);
  guest.devices = {"software", "tracepoint"};
  guest.guest = true;
  const Refusal refusal = explain(ENOENT, guest);
  EXPECT_NE(refusal.why.find("virtual machine"), std::string::npos);
  EXPECT_NE(refusal.remedy.find("PMU"), std::string::npos);
  guest.guest = false;
  EXPECT_EQ(explain(ENOENT, guest).why.find("virtual machine"), std::string::npos);
}

TEST(Refusal, TellsAnUnknownEventFromAMissingUnit) {
  EXPECT_NE(explain(ENOENT, access(2)).why.find("does not know the event"), std::string::npos);
}

TEST(Refusal, TellsASandboxFromAKernelWithoutPerfEvents) {
  EXPECT_NE(explain(ENOSYS, access(2)).why.find("sandbox"), std::string::npos);
  EXPECT_NE(explain(ENOSYS, {}).remedy.find("CONFIG_PERF_EVENTS"), std::string::npos);
}

TEST(Refusal, KnowsLimitsAndOtherUsers) {
  EXPECT_NE(explain(EMFILE, access(2)).remedy.find("ulimit"), std::string::npos);
  EXPECT_NE(explain(EBUSY, access(2)).remedy.find("nmi_watchdog"), std::string::npos);
}

TEST(PerfAccess, IsReadFromProcAndSys) {
  const test::Folder tree;
  tree.file("proc/sys/kernel/perf_event_paranoid", "3\n");
  tree.file("proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\nSeccomp:\t2\nSeccomp_filters:\t1\n");
  tree.file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
  tree.file("sys/bus/event_source/devices/cpu/rdpmc", "1\n");
  tree.file("sys/bus/event_source/devices/hisi_sccl3_hha2/type", "12\n");
  const os::PerfAccess read = os::read_perf_access(tree.root());
  EXPECT_EQ(read.paranoid, 3);
  EXPECT_EQ(read.user_access, 1);
  EXPECT_TRUE(read.seccomp);
  EXPECT_TRUE(read.privileged);
  EXPECT_TRUE(read.guest);
  EXPECT_TRUE(read.has_core_unit());
  EXPECT_EQ(read.devices, (std::vector<std::string>{"cpu", "hisi_sccl3_hha2"}));

  const test::Folder empty;
  const os::PerfAccess nothing = os::read_perf_access(empty.root());
  EXPECT_EQ(nothing.paranoid, std::nullopt);
  EXPECT_FALSE(nothing.has_core_unit());
}

TEST(UncoreKind, IsKnownByTheDevicesName) {
  EXPECT_EQ(os::uncore_kind("amd_df"), "amd_df");
  EXPECT_EQ(os::uncore_kind("amd_umc_11"), "amd_umc");
  EXPECT_EQ(os::uncore_kind("uncore_imc_3"), "imc");
  EXPECT_EQ(os::uncore_kind("hisi_sccl3_hha2"), "hisi_hha");
  EXPECT_EQ(os::uncore_kind("hisi_sccl11_ddrc0"), "hisi_ddrc");
  EXPECT_EQ(os::uncore_kind("arm_cmn_0"), "cmn");
  EXPECT_EQ(os::uncore_kind("software"), "");
}

TEST(CpuIdentity, IsReadOnBothArchitectures) {
  const test::Folder x86;
  x86.file("proc/cpuinfo",
           "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9274F\n"
           "stepping\t: 1\n\nprocessor\t: 1\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 99\n");
  const auto amd = os::read_cpu_identity(x86.root());
  EXPECT_EQ(amd.vendor, "amd");
  EXPECT_EQ(amd.family, 25);
  EXPECT_EQ(amd.model, 17);
  EXPECT_EQ(amd.stepping, 1);
  const test::Folder arm;
  arm.file("proc/cpuinfo",
           "processor\t: 0\nBogoMIPS\t: 200.00\nCPU implementer\t: 0x48\nCPU architecture: 8\nCPU variant\t: 0x1\n"
           "CPU part\t: 0xd01\nCPU revision\t: 0\n\n");
  const auto kunpeng = os::read_cpu_identity(arm.root());
  EXPECT_EQ(kunpeng.vendor, "hisilicon");
  EXPECT_EQ(kunpeng.model, 0xd01);
  EXPECT_EQ(kunpeng.stepping, 1);
}

TEST(Pressure, IsTheCgroupsBeforeTheMachines) {
  const test::Folder tree;
  tree.file("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=500\n");
  EXPECT_EQ(os::stall_time_us("cpu", tree.root()), 500U);
  tree.file("proc/self/cgroup", "0::/work/job\n");
  EXPECT_EQ(os::stall_time_us("cpu", tree.root()), 500U) << "the group has no such file";
  tree.file("sys/fs/cgroup/work/job/cpu.pressure", "some avg10=1.00 avg60=0.00 avg300=0.00 total=70\nfull total=9\n");
  EXPECT_EQ(os::stall_time_us("cpu", tree.root()), 70U);
  EXPECT_EQ(os::stall_time_us("memory", tree.root()), std::nullopt);
}

}  // namespace
}  // namespace charm::counters
