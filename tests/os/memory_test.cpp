#include "os/memory.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"

namespace fs = std::filesystem;
using charm::os::available_bytes;

namespace {

/// A file system of our own with the few files that are read.
class Root {
 public:
  Root() : path_(fs::path(testing::TempDir()) / ("charm_memory_" + std::to_string(getpid()))) {}
  ~Root() { fs::remove_all(path_); }
  Root& with(const std::string& file, const std::string& text) {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
    return *this;
  }
  [[nodiscard]] std::string str() const { return path_.string() + "/"; }

 private:
  fs::path path_;
};

constexpr const char* two_gigabytes = "MemTotal: 4000000 kB\nMemAvailable:  2000000 kB\n";

TEST(AvailableBytes, AreWhatTheKernelCallsAvailable) {
  Root root;
  root.with("proc/meminfo", two_gigabytes);
  EXPECT_EQ(available_bytes(root.str()), 2000000ULL * 1024);
}

TEST(AvailableBytes, AreUnknownWithoutProc) {
  Root root;
  EXPECT_EQ(available_bytes(root.str()), std::nullopt);
}

TEST(AvailableBytes, ObeyTheTightestGroupOnTheWayUp) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "0::/a/b\n");
  root.with("sys/fs/cgroup/a/b/memory.max", "max\n").with("sys/fs/cgroup/a/b/memory.current", "100\n");
  root.with("sys/fs/cgroup/a/memory.max", "1000000\n").with("sys/fs/cgroup/a/memory.current", "400000\n");
  EXPECT_EQ(available_bytes(root.str()), 600000U);
}

TEST(AvailableBytes, DoNotCountFilePagesAsTaken) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "0::/\n");
  root.with("sys/fs/cgroup/memory.max", "1000000\n").with("sys/fs/cgroup/memory.current", "900000\n");
  root.with("sys/fs/cgroup/memory.stat", "anon 300000\nfile 600000\ninactive_file 500000\nactive_file 100000\n");
  EXPECT_EQ(available_bytes(root.str()), 700000U);
}

TEST(AvailableBytes, UnderstandVersionOneAndItsHugeNumberForNoLimit) {
  Root root;
  root.with("proc/meminfo", two_gigabytes).with("proc/self/cgroup", "5:cpuset:/x\n4:memory:/job\n");
  root.with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.with("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n")
      .with("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "7000\n");
  EXPECT_EQ(available_bytes(root.str()), 0U);
  root.with("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_bytes(root.str()), 2000000ULL * 1024);
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
