// What operators do to programs under `charm run` and `charm attach`, and what they see: pins, masks, jobs of a shell,
// pipes, limits. Masks are read from /proc.
#include <csignal>
#include <string>

#include <nlohmann/json.hpp>

#include "attach/steering.hpp"

namespace {

using nlohmann::json;

class OperatorTest : public charm::cli::test::Steering {
 protected:
  static std::string own_mask() { return "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status"; }
  /// A command as process 1 of a PID namespace that sees the /proc of this one. If it does not end within `seconds`,
  /// all processes of the namespace are killed, since ctest's timeout would end the test but leave them behind.
  [[nodiscard]] charm::cli::test::Said in_pid_namespace(const std::string& command, int seconds = 90) const {
    const std::string limit = std::to_string(seconds);
    auto said = shell("timeout --signal KILL " + limit + " unshare --pid --fork --kill-child " + command);
    if (said.exit_code == 128 + SIGKILL) said.err += "killed, since it had not ended after " + limit + " s\n";
    return said;
  }
};

TEST_F(OperatorTest, OneBusyThreadKeepsAllCpusInItsMask) {
  EXPECT_EQ(run("-q --policy local -- '" CHARM_PROGRAM "' serial 2").exit_code, 0);
}

TEST_F(OperatorTest, ProcessesThatLastForAMomentHaveAllCpusWhileNobodyElseIsThere) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  // Jobs that compute for some hundredths of a second, two at a time, for longer than a share takes to shrink.
  given("job", "[ -e end ] && exit 255\n" + own_mask() + "; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done\n");
  const auto said = script(own_mask() + R"sh( > whole
    (sleep 6; touch end) &
    yes job | $charm run -q --no-size --share $PWD/shares -- xargs -P 2 -n 1 sh > masks 2> /dev/null
    sort -u masks whole | wc -l)sh");
  EXPECT_EQ(said.out, "1\n") << file("whole") << file("masks").substr(0, 200);
}

TEST_F(OperatorTest, APinIsTheProgramsOwn) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const std::string cpu = cores()[1];
  EXPECT_EQ(
      run("--report what.json -- taskset -c " + cpu + " sh -c '\"" CHARM_PROGRAM "\" serial 1.5; " + own_mask() + "'")
          .out,
      cpu + "\n");
  EXPECT_GE(json::parse(file("what.json")).at("threads").at("left_alone"), 1);
}

TEST_F(OperatorTest, APinIsAChildsOwnWhoIsNotFollowed) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const std::string cpu = cores()[1];
  const auto said = script("cpu=" + cpu + R"sh(
    $charm run --report what.json --share $PWD/shares -- sh -c "
      taskset -c $cpu sh -c 'touch ready; while [ ! -e end ]; do sleep 0.05; done; )sh" +
                           own_mask() + R"sh(' & wait" > mask & job=$!
    # Another program comes and goes, so that the share changes twice.
    await test -e ready
    $charm run -q --share $PWD/shares -- sleep 2
    touch end; wait $job; cat mask)sh");
  EXPECT_EQ(said.out, cpu + "\n") << said.err;
  EXPECT_GE(json::parse(file("what.json")).at("threads").at("left_alone"), 1);
}

TEST_F(OperatorTest, WhenItIsKilledChildrenThatAreNotFollowedHaveTheirMaskBackTooAndPinsStay) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  given("program", "sleep 100 & echo $! > child\ntaskset -c $1 sleep 100 & echo $! > pinned\ntouch ready\nwait\n");
  const auto said = script("first=" + cores()[0] + " second=" + cores()[1] + R"sh(
    whole=$(cpus $$)
    $charm run -q --cpus $first -- sh program $second &
    await test -e ready; child=$(cat child) pinned=$(cat pinned)
    await has_cpus $child $first && await has_cpus $pinned $second || exit 1
    sleep 1  # for charm to see the pin
    kill -KILL $!; wait $! 2>/dev/null
    await has_cpus $child "$whole" && echo free
    has_cpus $pinned $second && echo pinned
    kill $child $pinned)sh");
  EXPECT_EQ(said.out, "free\npinned\n") << said.err;
}

