// `charm run` and `charm attach` from end to end, on real programs: what passes through, what is refused, what is left.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "attach/steering.hpp"

namespace {

using nlohmann::json;

using RunTest = charm::cli::test::Steering;

TEST_F(RunTest, PassesExitCodesAndDeathsOn) {
  EXPECT_EQ(run("-- true").exit_code, 0);
  EXPECT_EQ(run("-- sh -c 'exit 7'").exit_code, 7);
  EXPECT_EQ(run("-- sh -c 'kill -TERM $$'").exit_code, 128 + 15);
  EXPECT_EQ(run("-- sh -c 'kill -KILL $$'").exit_code, 128 + 9);
}

TEST_F(RunTest, SaysLikeAShellWhatCannotBeRun) {
  auto said = run("-- no_such_program");
  EXPECT_EQ(said.exit_code, 127);
  EXPECT_TRUE(said.err.starts_with("charm: cannot run 'no_such_program': ")) << said.err;
  EXPECT_TRUE(has(said.err, "; check its name")) << said.err;
  given("notes", "no program\n");
  said = run("-- ./notes");
  EXPECT_EQ(said.exit_code, 126);
  EXPECT_TRUE(has(said.err, "'./notes'")) << said.err;
}

TEST_F(RunTest, LeavesStreamsArgumentsAndLimitsAsTheyAre) {
  EXPECT_EQ(run("-q -- cat < in", "echo question > in;").out, "question\n");
  EXPECT_EQ(run(R"(-q -- sh -c 'echo "$@"' x -q --json -- a 'b c')").out, "-q --json -- a b c\n");
  EXPECT_EQ(run("-q printf '%s' -l").out, "-l") << "options behind the program are its own";
  EXPECT_EQ(run("-q -- sh -c 'ulimit -n'", "ulimit -n 99;").out, "99\n");
  const auto said = run("-q -- sh -c 'echo out; echo err >&2'");
  EXPECT_EQ(said.out, "out\n");
  EXPECT_EQ(said.err, "err\n");
  EXPECT_EQ(run("-q -- sh -c 'g() { cut -d \" \" -f 5 /proc/$1/stat; }; [ $(g $$) = $(g $PPID) ] && echo same'").out,
            "same\n");
}

TEST_F(RunTest, GivesTheProgramADescriptorForItsProgress) {
  const auto said = run("-q --progress-fd 7 -- sh -c 'echo 5 >&7; echo 16 >&7; cat /proc/self/fd/7'");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out, "5\n16\n");
  const auto taken = run("--progress-fd 7 -- touch ran 7> mine");
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_TRUE(has(taken.err, "--progress-fd: descriptor 7 is open already; ")) << taken.err;
  EXPECT_EQ(files(), std::vector<std::string>{"mine"});
}

TEST_F(RunTest, SaysWhereNobodyWouldReadWhatTheProgramTells) {
  EXPECT_TRUE(has(run("--policy local --metric 'touch asked; echo 5' -- true").err, "charm: --metric is not asked: "));
  EXPECT_TRUE(files().empty());
  expect_refused("run --once --metric 'echo 5' -- true", {"--metric: with --once"});
  expect_refused("run --pin-threads 0 --progress done -- true", {"--progress: ", "--pin-threads"});
  expect_refused("run --metric 'echo 5' --progress done -- true", {"--metric", "--progress"});
  expect_refused("run --metric 'echo 5' --progress-fd 3 -- true", {"--metric", "--progress-fd"});
  expect_refused("run --metric ' ' -- true", {"--metric"});
  expect_refused("run --progress-fd 2 -- true", {"--progress-fd", "from 3 to 1023"});
  expect_refused("attach --progress-fd 3 1", {"--progress-fd"});
}

