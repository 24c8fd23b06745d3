// Files that a user names and that may be anything, and functions that may not come back.
#include "os/files/bounded_file.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "fiber/sanitizers.hpp"
#include "os/processes/confined.hpp"

using namespace charm::os;
using charm::test::Folder;
using charm::test::has;

namespace {

TEST(BoundedFile, APlainFileIsReadToItsEnd) {
  const Folder folder;
  const std::string text(200'000, 'x');
  EXPECT_EQ(read_bounded(folder.file("f", text)).text, text);
  EXPECT_EQ(read_bounded(folder.file("empty", "")).problem, "");
}

TEST(BoundedFile, WhatIsNoFileIsToldApart) {
  const Folder folder;
  EXPECT_EQ(read_bounded(folder.path("nowhere")).problem, "does not exist");
  EXPECT_EQ(read_bounded(folder.path()).problem, "is a directory");
  EXPECT_EQ(read_bounded("/dev/zero").problem, "is a device, not a file");
  EXPECT_EQ(what_is_no_file("/dev/urandom"), "is a device, not a file");
  EXPECT_EQ(what_is_no_file(folder.file("f", "")), "");
}

TEST(BoundedFile, MoreThanTheBoundIsNotRead) {
  const Folder folder;
  const std::string path = folder.file("f", "");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);  // a hole, which takes no room
  EXPECT_TRUE(has(read_bounded(path).problem, "has more than 256 MiB"));
  EXPECT_TRUE(has(read_bounded(folder.file("g", std::string(3 << 20, 'x')), {.bytes = 1 << 20}).problem, "1 MiB"));
}

TEST(BoundedFile, APipeIsReadAndOneThatSaysNothingIsGivenUp) {
  const Folder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(has(read_bounded(path, {.patience_s = 0.01}).problem, "nothing came"));
  std::thread writer([&] { folder.file("pipe", "through a pipe"); });
  const BoundedText read = read_bounded(path, {.patience_s = 60});
  writer.join();
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.text, "through a pipe");
}

TEST(Confined, WhatItGivesBackComesWhole) {
  const std::string text(3 << 20, '\0');
  const ConfinedResult result = run_confined({}, [&] { return text; });
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.said, text);
  EXPECT_EQ(run_confined({}, [] { return std::string(); }).problem, "");
}

TEST(Confined, ACrashIsAMessageAndTheCallerGoesOn) {
  EXPECT_TRUE(has(run_confined({}, []() -> std::string { std::abort(); }).problem, "crashed (Aborted)"));
  EXPECT_TRUE(has(run_confined({}, []() -> std::string { raise(SIGSEGV), _exit(1); }).problem, "Segmentation"));
  EXPECT_TRUE(has(run_confined({}, []() -> std::string { _exit(0); }).problem, "without an answer"));
  EXPECT_EQ(run_confined({}, []() -> std::string { throw std::runtime_error("no"); }).problem, "no");
}

TEST(Confined, WhatWaitsForeverIsEnded) {
  EXPECT_TRUE(has(run_confined({.wall_s = 0.2},
                               []() -> std::string {
                                 for (;;) pause();
                               })
                      .problem,
                  "took more than"));
}

TEST(Confined, WhatComputesForeverIsEnded) {
  EXPECT_TRUE(has(run_confined({.cpu_s = 1, .wall_s = 600},
                               []() -> std::string {
                                 for (std::atomic<unsigned> turns{0};;) turns.fetch_add(1);
                               })
                      .problem,
                  "took more than 1 s"));
}

TEST(Confined, MemoryIsBounded) {
#if defined(CHARM_ASAN) || defined(CHARM_TSAN)
  GTEST_SKIP() << "a sanitizer ends the child itself";
#endif
  const auto result = run_confined({.bytes = std::size_t{64} << 20U},
                                   [] { return std::to_string(std::vector<char>(std::size_t{1} << 30U, 'x').size()); });
  EXPECT_EQ(result.problem, "needs too much memory");
}

TEST(Confined, TooMuchTextIsNotTaken) {
  EXPECT_EQ(run_confined({.said_bytes = 1000}, [] { return std::string(100'000, 'x'); }).problem, "gives too much");
}

TEST(Confined, ItsEnvironmentIsItsOwn) {
  setenv("CHARM_TEST_HERE", "1", 1);
  auto variables = environment_without({"CHARM_TEST_HERE"});
  variables.emplace_back("CHARM_TEST_THERE=2");
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "none" : text);
  };
  const auto result = run_confined({.environment = variables},
                                   [&] { return value("CHARM_TEST_HERE") + " " + value("CHARM_TEST_THERE"); });
  EXPECT_EQ(result.said, "none 2");
  EXPECT_EQ(value("CHARM_TEST_HERE"), "1");
  EXPECT_EQ(value("CHARM_TEST_THERE"), "none");
  unsetenv("CHARM_TEST_HERE");
}

}  // namespace
