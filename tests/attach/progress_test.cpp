// What a program says of its own progress: in a file, by a command, on a descriptor.
#include "tools/attach/progress.hpp"

#include <charm/error.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/folder.hpp"

namespace {

using namespace charm::attach;

TEST(FirstNumber, StandsBehindNothingThatMakesItAName) {
  EXPECT_EQ(first_number_in("12"), 12);
  EXPECT_EQ(first_number_in("  -1.5e3 rows of 7"), -1500);
  EXPECT_EQ(first_number_in(" count \n-------\n    42\n(1 row)\n"), 42);
  EXPECT_EQ(first_number_in("eth0: 123 4"), 123);
  EXPECT_EQ(first_number_in("p99_us=.25"), .25);
  EXPECT_EQ(first_number_in("v1.2 done=8"), 8);
  for (const char* none : {"", "-", ".", "none", "a1 b2", "nan", "inf"}) EXPECT_EQ(first_number_in(none), std::nullopt);
}

TEST(LastNumber, IsTheLastThatIsWhole) {
  EXPECT_EQ(last_number_in("1\n2\n3\n"), 3);
  EXPECT_EQ(last_number_in("1\n2\n3"), 2) << "more digits may come";
  EXPECT_EQ(last_number_in("5 rows\n"), 5);
  EXPECT_EQ(last_number_in("6\n7x\n"), 6);
  for (const char* none : {"", "1", "rows\n", "\n"}) EXPECT_EQ(last_number_in(none), std::nullopt);
}

TEST(FileProgress, HasTheTimeOfEachChange) {
  const charm::test::Folder folder;
  FileProgress progress(folder.path("done"));
  EXPECT_FALSE(progress.latest(1));
  EXPECT_NE(progress.trouble().find(folder.path("done")), std::string::npos);
  folder.file("done", "5 rows");
  EXPECT_EQ(progress.latest(2)->done, 5);
  EXPECT_EQ(progress.trouble(), "");
  EXPECT_EQ(progress.latest(2.9)->at, 2) << "the next number may be on its way";
  folder.file("done", "6 rows");
  EXPECT_EQ(progress.latest(2.95)->at, 2.95);
  EXPECT_EQ(progress.latest(4)->at, 4) << "nothing was done";
  folder.file("done", "");
  EXPECT_EQ(progress.latest(5)->at, 4);
  EXPECT_NE(progress.trouble(), "");
}

/// Looks as often as it takes until the command that runs has ended; the time of the progress stands still.
template <class Until>
bool wait_for(CommandProgress& progress, double now, Until until) {
  for (int look = 0; look < 60000; ++look) {
    progress.latest(now);
    if (until()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

bool tells(CommandProgress& progress, double now, double number) {
  return wait_for(progress, now, [&] {
    const auto told = progress.latest(now);
    return told && told->done == number && told->at == now;
  });
}

TEST(CommandProgress, RunsOnceASecondWhileItIsAskedFor) {
  const charm::test::Folder folder;
  const std::string file = folder.path("runs");
  CommandProgress progress("echo run >> " + file + "; wc -l < " + file);
  EXPECT_FALSE(progress.latest(10)) << "it does not wait";
  ASSERT_TRUE(tells(progress, 10, 1));
  EXPECT_EQ(progress.trouble(), "");
  EXPECT_EQ(progress.step(10.9), 11);
  EXPECT_EQ(progress.descriptor(), -1) << "none runs";
  ASSERT_TRUE(tells(progress, 11.5, 2));
  EXPECT_GT(progress.step(100), 1e9) << "nobody has asked for long";
  EXPECT_EQ(progress.descriptor(), -1);
}

TEST(CommandProgress, RunsMoreSeldomIfItTakesMuchOfACpu) {
  CommandProgress progress("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo $i");
  ASSERT_TRUE(tells(progress, 0, 100000));
  EXPECT_GT(progress.step(1.5), 2) << "a hundred times what it took";
  EXPECT_GE(progress.latest(1.5)->next, progress.step(1.5)) << "and it is known that no number comes before";
}

TEST(CommandProgress, ThatHangsIsKilledWithWhatItHasStarted) {
  const charm::test::Folder folder;
  const std::string file = folder.path("child");
  CommandProgress progress("sleep 1000 & echo $! > " + file + "; wait");
  progress.latest(0);
  int child = 0;
  ASSERT_TRUE(wait_for(progress, 4.9, [&] { return static_cast<bool>(std::ifstream(file) >> child); }));
  EXPECT_EQ(progress.trouble(), "");
  ASSERT_TRUE(wait_for(progress, 5, [&] { return !progress.trouble().empty(); }));
  EXPECT_NE(progress.trouble().find("took longer than 5 s"), std::string::npos) << progress.trouble();
  const auto gone = [&] {
    std::string word;
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    return !(stat >> word >> word >> word) || word == "Z" || word == "X";
  };
  EXPECT_TRUE(wait_for(progress, 5, gone));
}

TEST(CommandProgress, SaysWhatFailedAndGoesOn) {
  const charm::test::Folder folder;
  const std::string file = folder.path("done");
  CommandProgress progress("cat " + file);
  ASSERT_TRUE(wait_for(progress, 0, [&] { return !progress.trouble().empty(); }));
  EXPECT_NE(progress.trouble().find("'cat " + file + "' of --metric ended with exit code 1: cat: "), std::string::npos)
      << progress.trouble();
  folder.file("done", "no\n");
  ASSERT_TRUE(wait_for(progress, 2, [&] { return progress.trouble().find("no number") != std::string::npos; }));
  folder.file("done", "8\n");
  ASSERT_TRUE(tells(progress, 4, 8));
  EXPECT_EQ(progress.trouble(), "");

  CommandProgress dying("kill -TERM $$");
  ASSERT_TRUE(wait_for(dying, 0, [&] { return dying.trouble().find("signal 15") != std::string::npos; }));
}

TEST(CommandProgress, NeedsNeitherAllOfTheOutputNorTheEndOfWhatWasLeftBehind) {
  CommandProgress endless("echo 7; exec yes");
  EXPECT_TRUE(tells(endless, 0, 7));
  EXPECT_EQ(endless.trouble(), "");
  CommandProgress leaving("sleep 1000 & echo 9");
  EXPECT_TRUE(tells(leaving, 0, 9));
}

TEST(CommandProgress, IsHeardWhereTheKernelKeepsNoStatusOfChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  CommandProgress progress("echo 6");
  EXPECT_TRUE(tells(progress, 0, 6));
  std::signal(SIGCHLD, before);
}

/// `charm run` blocks signals, ignores SIGPIPE and may have raised the limit of open files.
TEST(CommandProgress, RunsAsIfAShellHadStartedIt) {
  // A shell blocks signals for a moment while it waits, so the last program takes its place.
  CommandProgress progress(
      "[ -z \"$(cat)\" ] && exec awk '/^Sig(Blk|Ign)/ && $2 !~ /^0*$/ { bad = 1 } END { print bad ? \"no\" : 1 }' "
      "/proc/self/status");
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_TRUE(tells(progress, 0, 1)) << progress.trouble();
  std::signal(SIGPIPE, pipe_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(WrittenProgress, IsTheLastNumberThatWasWritten) {
  WrittenProgress progress;
  constexpr int descriptor = 100;
  progress.file().give_as(descriptor);
  const auto write = [](const std::string& text) {
    EXPECT_EQ(::write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  EXPECT_FALSE(progress.latest(1));
  EXPECT_NE(progress.trouble().find("--progress-fd"), std::string::npos);
  write("3\n");
  EXPECT_EQ(progress.latest(2)->done, 3);
  EXPECT_EQ(progress.latest(3)->at, 2);
  EXPECT_EQ(progress.trouble(), "");
  write("12");
  EXPECT_EQ(progress.latest(4)->done, 3);
  write("5\n");
  EXPECT_EQ(progress.latest(5)->done, 125);
  for (int number = 1000; number < 9000; ++number) {
    write(std::to_string(number) + "\n");
    if (number % 100 == 0) {
      EXPECT_EQ(progress.latest(number)->done, number);
    }
  }
  struct stat file{};
  ASSERT_EQ(fstat(descriptor, &file), 0);
  EXPECT_LT(file.st_size, 8192) << "it does not grow for ever";
  close(descriptor);
}

}  // namespace
