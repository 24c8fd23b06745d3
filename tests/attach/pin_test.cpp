// `charm run` and `charm attach` with cpus by place, threads on a list of cpus, and nothing that stays. Masks are read
// from /proc.
#include <string>

#include <nlohmann/json.hpp>

#include "attach/steering.hpp"

namespace {

using nlohmann::json;

class PinTest : public charm::cli::test::Steering {
 protected:
  static std::string own_mask() { return "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status"; }
};

TEST_F(PinTest, CpusCanBeNamedByWhatTheyBelongTo) {
  const auto cpu = cores().back();
  EXPECT_EQ(run("-q --no-size --cpus core:" + std::to_string(cores().size() - 1) + ".pu:0 -- " + own_mask()).out,
            cpu + "\n");
  EXPECT_EQ(run("-q --no-size --cpus socket:all -- " + own_mask()).out, shell(own_mask()).out);
  expect_refused("run --cpus l3:999 -- true", {"--cpus", "l3:999", "charm topo"});
  expect_refused("run --cpus die:0 -- true", {"--cpus", "'die'", "socket"});
  expect_refused("run --pin-threads 99999 -- true", {"--pin-threads", "99999", "choose among"});
  expect_refused("run --pin-threads '' -- true", {"--pin-threads"});
  expect_refused("run --pin-threads 0 --cpus 0 -- true", {"--pin-threads"});
}

TEST_F(PinTest, OnADescribedMachineTheTypesAreItsOwn) {
  const std::string before = "CHARM_TOPOLOGY='pack:2 numa:2 l3:2 core:4 pu:1'";
  const auto cpus = [&](const std::string& where) {
    return json::parse(charm("run --dry-run --json --no-size --cpus " + where + " -- true", before).out)
        .at("plan")
        .at("cpus");
  };
  EXPECT_EQ(cpus("node:0"), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cpus("l3:2-3"), (std::vector{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(cpus("socket:1").size(), 16U);
  EXPECT_EQ(cpus("socket:1.core:0-3,1"), (std::vector{1, 16, 17, 18, 19}));
  const auto pins = json::parse(charm("run --dry-run --json --pin-threads 3,socket:1.core:1,0 -- true", before).out);
  EXPECT_EQ(pins.at("pins"), (std::vector{3, 17, 0}));
  const auto twice = json::parse(charm("run --dry-run --json --pin-threads 0,0,3,3 -- true", before).out);
  EXPECT_EQ(twice.at("pins"), (std::vector{0, 0, 3, 3})) << "two threads on each";
  EXPECT_EQ(twice.at("plan").at("cpus"), (std::vector{0, 3}));
  EXPECT_TRUE(has(charm("run --dry-run --pin-threads 3,0 -- true", before).out, "first thread on cpu 3")) << "in words";
}

// Three threads besides the first; each is asleep by the time that it is looked at.
constexpr const char* threads = R"py(
import os, threading, time
for i in range(3): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
open('ready', 'w').write(str(os.getpid()))
time.sleep(60)
)py";

TEST_F(PinTest, ThreadsAreOnTheCpusOfTheListInTheirOrder) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  if (shell("python3 -c pass").exit_code != 0) GTEST_SKIP() << "no Python";
  given("threads.py", threads);
  const std::string first = cores()[1];
  const std::string second = cores()[0];
  const auto said = script("first=" + first + " second=" + second + R"sh(
    # In the order in which they began, which is that of the folder but not that of their names: 10000 is after 9999.
    masks() { for task in $(ls -U /proc/$1/task); do
      sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$1/task/$task/status; done | xargs; }
    are() { [ "$(masks $program)" = "$*" ]; }
    $charm run --report what.json --pin-threads $first,$second -- python3 threads.py & job=$!
    await test -s ready; program=$(cat ready)
    await are $first $second $first $second && echo pinned
    kill $program; wait $job; echo $?
    rm ready; python3 threads.py & program=$!
    await test -s ready
    whole=$(masks $program)
    $charm attach -q --pin-threads $first,$second $program & job=$!
    await are $first $second $first $second && echo attached
    kill -INT $job; wait $job
    are $whole && echo restored
    $charm attach -q --once --pin-threads $second,$first $program; echo code $?
    are $second $first $second $first && echo left
    kill $program)sh");
  EXPECT_EQ(said.out, "pinned\n143\nattached\nrestored\ncode 0\nleft\n") << said.err;
  const auto report = json::parse(file("what.json"));
  EXPECT_EQ(report.at("pinned").size(), 4U);
  EXPECT_EQ(report.at("ended").at("signal"), 15);
}

TEST_F(PinTest, OnceLeavesTheProgramInItsPlace) {
  const std::string cpu = cores().back();
  // It has the process id of charm itself: there is nobody else.
  const auto said = script("'" CHARM_TOOL "' run -q --once --cpus " + cpu + " -- sh -c 'echo $$ $(" + own_mask() +
                           "); exit 5' & wait $!; echo $! $?");
  const auto lines = said.out;
  const auto end = lines.find('\n');
  const std::string pid = lines.substr(0, lines.find(' '));
  EXPECT_EQ(lines, pid + " " + cpu + "\n" + pid + " 5\n") << lines.substr(0, end) << said.err;
  EXPECT_EQ(run("--once -- /nowhere/program").exit_code, 127);
  expect_refused("run --once --pin-threads 0 -- true", {"--once", "--cpus"});
  expect_refused("run --once --report what.json -- true", {"--report", "--once"});
}

TEST_F(PinTest, WhatIsPlacedOnceKeepsItsMasksWhenCharmHasLeft) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const std::string cpu = cores()[1];
  const auto said = script("cpu=" + cpu + R"sh(
    sleep 100 & program=$!
    $charm attach -q --once --cpus $cpu $program; echo code $?
    has_cpus $program $cpu && echo left
    kill $program)sh");
  EXPECT_EQ(said.out, "code 0\nleft\n") << said.err;
}

}  // namespace
