// What `charm run` and `charm attach` say where something is not there or not allowed: what, why, and the remedy.
#include <unistd.h>

#include "attach/steering.hpp"

namespace {

class RefusalTest : public charm::cli::test::Steering {
 protected:
  /// Prepares `as_nobody`, which runs a command as a user without rights, in a folder that he may read, with the tool
  /// in it. \returns why that cannot be done here, or nothing.
  [[nodiscard]] std::string no_other_user() const {
    if (geteuid() != 0) return "only root can be somebody else";
    given("as_nobody", "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"\n");
    const auto said =
        shell("chmod 755 .. . && cp '" CHARM_TOOL "' charm && chmod 755 charm && sh as_nobody ./charm --version");
    return said.exit_code == 0 ? "" : "no program can be run as another user here: " + said.err;
  }
};

TEST_F(RefusalTest, AProcessOfAnotherUserIsNotForOneWithoutRights) {
  if (const auto why = no_other_user(); !why.empty()) GTEST_SKIP() << why;
  const auto said = script(R"sh(
    sleep 100 & program=$!
    before=$(cpus $program)
    sh as_nobody ./charm attach $program
    code=$?
    has_cpus $program "$before" || echo "its mask is another"
    kill $program
    exit $code)sh");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_TRUE(has(said.err, " belongs to user 0; run charm as that user, or as root")) << said.err;
  EXPECT_TRUE(said.err.starts_with("charm: process ")) << said.err;
}

TEST_F(RefusalTest, RootMaySteerAProcessOfAnotherUserAndGivesItBack) {
  if (const auto why = no_other_user(); !why.empty()) GTEST_SKIP() << why;
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const auto said = script("cpu=" + cores().front() + R"sh(
    sh as_nobody sleep 100 & program=$!
    is_sleep() { [ "$(cat /proc/$program/comm)" = sleep ]; }
    await is_sleep
    before=$(cpus $program)
    $charm attach -q --cpus $cpu $program & charm_pid=$!
    await has_cpus $program $cpu && echo bound
    kill $charm_pid; wait $charm_pid
    has_cpus $program "$before" && echo free
    kill $program)sh");
  EXPECT_EQ(said.out, "bound\nfree\n") << said.err;
}

TEST_F(RefusalTest, AProcesssNameWritesNothingButItsLettersToTheTerminal) {
  const auto said = script(R"sh(
    red=$(printf 'red\033[31m')
    cp "$(command -v sleep)" "$red"
    "./$red" 100 & program=$!
    is_red() { case "$(cat /proc/$program/comm)" in red*) ;; *) false;; esac; }
    await is_red
    $charm attach --once $program; code=$?
    kill $program
    exit $code)sh");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out + said.err, "red?[31m")) << said.out << said.err;
  EXPECT_FALSE(has(said.out + said.err, "\033"));
}

TEST_F(RefusalTest, TheMallocInAFolderWithABlankIsNotPreloaded) {
  const auto said =
      shell("mkdir 'a b' && cp '" CHARM_TOOL
            "' 'a b/charm' && : >'a b/libcharm_malloc.so' && CHARM_SHARE=off './a b/charm' run --malloc -- true");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "LD_PRELOAD cannot carry a path with a blank or a colon: '")) << said.err;
}

TEST_F(RefusalTest, AProgramThatOneMayNotExecuteIsSaidSo) {
  if (const auto why = no_other_user(); !why.empty()) GTEST_SKIP() << why;
  given("secret", "#!/bin/sh\n");
  const auto said = shell("chmod 700 secret; export CHARM_SHARE=off; sh as_nobody ./charm run -- ./secret");
  EXPECT_EQ(said.exit_code, 126);
  EXPECT_TRUE(has(said.err, "charm: cannot run './secret': Permission denied; ")) << said.err;
  EXPECT_TRUE(has(said.err, "may you execute it?")) << said.err;
}