TEST_F(RunTest, TellsWhatItDidInWordsOrAsJson) {
  auto said = run("--policy local -- true");
  EXPECT_TRUE(said.err.starts_with("charm: true exited with 0 after ")) << said.err;
  EXPECT_EQ(said.out, "");
  said = run("--policy local --report what.json -- sh -c 'exit 3'");
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_EQ(said.err, "");
  const auto report = json::parse(file("what.json"));
  EXPECT_EQ(report.at("program"), "sh");
  EXPECT_EQ(report.at("ended").at("code"), 3);
  EXPECT_EQ(report.at("plan").at("policy"), "local");
  EXPECT_TRUE(report.at("decisions").is_array());
  for (const char* key : {"program", "pid", "attached", "seconds", "used", "threads", "placements", "moves", "masks",
                          "shared_cores", "avoided", "counters", "variables", "share", "own_cpu_s", "notes"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_TRUE(report.at("share").is_null()) << "nothing was leased";
  EXPECT_EQ(run("--report what.json --share $PWD/shares -- true").exit_code, 0);
  EXPECT_EQ(json::parse(file("what.json")).at("share").at("holders"), 1);
}

TEST_F(RunTest, DryRunSaysWhatItWouldDoOnAnyMachine) {
  const auto said = run("--dry-run --json --policy distributed --chiplets 2 -- ./program x",
                        "CHARM_TOPOLOGY='pack:1 l3:4 core:2 pu:1'");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto intent = json::parse(said.out);
  EXPECT_EQ(intent.at("plan").at("cpus"), json({0, 1, 2, 3}));
  EXPECT_EQ(intent.at("worker_cores").size(), 4U);
  EXPECT_EQ(intent.at("variables").at(0).at("name"), "OMP_NUM_THREADS");
  EXPECT_EQ(intent.at("variables").at(0).at("value"), "4");
  EXPECT_EQ(run("--dry-run -- no_such_program").exit_code, 127);
  given("notes", "no program\n");
  EXPECT_EQ(run("--dry-run -- ./notes").exit_code, 126);
  shell("rm notes");
  const auto words = run("--dry-run --report what.json --policy local -- touch made");
  EXPECT_EQ(words.exit_code, 0) << words.err;
  EXPECT_TRUE(has(words.out, "touch made: policy local on cpus ")) << words.out;
  EXPECT_EQ(words.err, "");
  EXPECT_TRUE(files().empty()) << "neither the program nor a report";
}

TEST_F(RunTest, DryRunSaysWhereAsManyWorkersAsThereWillBeWouldBe) {
  const std::string machine = "CHARM_TOPOLOGY='pack:1 l3:2 core:4 pu:1' ";
  auto said = run("--dry-run --policy distributed --workers 2 -- ./program", machine);
  EXPECT_TRUE(
      has(said.out, "2 workers, as --workers says, would be on cpus 0 4 (chiplet 0: cpus 0; chiplet 1: cpus 4)"))
      << said.out;
  EXPECT_TRUE(has(said.out, "OMP_NUM_THREADS=2 ")) << said.out;
  EXPECT_TRUE(has(said.out, "OMP_PLACES={0},{4} ")) << said.out;
  said = run("--dry-run --policy local -- ./program", machine + "OMP_NUM_THREADS=3");
  EXPECT_TRUE(has(said.out, "3 workers, as OMP_NUM_THREADS says, would be on cpus 0 1 2 (chiplet 0: cpus 0-2)"))
      << said.out;
  said = run("--dry-run --policy local --workers 9 -- ./program", machine);
  EXPECT_TRUE(has(said.out, "they would share these 8 cores")) << said.out;
  EXPECT_FALSE(has(said.out, "OMP_NUM_THREADS is set")) << said.out;
  said = run("--dry-run --workers 2 -- ./program", machine + "OMP_NUM_THREADS=3");
  EXPECT_TRUE(has(said.out, "OMP_NUM_THREADS is set to 3, which stays: only other pools get 2 threads")) << said.out;
  said = run("--dry-run -- ./program", machine);
  EXPECT_TRUE(has(said.out, "'adaptive:tick=0.2' moves them as it measures")) << said.out;
  expect_refused("run --chiplets 2:fastest -- true", {"'2:fastest'", "2:cache"});
}

TEST_F(RunTest, DryRunOfThePolicyKernelPromisesNoCpus) {
  const auto said =
      run("--dry-run --policy kernel --workers 3 -- ./program", "CHARM_TOPOLOGY='pack:1 l3:2 core:4 pu:2'");
  EXPECT_TRUE(has(said.out, "policy kernel on cpus 0-15 ")) << said.out;
  EXPECT_TRUE(has(said.out, "3 workers, as --workers says: the kernel chooses their cpus")) << said.out;
  EXPECT_FALSE(has(said.out, "OMP_PLACES")) << said.out;
  EXPECT_FALSE(has(said.out, "moves them as it measures")) << said.out;
}

/// What there is to interleave depends on the kernel and on the machine (tests/vm/interleave_test.cpp).
TEST_F(RunTest, ByWeightsTellsWherePagesWillComeFromOrWhyNot) {
  const auto said = run("--mem weighted -- true");
  EXPECT_TRUE(has(said.err, "all pages come from node ") || has(said.err, "new pages: node ") ||
              has(said.err, "Linux 6.9"))
      << said.err;
  EXPECT_EQ(said.exit_code, has(said.err, "Linux 6.9") ? 1 : 0) << said.err;
  given("no_weights", "of no page\n");
  const auto broken = run("--mem weighted=no_weights -- true");
  EXPECT_NE(broken.exit_code, 0);
  EXPECT_TRUE(has(broken.err, "no_weights")) << broken.err;
}

TEST_F(RunTest, DryRunOfAttachLeavesMasksAsTheyAre) {
  const auto said = script(R"sh(
    sleep 100 & program=$!
    before=$(cpus $program)
    $charm attach --dry-run --json --policy local $program
    code=$?
    has_cpus $program "$before" || exit 9
    kill $program
    exit $code)sh");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(json::parse(said.out).at("plan").at("policy"), "local");
}

TEST_F(RunTest, RefusesWhatItCannotDoBeforeAnythingRuns) {
  expect_refused("run", {"program", "charm run --help"});
  expect_refused("run --policy fastest -- touch file", {"unknown policy 'fastest'", "adaptive"});
  expect_refused("run --policy adaptive:tick=0.2,tick=0.3 -- touch file", {"tick is given twice", "'0.3'"});
  expect_refused("run --cpus 9999 -- touch file", {"cpu 9999", "choose among"});
  expect_refused("run --cpus '' -- touch file", {"--cpus", "names nothing"});
  expect_refused("run --policy '' -- touch file", {"--policy", "names nothing"});
  expect_refused("run --cpus zero -- touch file", {"'zero'", "0-3,8"});
  expect_refused("run --chiplets 4000 -- touch file", {"--chiplets 4000", "at most"});
  expect_refused("run --policy kernel:tick=1 -- touch file", {"the policy kernel has no parameters", "kernel:tick=1"});
  expect_refused("run --mem everywhere -- touch file", {"everywhere", "interleave", "weighted=FILE"});
  expect_refused("run --mem weighted= -- touch file", {"'weighted='", "weighted=FILE"});
  expect_refused("run --mem weighted=/nowhere/at/all -- touch file", {"/nowhere/at/all", "no such file"});
  for (const char* pages : {"sometimes", "keep=1", "once=", "follow=0", "follow=nan", "follow=1x", "follow=1e9"})
    expect_refused(std::string("run --pages ") + pages + " -- touch file", {"--pages", pages, "=GB/s"});
  expect_refused("run --pages once --once -- touch file", {"--pages", "nobody stays to move them"});
  expect_refused("run --pages once --pin-threads 0 -- touch file", {"--pages", "--pin-threads"});
  expect_refused("run --json -- touch file", {"--report"});
  expect_refused("run --report /nowhere/at/all -- touch file", {"/nowhere/at/all"});
  expect_refused("run -- touch file", {"CHARM_TOPOLOGY"}, "CHARM_TOPOLOGY='core:4 pu:1'");
}

TEST_F(RunTest, SizesPoolsUnlessTheyAreSizedOrItIsNotToDoSo) {
  const std::string show = " -- sh -c 'echo $OMP_NUM_THREADS/$GOMAXPROCS'";
  const std::string one = "-q --cpus " + cores().front();
  EXPECT_EQ(run(one + show).out, "1/1\n");
  EXPECT_EQ(run(one + show, "OMP_NUM_THREADS=5").out, "5/1\n");
  EXPECT_EQ(run(one + " --no-size" + show, "env -u OMP_NUM_THREADS -u GOMAXPROCS").out, "/\n");
  EXPECT_EQ(run(one + " --no-size-for go" + show, "env -u GOMAXPROCS").out, "1/\n");
}

TEST_F(RunTest, StartsTheProgramOnItsCpus) {
  const std::string cpu = cores().front();
  EXPECT_EQ(run("-q --cpus " + cpu + " -- sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status").out,
            cpu + "\n");
}

TEST_F(RunTest, PassesSignalsOn) {
  const auto said = script(R"sh(
    $charm run -q -- sh -c 'trap "exit 5" TERM; trap "touch seen" USR1; touch ready; while :; do sleep 0.05; done' &
    await test -e ready && kill -USR1 $! && await test -e seen && kill -TERM $!
    wait $!)sh");
  EXPECT_EQ(said.exit_code, 5) << said.err;
}

TEST_F(RunTest, StopsAndContinuesWithTheProgramAsOneJob) {
  const auto said = script(R"sh(
    set -m
    $charm run -q -- sleep 100 &
    job=$!
    await find_sleep
    kill -TSTP -$job
    # In a shell without jobs: one that has them leaves its loops when a job stops.
    (set +m; await is_state $job T && await is_state $child T && echo both stopped)
    kill -CONT -$job
    (set +m; await is_state $child S && await is_state $job S && echo both go on)
    kill -TERM -$job
    wait $job)sh");
  EXPECT_EQ(said.exit_code, 128 + 15) << said.err;
  EXPECT_TRUE(has(said.out, "both stopped\nboth go on\n")) << said.out << said.err;
}

TEST_F(RunTest, WhenItIsKilledTheProgramGoesOnAndHasItsMaskBack) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const auto said = script("cpu=" + cores().front() + R"sh(
    whole=$(cpus $$)
    $charm run -q --cpus $cpu -- sh -c 'echo $$ > pid; touch ready; while [ ! -e end ]; do sleep 0.05; done; touch ended' &
    await test -e ready; program=$(cat pid)
    await has_cpus $program $cpu || exit 1
    kill -KILL $!; wait $! 2>/dev/null
    await has_cpus $program "$whole" && echo free
    touch end; await test -e ended && echo ended)sh");
  EXPECT_EQ(said.out, "free\nended\n") << said.err;
}

TEST_F(RunTest, AttachesAndGivesBackWhatThereWas) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const auto said = script("cpu=" + cores().front() + R"sh(
    whole=$(cpus $$)
    sleep 100 & program=$!
    $charm attach --report what.json --cpus $cpu $program & charm_pid=$!
    await has_cpus $program $cpu && echo bound
    kill -TERM $charm_pid; wait $charm_pid; echo code $?
    has_cpus $program "$whole" && echo free
    $charm attach --report ended.json --cpus $cpu $program & charm_pid=$!
    await has_cpus $program $cpu; kill $program; wait $charm_pid; echo code $?)sh");
  EXPECT_EQ(said.out, "bound\ncode 0\nfree\ncode 0\n") << said.err;
  EXPECT_FALSE(json::parse(file("ended.json")).at("ended").is_null());
  const auto report = json::parse(file("what.json"));
  EXPECT_TRUE(report.at("ended").is_null());
  EXPECT_TRUE(report.at("attached"));
}

