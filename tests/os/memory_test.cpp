#include "os/memory/memory.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "fiber/sanitizers.hpp"
#include "tools/os/numa_maps.hpp"

using charm::os::available_bytes;

namespace {

/// A file system of our own with the few files that are read.
class Root : public charm::test::Folder {
 public:
  Root& with(const std::string& name, const std::string& text) {
    file(name, text);
    return *this;
  }
};

constexpr const char* two_gigabytes = "MemTotal: 4000000 kB\nMemAvailable:  2000000 kB\n";

TEST(AvailableBytes, AreWhatTheKernelCallsAvailable) {
  Root root;
  root.with("proc/meminfo", two_gigabytes);
  EXPECT_EQ(available_bytes(root.root()), 2000000ULL * 1024);
}

TEST(AvailableBytes, AreUnknownWithoutProc) {
  Root root;
  EXPECT_EQ(available_bytes(root.root()), std::nullopt);
}

TEST(AvailableBytes, ObeyTheTightestGroupOnTheWayUp) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "0::/a/b\n");
  root.with("sys/fs/cgroup/a/b/memory.max", "max\n").with("sys/fs/cgroup/a/b/memory.current", "100\n");
  root.with("sys/fs/cgroup/a/memory.max", "1000000\n").with("sys/fs/cgroup/a/memory.current", "400000\n");
  EXPECT_EQ(available_bytes(root.root()), 600000U);
}

TEST(AvailableBytes, DoNotCountFilePagesAsTaken) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "0::/\n");
  root.with("sys/fs/cgroup/memory.max", "1000000\n").with("sys/fs/cgroup/memory.current", "900000\n");
  root.with("sys/fs/cgroup/memory.stat", "anon 300000\nfile 600000\ninactive_file 500000\nactive_file 100000\n");
  EXPECT_EQ(available_bytes(root.root()), 700000U);
}

TEST(AvailableBytes, UnderstandVersionOneAndItsHugeNumberForNoLimit) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "5:cpuset:/x\n4:memory:/job\n");
  root.with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.with("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n")
      .with("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "7000\n");
  EXPECT_EQ(available_bytes(root.root()), 0U);
  root.with("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_bytes(root.root()), 2000000ULL * 1024);
}

TEST(NumaMaps, NameFilesAsTheyAreCalled) {
  const charm::test::Folder folder;
  folder.file("proc/7/numa_maps",
              "7f0000000000 default file=/data/two\\040words\\134x\\0 mapped=2 N0=2 kernelpagesize_kB=4\n"
              "7f0000100000 interleave:0-1 anon=4 N0=2 N1=2 kernelpagesize_kB=4\n");
  const auto maps = charm::os::numa_maps(7, folder.root());
  ASSERT_TRUE(maps && maps->size() == 2);
  EXPECT_EQ((*maps)[0].what, "/data/two words\\x\\0");
  EXPECT_EQ((*maps)[1].what, "");
}

/// Two of the kernel's names have a blank in them, and flags come between.
TEST(NumaMaps, NamePoliciesAsTheKernelDoes) {
  const charm::test::Folder folder;
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"weighted interleave:0-1", " anon=4 N0=1 N1=3"},
      {"weighted interleave=static:0-1", " heap anon=1 N0=1"},
      {"prefer (many):0-1", " stack anon=1 N0=1"},
      {"prefer:1", " anon=1 N1=1"},
      {"default", " heap anon=1 N0=1"},
      {"bind=static:0", " anon=1 N0=1"}};
  std::string text;
  for (const auto& [policy, rest] : lines) text += "7f0000000000 " + policy + rest + " kernelpagesize_kB=4\n";
  folder.file("proc/7/numa_maps", text);
  const auto maps = charm::os::numa_maps(7, folder.root());
  ASSERT_TRUE(maps && maps->size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ((*maps)[i].policy, lines[i].first);
  EXPECT_EQ((*maps)[0].total(), 4U * 4096);
  EXPECT_EQ((*maps)[1].what, "heap");
  EXPECT_EQ((*maps)[2].what, "stack");
}

TEST(PeakMemory, GrowsWithWhatIsTouchedAndForgetsWhatWasBefore) {
#if defined(CHARM_ASAN)
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  constexpr std::size_t size = 64U << 20U;
  const charm::os::PeakMemory before;
  const auto at_rest = before.bytes();
  {
    std::vector<char> block(size);
    std::memset(block.data(), 1, size);
    asm volatile("" : : "r"(block.data()) : "memory");  // or the compiler leaves out a block that nobody reads
    EXPECT_GE(charm::os::PeakMemory().bytes(), size) << "what is resident now counts";
    EXPECT_GE(before.bytes(), at_rest + size / 2);
  }
  const charm::os::PeakMemory after;
  if (!after.exact()) GTEST_SKIP() << "the kernel does not reset the mark";
  EXPECT_LT(after.bytes(), at_rest + size / 2) << "the freed block is still counted";
}

}  // namespace
