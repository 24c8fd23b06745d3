// Threads of a process as they are found: this one's.
#include "os/processes/processes.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/folder.hpp"
#include "base/living_thread.hpp"
#include "os/threads/affinity.hpp"
#include "tools/attach/live_system.hpp"

namespace {

using charm::os::Processes;

TEST(Processes, ShowThisOne) {
  const Processes processes;
  const auto self = charm::os::this_process(processes);
  EXPECT_EQ(self.pid, getpid());
  EXPECT_TRUE(processes.alive(self));
  EXPECT_FALSE(processes.alive({self.pid, self.started + 1})) << "another one with its number";
  const auto status = processes.status(getpid());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->parent, getppid());
  EXPECT_FALSE(status->kernel);
  EXPECT_EQ(processes.owner(getpid()), geteuid());
  EXPECT_EQ(processes.process_of(getpid()), getpid());
}

// Such a server was taken for ended while it still listened.
TEST(Processes, LiveOnWhenTheirFirstThreadHasEnded) {
  const int child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pthread_t other{};
    pthread_create(
        &other, nullptr,
        [](void*) -> void* {
          for (;;) pause();
        },
        nullptr);
    syscall(SYS_exit, 0);  // of this thread alone
  }
  const Processes processes;
  const auto process = charm::os::identity(child, processes);
  while (processes.status(child)->state != 'Z') usleep(1000);
  EXPECT_TRUE(processes.alive(process));
  kill(child, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_FALSE(processes.alive(process)) << "all its threads have ended, and nobody has asked how";
  waitpid(child, nullptr, 0);
}

// The second thread of such a process was taken for its first, and so for the one that belongs on the first cpu.
TEST(Processes, HaveTheirThreadsInTheirOrderWhereIdsBeginAnew) {
  const charm::test::Folder root;
  for (const int thread : {32766, 32767, 300, 301, 1000})
    std::filesystem::create_directories(root.path("proc/32766/task/" + std::to_string(thread)));
  EXPECT_EQ(Processes(root.path()).threads(32766), (std::vector{32766, 32767, 300, 301, 1000}));
}

TEST(Processes, ThatAreNotThereHaveNothing) {
  const Processes processes;
  const int nobody = 1 << 30;
  EXPECT_FALSE(processes.status(nobody));
  EXPECT_TRUE(processes.threads(nobody).empty());
  EXPECT_TRUE(processes.children(nobody, nobody).empty());
  EXPECT_FALSE(processes.time(nobody, nobody));
  EXPECT_EQ(processes.name(nobody, nobody), "");
}

TEST(LiveSystem, FindsThreadsAndChildrenThatBegin) {
  for (const bool announcements : {false, true}) {
    charm::attach::LiveSystem system(getpid(), true, nullptr, announcements);
    EXPECT_TRUE(system.news());
    const auto has = [&](int process, int thread) {
      for (const auto& found : system.threads()) {
        if (found.id == charm::attach::ThreadId{process, thread}) return true;
      }
      return false;
    };
    charm::test::LivingThread thread;
    const int id = thread.id();
    EXPECT_TRUE(system.news());
    EXPECT_TRUE(has(getpid(), id));
    EXPECT_TRUE(system.time({getpid(), id}));
    EXPECT_EQ(system.mask({getpid(), id}), charm::os::allowed_cpus());
    thread.end();
    for (int i = 0; i < 60000 && has(getpid(), id); ++i) usleep(1000);
    EXPECT_FALSE(has(getpid(), id));

    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    EXPECT_TRUE(system.news());
    EXPECT_TRUE(has(child, child));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(has(child, child));
  }
}

/// Whether something is announced within half a minute at most.
bool readable(int descriptor) {
  pollfd file{descriptor, POLLIN, 0};
  return poll(&file, 1, 30000) == 1;
}

TEST(LiveSystem, FindsWhatAChildStartedThatHasEnded) {
  charm::attach::LiveSystem system(getpid(), false, nullptr);
  for (int look = 0; look < 100 && system.announces() < 0; ++look) {
    system.news();
    usleep(1000);
  }
  if (system.announces() < 0) GTEST_SKIP() << "the kernel does not announce births here";
  (void)system.threads();  // the only search
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    while (grandchild == 0) pause();
    _exit(write(told[1], &grandchild, sizeof grandchild) == sizeof grandchild ? 0 : 1);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(told[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  waitpid(child, nullptr, 0);  // from now on nobody lists the grandchild as a child of ours
  bool found = false;
  for (int look = 0; look < 10000 && !found; ++look) {
    if (!system.news()) usleep(1000);
    for (const auto& each : system.threads())
      found = found || (each.id.process == grandchild && !each.followed && each.parent == child);
  }
  EXPECT_TRUE(found);
  kill(grandchild, SIGKILL);
  close(told[0]);
  close(told[1]);
}

TEST(LiveSystem, IsToldOfABirth) {
  charm::attach::LiveSystem system(getpid(), true, nullptr);
  for (int look = 0; look < 100 && system.announces() < 0; ++look) {
    system.news();
    usleep(1000);
  }
  if (system.announces() < 0) GTEST_SKIP() << "the kernel does not announce births here";
  while (system.news()) {
  }
  const charm::test::LivingThread thread;
  EXPECT_TRUE(readable(system.announces())) << "while it lives: its end is no birth";
  EXPECT_TRUE(system.news());
}

TEST(LiveSystem, NamesAnnouncedThreadsThatHadEndedBeforeTheSearch) {
  charm::attach::LiveSystem system(getpid(), true, nullptr);
  for (int look = 0; look < 100 && system.announces() < 0; ++look) {
    system.news();
    usleep(1000);
  }
  if (system.announces() < 0) GTEST_SKIP() << "the kernel does not announce births here";
  const charm::attach::ThreadId id{getpid(), [] {
                                     charm::test::LivingThread thread;
                                     return thread.id();
                                   }()};
  const auto lists = [&] {
    const auto found = system.threads();
    return std::any_of(found.begin(), found.end(), [&](const auto& each) { return each.id == id; });
  };
  for (int look = 0; look < 10000 && lists(); ++look) usleep(1000);
  ASSERT_FALSE(lists()) << "/proc shows a thread a moment longer than pthread_join waits for it";
  system.news();
  EXPECT_FALSE(lists());
  const auto ended = system.ended_unseen();
  EXPECT_EQ(std::count(ended.begin(), ended.end(), id), 1);
  EXPECT_FALSE(lists());
  EXPECT_TRUE(system.ended_unseen().empty()) << "each is named once";
}

TEST(LiveSystem, ReadsTimesOfMoreThreadsThanItMayOpenFiles) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit few = usual;
  few.rlim_cur = 48;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 60; ++t) {
      threads.emplace_back([&] {
        while (!stop) usleep(1000);
      });
    }
    charm::attach::LiveSystem system(getpid(), false, nullptr, false);
    for (int look = 0; look < 2; ++look) {
      const auto found = system.threads();
      EXPECT_GT(found.size(), 60U);
      for (const auto& each : found) EXPECT_TRUE(system.time(each.id)) << each.id.thread;
    }
    stop = true;
    for (auto& thread : threads) thread.join();
  }
  setrlimit(RLIMIT_NOFILE, &usual);
}

}  // namespace