TEST_F(RefusalTest, AFileOfSharesOrAReportThatOneMayNotWriteIsSaidSo) {
  if (const auto why = no_other_user(); !why.empty()) GTEST_SKIP() << why;
  given("shares", "");
  auto said = shell("chmod 600 shares; sh as_nobody ./charm run --share $PWD/shares -- true");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "/shares' cannot be used: Permission denied; ")) << said.err;
  said = shell("export CHARM_SHARE=off; sh as_nobody ./charm run --report $PWD/report.json -- touch ran");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "report.json")) << said.err;
}

TEST_F(RefusalTest, OfAProcessThatOneMayNotSteerOneMaySeeWhatItDoes) {
  if (const auto why = no_other_user(); !why.empty()) GTEST_SKIP() << why;
  const auto said = script(R"sh(
    sleep 100 & program=$!
    sh as_nobody ./charm top $program --once --json --interval 0.05
    code=$?
    kill $program
    exit $code)sh");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out).at("program"), "sleep");
}

TEST_F(RefusalTest, WhatIsNotThereIsNamedWithARemedy) {
  expect_refused("attach 1073741823", {"no process 1073741823", "ps -e"});
  expect_refused("top 999999999", {"no process 999999999", "ps -e"});
  expect_refused("attach --policy fastest $$", {"unknown policy 'fastest'", "adaptive"});
  expect_refused("attach --cpus 9999 $$", {"cpu 9999", "choose among"});
  expect_refused("attach --chiplets 4000 $$", {"--chiplets 4000", "at most"});
  expect_refused("run --share here -- true", {"'here'", "path"});
  const auto said = charm("run --share /nowhere/at/all -- touch ran");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "charm: the shared file '/nowhere/at/all' cannot be used: No such file or directory; "))
      << said.err;
  EXPECT_TRUE(files().empty());
  expect_refused("run --weight 0 -- true", {"--weight", "from 1"});
}

TEST_F(RefusalTest, CpusThatTheMaskForbidsAreRefusedThoughTheyAreThere) {
  const auto cpus = cores();
  if (cpus.size() < 2) GTEST_SKIP() << "one core";
  const auto said = script("taskset -c " + cpus[0] + " $charm run --cpus " + cpus[1] + " -- touch ran");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "cpu " + cpus[1] + " may not be used here; choose among " + cpus[0])) << said.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(RefusalTest, AProcessThatHasEndedIsSaidSo) {
  const auto said = script(R"sh(
    sh -c 'sleep 101 & echo $!; exec sleep 100' >ended & parent=$!
    never_waits() { [ -s ended ] && grep -q '^sleep' /proc/$parent/comm; }
    await never_waits
    kill "$(cat ended)"
    await is_state "$(cat ended)" Z
    $charm attach "$(cat ended)"; code=$?
    kill $parent
    exit $code)sh");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "has ended, and its parent has not yet asked for its exit code")) << said.err;
}

TEST_F(RefusalTest, AThreadIsNoProcessAndAKernelThreadNoProgram) {
  const auto thread = script(R"sh(
    ')sh" CHARM_PROGRAM R"sh(' churn 60 1 0 & program=$!
    # Its first thread lives as long as it does, others for a moment.
    other() { id=$(ls /proc/$program/task | sort -n | grep -vx $program | head -n 1); [ -n "$id" ]; }
    await other && $charm attach $id
    code=$?
    kill $program
    exit $code)sh");
  EXPECT_EQ(thread.exit_code, 2);
  EXPECT_TRUE(has(thread.err, " is a thread of process ")) << thread.err;
  EXPECT_TRUE(has(thread.err, "; attach to that")) << thread.err;
  if (shell("grep -q kthreadd /proc/2/comm").exit_code != 0) GTEST_SKIP() << "no threads of the kernel are seen here";
  expect_refused("attach 2", {"process 2", "a part of the kernel"});
}

}  // namespace
