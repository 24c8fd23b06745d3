// init() where the process may have no more threads: an error that names the limit, and nothing is left behind.
#include <algorithm>
#include <fstream>
#include <pthread.h>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fiber/sanitizers.hpp"
#include "os/threads/threads.hpp"
#include "sched/running.hpp"

namespace {

TEST(ThreadLimit, IsToldInWords) { EXPECT_FALSE(charm::os::thread_limits().empty()); }

#if !defined(CHARM_ASAN) && !defined(CHARM_TSAN)  // which need address space of their own for each thread

std::size_t address_space_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

long mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

/// Address space for a few more threads only: the kernel then refuses the stack of the next one, for root, too.
class FewThreads {
 public:
  explicit FewThreads(std::size_t threads) {
    pthread_getattr_default_np(&before_);
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, stack_bytes);
    pthread_setattr_default_np(&large);
    pthread_attr_destroy(&large);
    getrlimit(RLIMIT_AS, &limit_);
    rlimit lower = limit_;
    lower.rlim_cur = address_space_bytes() + threads * stack_bytes + stack_bytes / 2;
    setrlimit(RLIMIT_AS, &lower);
  }
  ~FewThreads() {
    setrlimit(RLIMIT_AS, &limit_);
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 30;
  pthread_attr_t before_{};
  rlimit limit_{};
};

charm::Config four_workers() {
  charm::Config config;
  config.workers = 4;
  config.share_cores = true;
  return config;
}

TEST(ThreadLimit, InitSaysWhichLimitItMetAndLeavesNothingBehind) {
  {
    Running runtime(4);  // what stays for good is there now: allocator arenas, notices
  }
  for (std::size_t threads = 0; threads < 4; ++threads) {
    const long before = mappings();
    {
      FewThreads few(threads);
      try {
        charm::init(four_workers());
        ADD_FAILURE() << "there are threads after all";
        charm::finalize();
      } catch (const charm::Error& error) {
        EXPECT_EQ(error.code(), charm::Errc::system);
        EXPECT_NE(std::string(error.what()).find("RLIMIT_AS is"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("of 4"), std::string::npos) << error.what();
        EXPECT_NE(error.remedy().find("fewer workers"), std::string::npos);
      }
      EXPECT_FALSE(charm::initialized());
    }
    EXPECT_LE(mappings(), before + 4);  // an arena of the allocator, a cached thread stack; not a task stack a worker
    Running runtime(4);
    EXPECT_EQ(charm::run([] { return 7; }), 7);
  }
}

/// No more address space than there is room for now, and half a stack of a task.
class NoRoomForAStack {
 public:
  explicit NoRoomForAStack(std::size_t stack_bytes) {
    getrlimit(RLIMIT_AS, &limit_);
    rlimit lower = limit_;
    lower.rlim_cur = address_space_bytes() + stack_bytes / 2;
    setrlimit(RLIMIT_AS, &lower);
  }
  ~NoRoomForAStack() { setrlimit(RLIMIT_AS, &limit_); }
  NoRoomForAStack(const NoRoomForAStack&) = delete;
  NoRoomForAStack& operator=(const NoRoomForAStack&) = delete;

 private:
  rlimit limit_{};
};

TEST(StackLimit, WorkersWithoutMemoryForTheirFirstStackAreAnError) {
  charm::Config config;
  config.workers = 1;
  config.stack_bytes = std::size_t{1} << 30;
  auto expect_error = [&](auto&& function) {
    const NoRoomForAStack no_room(*config.stack_bytes);
    try {
      function();
      ADD_FAILURE() << "there is memory after all";
    } catch (const charm::Error& error) {
      EXPECT_EQ(error.code(), charm::Errc::system);
      EXPECT_NE(std::string(error.what()).find("stack"), std::string::npos) << error.what();
    }
  };
  expect_error([&] { charm::init(config); });
  charm::init(config);
  expect_error([] { charm::arena arena({.workers = 1}); });
  charm::arena arena({.workers = 1});
  EXPECT_EQ(arena.execute([] { return 7; }), 7);
  charm::finalize();
}
#endif

}  // namespace