TEST_F(RunTest, RefusesToAttachToWhatIsNotThereOrNotAProgram) {
  expect_refused("attach 1073741823", {"no process 1073741823"});
  expect_refused("attach 0", {"whole number"});
  expect_refused("attach --mem local 1", {"--mem", "charm run --mem"});
  expect_refused("attach", {"pid"});
}

TEST_F(RunTest, FindsEveryThreadThatLives) {
  const auto said = run("-q -- '" CHARM_PROGRAM "' found 40");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST_F(RunTest, AThousandThreadsASecondStayOnTheirCpus) {
  const auto said =
      run("--report what.json --cpus " + cores().front() + " -- '" CHARM_PROGRAM "' churn 1.5 64 " + cores().front());
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_GT(json::parse(file("what.json")).at("threads").at("found"), 100);
}

TEST_F(RunTest, BusyThreadsBecomeWorkers) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const auto said = run("--report what.json --policy local -- '" CHARM_PROGRAM "' busy 2");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_GE(json::parse(file("what.json")).at("threads").at("most_workers"), 2);
}

TEST_F(RunTest, TwoProgramsThatShareTheMachineDoNotMeet) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const auto cpus = cores();
  const auto said = script("first=" + cpus[0] + " second=" + cpus[1] + R"sh(
    for each in one two; do
      $charm run -q --cpus $first,$second --share $PWD/shares -- sh -c "echo \$\$ > $each; touch $each.ready; while :; do :; done" &
    done
    await test -e one.ready && await test -e two.ready
    one=$(cat one) two=$(cat two)
    apart() { a=$(cpus $one) b=$(cpus $two); [ "$a,$b" = $first,$second ] || [ "$b,$a" = $first,$second ]; }
    await apart && echo apart
    kill $one $two; wait)sh");
  EXPECT_EQ(said.out, "apart\n") << said.err;
}

}  // namespace
