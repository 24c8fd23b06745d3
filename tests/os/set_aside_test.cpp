// The library's own files do not take the program's: with many of them the limit is raised, and they lie above it.
#include "os/files/set_aside.hpp"

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tools/os/child.hpp"

namespace {

using charm::os::open_aside;
using charm::os::restore_file_limit;

constexpr int soft = 64;

rlim_t soft_limit() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

/// Runs `body` in a child whose limits on open files are these; its result is the exit code. The child has few files.
int with_limits(rlim_t hard, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    for (int file = 3; file < 1024; ++file) close(file);
    const rlimit files{soft, hard};
    _exit(setrlimit(RLIMIT_NOFILE, &files) == 0 ? body() : 99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

int null_file() {
  return open_aside([] { return open("/dev/null", O_RDONLY | O_CLOEXEC); });
}

TEST(SetAside, LeavesAFewFilesAndTheLimitAlone) {
  EXPECT_EQ(with_limits(4096,
                        [] {
                          for (int i = 0; i < soft / 4 - 3; ++i) {
                            if (const int file = null_file(); file < 0 || file >= soft / 4) return 1;
                          }
                          return soft_limit() == soft ? 0 : 2;
                        }),
            0);
}

TEST(SetAside, ManyFilesLieAboveTheProgramsOwn) {
  EXPECT_EQ(with_limits(4096,
                        [] {
                          for (int i = 0; i < 3000; ++i) {
                            const int file = null_file();
                            if (file < 0) return 1;
                            if (file >= soft / 4 && file < soft) return 2;
                            if ((fcntl(file, F_GETFD) & FD_CLOEXEC) == 0) return 3;
                          }
                          // Three quarters of its numbers are the program's, as it knows them.
                          for (int i = 0; i < soft / 2; ++i) {
                            if (const int file = open("/dev/null", O_RDONLY); file < 0 || file >= soft) return 4;
                          }
                          restore_file_limit();
                          return soft_limit() == soft ? 0 : 5;
                        }),
            0);
}

TEST(SetAside, FindsRoomWhereTheProgramHasUsedUpItsNumbers) {
  EXPECT_EQ(with_limits(4096,
                        [] {
                          while (open("/dev/null", O_RDONLY) >= 0) continue;
                          for (int i = 0; i < 100; ++i) {
                            if (null_file() < soft) return 1;
                          }
                          return 0;
                        }),
            0);
}

TEST(SetAside, WhereTheHardLimitIsReachedFilesStayWhereTheyAreAndThenRunOut) {
  EXPECT_EQ(with_limits(soft,
                        [] {
                          for (int i = 3; i < soft; ++i) {
                            if (null_file() != i) return 1;
                          }
                          return null_file() == -EMFILE && soft_limit() == soft ? 0 : 2;
                        }),
            0);
}

TEST(SetAside, AnErrorIsReturned) {
  EXPECT_EQ(open_aside([] { return open("/dev/null/none", O_RDONLY); }), -ENOTDIR);
}

TEST(SetAside, AProgramThatIsStartedHasTheLimitOfBefore) {
  EXPECT_EQ(with_limits(4096,
                        [] {
                          for (int i = 0; i < 200; ++i) null_file();
                          if (soft_limit() == soft) return 1;
                          charm::os::Child::Start start;
                          start.words = {"sh", "-c", "test $(ulimit -Sn) = 64"};
                          charm::os::Child child(start);
                          int status = 0;
                          waitpid(child.pid(), &status, 0);
                          return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
                        }),
            0);
}

}  // namespace