TEST_F(OperatorTest, AStoppedProgramStopsTheJobAndGoesOnWithIt) {
  const auto said = script(R"sh(
    set -m
    $charm run -q -- sleep 100 &
    job=$!
    await find_sleep
    kill -STOP $child
    (set +m; await is_state $job T && echo the job has stopped)
    kill -CONT $child
    (set +m; await is_state $job S && await is_state $child S && echo both go on)
    kill -STOP $child
    (set +m; await is_state $job T)
    kill -CONT -$job
    (set +m; await is_state $job S && await is_state $child S && echo both go on)
    kill -TERM -$job
    wait $job)sh");
  EXPECT_EQ(said.exit_code, 128 + 15) << said.err;
  EXPECT_EQ(said.out, "the job has stopped\nboth go on\nboth go on\n") << said.err;
}

TEST_F(OperatorTest, AReaderThatGoesAwayDoesNotChangeTheExitCode) {
  const auto said = script(R"sh(
    { $charm run -- sh -c 'while [ ! -e gone ]; do sleep 0.05; done; exit 3' 2>&1; echo $? > code; } | { exec <&-; touch gone; }
    cat code
    { $charm run -q -- sh -c 'yes 2>/dev/null'; echo $? > code; } | head -n 1
    cat code)sh");
  EXPECT_EQ(said.out, "3\ny\n141\n") << "the program itself has SIGPIPE as ever\n" << said.err;
}

TEST_F(OperatorTest, ALimitOfFileSizesKeepsNoProgramFromStarting) {
  const auto said = shell("ulimit -f 60; '" CHARM_TOOL "' run -q --share $PWD/shares -- sh -c 'echo ran; exit 4'");
  EXPECT_EQ(said.out, "ran\n");
  EXPECT_EQ(said.exit_code, 4);
  EXPECT_TRUE(has(said.err, "cannot be written") && has(said.err, "ulimit -f")) << said.err;
}

TEST_F(OperatorTest, WhatIsSaidToAClosedStreamGoesNowhereAndTheProgramFindsItClosed) {
  const auto said = script(R"sh(
    $charm run --share $PWD/shares -- sh -c '[ -e /proc/$$/fd/2 ]; echo $? > open; exit 3' 2>&-; echo $?
    $charm run --share $PWD/shares -- sh -c '[ -e /proc/$$/fd/0 ]; echo $? >> open' <&- 2>&-; echo $?
    $charm run --share $PWD/shares --dry-run -- true >&-; echo $?
    cat open; grep -c 'policy' shares)sh");
  EXPECT_EQ(said.out, "3\n0\n1\n1\n1\n0\n") << said.err;
}

TEST_F(OperatorTest, AProgramMayBeCalledAsACommandIs) {
  given("top", "#!/bin/sh\necho top \"$@\"\n");
  const auto said = script("chmod +x top; PATH=$PWD:$PATH $charm run -q top -b -n1 --once");
  EXPECT_EQ(said.out, "top -b -n1 --once\n") << said.err;
}

TEST_F(OperatorTest, TheEnvironmentIsTheUsersButForWhatItTells) {
  const std::string show = "-q --no-size -- sh -c 'echo \"[$HWLOC_HIDE_ERRORS]\"'";
  EXPECT_EQ(run(show).out, "[]\n");
  EXPECT_EQ(run(show, "HWLOC_HIDE_ERRORS=1").out, "[1]\n");
  EXPECT_EQ(run("-q --no-size -- sh -c 'echo \"[$HWLOC_PLUGINS_PATH]\"'").out, "[]\n");
}

TEST_F(OperatorTest, TheStartWaitsForNoPluginOfHwloc) {
  const std::string said = run("--dry-run -- true", "HWLOC_PLUGINS_VERBOSE=1").err;
  EXPECT_FALSE(has(said, "dlforeach in /usr")) << said;
  const std::string wished = run("--dry-run -- true", "HWLOC_PLUGINS_VERBOSE=1 HWLOC_PLUGINS_PATH=/usr/lib/mine").err;
  EXPECT_TRUE(has(wished, "/usr/lib/mine") || !has(wished, "dlforeach")) << "unless hwloc knows no plugins: " << wished;
}

TEST_F(OperatorTest, ABindingThatIsMeantForOpenMPProgramsDoesNotBindTheCommand) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const std::string whole = shell(own_mask()).out;
  const std::string cpu = cores()[0];
  for (const std::string& binding : {std::string("OMP_PROC_BIND=true"),
                                     "OMP_PROC_BIND=close OMP_PLACES='{" + cpu + "}'", "GOMP_CPU_AFFINITY=" + cpu}) {
    EXPECT_EQ(run("-q --no-size -- " + own_mask(), binding).out, whole) << binding;
  }
  EXPECT_EQ(shell("ldd '" CHARM_TOOL "' | grep -E 'libgomp|libomp|libtbb'").out, "");
}

