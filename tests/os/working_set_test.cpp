// What a process touches: by the kernel's bits, where it keeps them, and by files that look like its.
#include "tools/os/working_set.hpp"

#include <charm/error.hpp>

#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"

using namespace charm;

namespace {

TEST(WorkingSet, IsWhatCarriesTheReferencedBit) {
  const test::Folder root;
  const std::string order = root.file("proc/7/clear_refs", "");
  root.file("proc/7/smaps_rollup",
            "00400000-7fff0000 ---p 00000000 00:00 0 [rollup]\n"
            "Rss:              900000 kB\nReferenced:        20480 kB\n");
  os::forget_touched_memory(7, root.root());
  std::string written;
  std::getline(std::ifstream(order) >> std::ws, written);
  EXPECT_EQ(written, "1");
  EXPECT_EQ(os::touched_memory(7, root.root()), 20480U * 1024);
  EXPECT_THROW(os::touched_memory(8, root.root()), Error);
}

TEST(WorkingSet, OfThisProcessIsWhatItTouches) {
  if (access("/proc/self/clear_refs", W_OK) != 0 || access("/proc/self/smaps_rollup", R_OK) != 0) {
    GTEST_SKIP() << "this kernel keeps no referenced bits";
  }
  constexpr std::size_t mib = 1 << 20;
  std::vector<char> data(64 * mib, 1);
  try {
    os::forget_touched_memory(getpid());
    const auto before = os::touched_memory(getpid());
    for (std::size_t i = 0; i < 24 * mib; i += 4096) static_cast<volatile char&>(data[i]) = 2;
    const auto after = os::touched_memory(getpid());
    EXPECT_GE(after - before, 20 * mib);
    EXPECT_LT(after - before, 64 * mib);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();  // some sandboxes show the files and refuse to serve them
  }
}

TEST(WorkingSet, OfNoProcessIsRefusedByItsNumber) {
  try {
    os::forget_touched_memory(2147483647);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("2147483647"), std::string::npos);
  }
}

}  // namespace
