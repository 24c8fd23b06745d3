// Which cpus a process may use, judged from masks and grants; and the real kernel's answers.
#include "os/threads/cpu_watch.hpp"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "base/folder.hpp"

using charm::os::AllowedCpus;
using charm::os::ThreadMask;
using Cpus = charm::CpuSet;

namespace {

TEST(AllowedCpus, AThreadOnItsOwnCpuTellsNothingNew) {
  AllowedCpus allowed({0, 1, 2, 3});
  ThreadMask thread{{2}, Cpus{0, 1, 2, 3}, {}};
  EXPECT_EQ(allowed.judge({2}, thread, Cpus{0, 1, 2, 3}), (Cpus{0, 1, 2, 3}));
}

TEST(AllowedCpus, ACpusetThatTakesTheCpuAwayIsNotTakenForAWish) {
  AllowedCpus allowed({0, 1, 2, 3});
  ThreadMask thread{{2}, Cpus{0, 1, 2, 3}, {}};
  EXPECT_EQ(allowed.judge({0, 1}, thread, Cpus{0, 1}), (Cpus{0, 1}));
  EXPECT_EQ(allowed.wanted(), (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(allowed.judge({2}, thread, Cpus{0, 1, 2, 3}), (Cpus{0, 1, 2, 3})) << "it grows again";
}

TEST(AllowedCpus, AKernelThatResetsAllMasksWithTheCpusetIsUnderstood) {
  AllowedCpus allowed({0, 1, 2, 3});
  ThreadMask thread{{0}, Cpus{0, 1, 2, 3}, {}};
  EXPECT_EQ(allowed.judge({0, 1}, thread, Cpus{0, 1}), (Cpus{0, 1}));
  EXPECT_EQ(allowed.wanted(), (Cpus{0, 1, 2, 3}));
}

TEST(AllowedCpus, AMaskFromOutsideIsWhatTheUserWantsFromThenOn) {
  AllowedCpus allowed({0, 1, 2, 3});
  ThreadMask thread{{2}, Cpus{0, 1, 2, 3}, {}};
  EXPECT_FALSE(allowed.explains({0, 3}, thread, Cpus{0, 1, 2, 3}));
  EXPECT_EQ(allowed.judge({0, 3}, thread, Cpus{0, 1, 2, 3}), (Cpus{0, 3}));
  thread.set = {3};
  EXPECT_EQ(allowed.judge({3}, thread, Cpus{0, 1, 2, 3}), (Cpus{0, 3}));
  EXPECT_EQ(allowed.judge({0, 1, 2, 3}, thread, Cpus{0, 1, 2, 3}), (Cpus{0, 1, 2, 3})) << "taken back again";
}

TEST(AllowedCpus, WhereNothingWantedIsGrantedAllThatIsGrantedIsUsed) {
  AllowedCpus allowed({0, 1});
  ThreadMask thread{{1}, Cpus{0, 1, 2, 3}, {}};
  EXPECT_EQ(allowed.judge({2, 3}, thread, Cpus{2, 3}), (Cpus{2, 3}));
}

TEST(AllowedCpus, WithoutAWordFromTheSystemTheMaskIsAllThereIs) {
  AllowedCpus allowed({0, 1});
  ThreadMask thread;
  EXPECT_EQ(allowed.judge({0, 1}, thread, std::nullopt), (Cpus{0, 1}));
  EXPECT_EQ(allowed.judge({1}, thread, std::nullopt), (Cpus{1}));
}

TEST(LiveCpuWatch, ReadsWhatIsOnlineBelowItsRoot) {
  const charm::test::Folder root;
  root.line("sys/devices/system/cpu/online", "0-2,5");
  auto watch = charm::os::live_cpu_watch(root.root());
  EXPECT_EQ(watch->granted(), (Cpus{0, 1, 2, 5}));
  root.line("sys/devices/system/cpu/online", "0");
  EXPECT_EQ(watch->granted(), Cpus{0});
  std::filesystem::remove_all(root.path("sys"));
  EXPECT_EQ(watch->granted(), std::nullopt);
}

TEST(LiveCpuWatch, BindsAndReadsTheCallingThread) {
  auto watch = charm::os::live_cpu_watch();
  const Cpus before = watch->mask();
  ASSERT_FALSE(before.empty());
  std::thread([&] {
    EXPECT_TRUE(watch->bind({before.back()}));
    EXPECT_EQ(watch->mask(), Cpus{before.back()});
  }).join();
  EXPECT_EQ(watch->mask(), before);
}

}  // namespace