TEST_F(OperatorTest, ASecondOneMayNotPlaceTheSameProgram) {
  const auto said = script(R"sh(
    sleep 100 & program=$!
    $charm attach -q $program & first=$!
    placed() { ! $charm attach -q --dry-run $program > /dev/null 2>&1; }
    await placed
    $charm attach -q $program; echo code $?
    kill $first; wait $first
    $charm attach -q --dry-run $program > /dev/null; echo code $?
    kill $program
    $charm run -q --children -- sh -c 'sleep 100 & echo $! > child; wait' & job=$!
    await test -s child
    $charm attach -q $(cat child); echo code $?
    kill $(cat child); wait $job)sh");
  EXPECT_EQ(said.out, "code 2\ncode 0\ncode 2\n") << said.err;
  EXPECT_TRUE(has(said.err, "is placed by charm already (process ")) << said.err;
}

TEST_F(OperatorTest, ProgramsInDifferentTimeNamespacesDoNotShareACore) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  if (shell("unshare --time --monotonic 100000 --boottime 100000 true").exit_code != 0)
    GTEST_SKIP() << "no time namespace can be made here";
  const auto cpus = cores();
  const auto said = script("first=" + cpus[0] + " second=" + cpus[1] + R"sh(
    start() { "${@:2}" $charm run -q --cpus $first,$second --share $PWD/shares --       sh -c "echo \$\$ > $1; touch $1.ready; while :; do :; done" & }
    start one env
    start two unshare --time --monotonic 100000 --boottime 100000
    await test -e one.ready && await test -e two.ready
    one=$(cat one) two=$(cat two)
    apart() { a=$(cpus $one) b=$(cpus $two); [ "$a,$b" = $first,$second ] || [ "$b,$a" = $first,$second ]; }
    await apart && echo apart
    kill $one $two; wait)sh");
  EXPECT_EQ(said.out, "apart\n") << said.err;
}

TEST_F(OperatorTest, WhereProcIsAnotherNamespacesNobodyIsTakenForAnother) {
  if (in_pid_namespace("true").exit_code != 0) GTEST_SKIP() << "no PID namespace can be made here";
  const auto said = in_pid_namespace("'" CHARM_TOOL "' run --share off -- sh -c 'sleep 0.2; echo ran'");
  EXPECT_EQ(said.out, "ran\n") << said.err;
  EXPECT_TRUE(has(said.err, "no thread can be seen, so none is placed: /proc shows the processes of another PID"))
      << said.err;
  EXPECT_TRUE(has(said.err, " 0 threads")) << said.err;
  const auto others = in_pid_namespace("sh -c '\"" CHARM_TOOL "\" attach $$; \"" CHARM_TOOL "\" top $$ --once'");
  EXPECT_EQ(others.exit_code, 2);
  EXPECT_EQ(others.out, "");
  const std::string unseen = "charm: process 1 cannot be seen: /proc shows";
  EXPECT_NE(others.err.find(unseen), others.err.rfind(unseen)) << "both say so: " << others.err;
}

TEST_F(OperatorTest, WhatHangsInAPidNamespaceIsKilledAndTheTestGoesOn) {
  if (in_pid_namespace("true").exit_code != 0) GTEST_SKIP() << "no PID namespace can be made here";
  // The child leaves the process group, as a program may.
  const auto said = in_pid_namespace("sh -c 'setsid sh -c \"while sleep 0.1; do date +%s%N > beat; done\" & wait'", 3);
  EXPECT_EQ(said.exit_code, 128 + SIGKILL);
  EXPECT_TRUE(has(said.err, "had not ended after 3 s")) << said.err;
  EXPECT_EQ(shell("sleep 0.5; cat beat > last; sleep 0.5; cmp last beat").exit_code, 0) << "no process of it is left";
}

TEST_F(OperatorTest, AMistypedVariableIsSaid) {
  const auto said = run("-q -- true", "CHARM_POLICI=local CHARM_WEATHER=fine");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_TRUE(has(said.err, "CHARM_POLICI is no setting") && has(said.err, "CHARM_POLICY")) << said.err;
  EXPECT_FALSE(has(said.err, "WEATHER")) << "it may be another program's";
  const auto former = run("-q -- true", "CHARM_ALG1_STEP=2 CHARM_ADAPTIVE_TICK=0.1");
  EXPECT_TRUE(has(former.err, "CHARM_ALG1_STEP is no setting any more") && has(former.err, "charm-alg1:step=VALUE") &&
              has(former.err, "CHARM_POLICY=adaptive:tick=VALUE"))
      << former.err;
}

}  // namespace
