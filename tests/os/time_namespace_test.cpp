// What a time namespace adds to the clocks, as /proc tells it.
#include "os/machine/time_namespace.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/folder.hpp"

namespace {

TEST(TimeNamespace, TellsWhatIsAddedToTheMonotonicClock) {
  const charm::test::Folder root;
  EXPECT_EQ(charm::os::monotonic_offset_ns(root.root()), 0) << "a kernel without time namespaces";
  root.file("proc/self/timens_offsets", "monotonic           0         0\nboottime           0         0\n");
  EXPECT_EQ(charm::os::monotonic_offset_ns(root.root()), 0);
  root.file("proc/self/timens_offsets", "monotonic       86400       500\nboottime          -7         0\n");
  EXPECT_EQ(charm::os::monotonic_offset_ns(root.root()), 86'400'000'000'500);
  root.file("proc/self/timens_offsets", "boottime           9         0\nmonotonic         -2         1\n");
  EXPECT_EQ(charm::os::monotonic_offset_ns(root.root()), -1'999'999'999);
}

}  // namespace
