// Real workers on this machine: started bound, verified, killed, started again, ended, also without their supervisor.
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "deploy/deployment.hpp"

namespace charm::cli::test {
namespace {

TEST_F(Deployment, StartsVerifiesAndEndsBoundWorkers) {
  const Said planned = shell("'" CHARM_TOOL "' deploy plan --policy wic --json");
  const int workers = static_cast<int>(Json::parse(planned.out)["workers"].size());
  const Said started = up("--policy wic --exec 'sleep 1000'", workers);
  ASSERT_EQ(started.exit_code, 0) << started.err << file("said");
  const Said said = charm("deploy verify --dir d");
  EXPECT_EQ(said.exit_code, 0) << said.out;
  const int worker = pid();
  const Said mask = shell("grep Cpus_allowed_list /proc/" + std::to_string(worker) + "/status");
  EXPECT_EQ(mask.out, "Cpus_allowed_list:\t" + status()["workers"][0]["cpus"].get<std::string>() + "\n");
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_FALSE(runs(worker));
  EXPECT_EQ(charm("deploy status --dir d").exit_code, 2) << "nothing is left to look at";
}

TEST_F(Deployment, IsRunningAndAnswersByItsStatus) {
  ASSERT_EQ(up("--cpus 0 --exec 'sleep 1000'").exit_code, 0) << file("said");
  EXPECT_EQ(seen_by_status(), "running - 0") << "it listens nowhere";
  charm("deploy down --dir d");
  // A port of its own: tests run beside each other.
  const std::string port = std::to_string(31000 + getpid() % 500 * 2);
  const std::string serve = "sh -c \"while [ ! -e go ]; do sleep 0.05; done; exec python3 -m http.server {port}\"";
  ASSERT_EQ(up("--cpus 0 --port " + port + " --exec '" + serve + "'").exit_code, 0) << file("said");
  EXPECT_EQ(seen_by_status(), "running no 3") << "not yet";
  shell("touch d/w0/go");
  expect_that_status_sees_a_stop();
}

TEST_F(Deployment, IsFoundUnboundOnceAThreadHasLeftItsMask) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "one cpu";
  ASSERT_EQ(up("--cpus 0 --exec 'sleep 1000'").exit_code, 0) << file("said");
  EXPECT_EQ(charm("deploy verify --dir d").exit_code, 0);
  const std::string worker = std::to_string(pid());
  if (shell("taskset -pc 0,1 " + worker).exit_code != 0) GTEST_SKIP() << "no taskset, or cpu 1 is forbidden";
  const Said said = charm("deploy verify --dir d");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_NE(said.out.find("thread " + worker + " of process " + worker + " may run on cpus 0-1"), std::string::npos)
      << said.out;
}

TEST_F(Deployment, StartsAFailedWorkerAgain) {
  ASSERT_EQ(up("--cpus 0 --restart-delay 0.05 --exec 'sleep 1000'").exit_code, 0) << file("said");
  const int first = pid();
  shell("kill -9 " + std::to_string(first));
  const Said again =
      waiting("again() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'running.* 1  signal 9'; }\nawait again");
  EXPECT_EQ(again.exit_code, 0) << again.err << file("said");
  EXPECT_NE(pid(), first);
  EXPECT_NE(file("said").find("w0: ended with signal 9, starts again in 0.0 s"), std::string::npos) << file("said");
}

TEST_F(Deployment, GivesAWorkerUpThatFailsAgainAndAgain) {
  const Said said = charm("deploy up --dir d --cpus 0 --restart-delay 0.01 --give-up 3 --exec 'sh -c \"exit 7\"'");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_NE(said.err.find("given up after 3 failures in a row"), std::string::npos) << said.err;
  EXPECT_EQ(count(said.err, "exit code 7"), 3) << said.err;
}

TEST_F(Deployment, EndsWhenAllWorkersHaveFinished) {
  const Said said = charm("deploy up --dir d --cpus 0 --exec 'sh -c \"echo {name} {cpus}\"'");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(file("d/w0/log"), "w0 0\n");
}

TEST_F(Deployment, IsEndedAfterItsSupervisorWasKilled) {
  // A worker with a child of its own that ignores the polite signal.
  ASSERT_EQ(up("--cpus 0 --exec 'sh -c \"trap : TERM; (trap \\\"\\\" TERM; sleep 1000) & wait; wait\"'").exit_code, 0)
      << file("said");
  const int worker = pid();
  const std::string child = shell("pgrep -P " + std::to_string(worker)).out;
  ASSERT_FALSE(child.empty());
  ASSERT_EQ(shell("kill -9 $(cat up)").exit_code, 0);
  waiting("gone() { ! kill -0 $(cat up) 2>/dev/null; }\nawait gone");
  EXPECT_TRUE(runs(worker));
  EXPECT_NE(charm("deploy status --dir d").out.find("has ended without its workers"), std::string::npos);
  const Said refused = charm("deploy up --dir d --cpus 0 --exec 'sleep 1000'");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("charm deploy down --dir"), std::string::npos) << refused.err;
  EXPECT_EQ(charm("deploy down --dir d --grace 0.2").exit_code, 0);
  EXPECT_FALSE(runs(worker));
  EXPECT_FALSE(runs(std::stoi(child)));
}

TEST_F(Deployment, NeverEndsAProcessThatHasTheIdOfAWorker) {
  // The state of a worker whose id now belongs to a process of somebody else.
  ASSERT_EQ(up("--leave --cpus 0 --exec 'sleep 1000'").exit_code, 0) << file("said");
  const int worker = pid();
  const Said other = shell("sleep 1000 & echo $! | tee other");
  const int bystander = std::stoi(other.out);
  ASSERT_EQ(shell("sed -i 's/\"pid\": " + std::to_string(worker) + "/\"pid\": " + std::to_string(bystander) +
                  "/' d/state.json")
                .exit_code,
            0);
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_TRUE(runs(bystander));
  EXPECT_FALSE(runs(worker)) << "it is found by its environment";
  shell("kill $(cat other)");
}

TEST_F(Deployment, OfAnotherUsersStateIsNotBelieved) {
  shell("mkdir d; ln -s /dev/null d/state.json");
  expect_refused("deploy down --dir d", {"state.json", "not a plain file of this user"});
  shell("rm d/state.json; echo '{' >d/state.json");
  expect_refused("deploy down --dir d", {"state.json", "damaged"});
  shell("rm -r d");
}

/// The tests with a second user: root is the first.
#define SKIP_WITHOUT_NOBODY()                                                               \
  if (geteuid() != 0 || shell("command -v runuser && getent passwd nobody").exit_code != 0) \
    GTEST_SKIP() << "two users are needed: root, runuser and nobody";                       \
  shell("p=$PWD; while [ $p != / ]; do chmod a+x $p; p=$(dirname $p); done")

TEST_F(Deployment, OfAnotherUserWritesNothingThroughThatUsersLinks) {
  SKIP_WITHOUT_NOBODY();
  shell("mkdir -m 700 roots; echo precious >roots/file; install -d -o nobody d");
  const std::string up = "deploy up --dir d --leave --cpus 0 --user nobody --exec 'sleep 1000'";
  for (const char* link :
       {"ln -s $PWD/roots d/w0", "mkdir d/w0; ln -s $PWD/roots/file d/w0/log", "ln -s $PWD/roots/file d/state.json",
        "ln -s $PWD/roots/file d/lock", "mkdir d/w0; ln -s $PWD/roots/new d/w0/log"}) {
    shell("runuser -u nobody -- sh -c '" + std::string(link) + "'");
    charm(up);
    charm("deploy down --grace 0 --dir d");
    EXPECT_EQ(shell("ls roots; stat -c %u roots/file; cat roots/file").out, "file\n0\nprecious\n") << link;
    shell("rm -rf d/*");
  }
}

TEST_F(Deployment, OfAnotherUserBelongsToThatUserAndRootEndsIt) {
  SKIP_WITHOUT_NOBODY();
  shell("install -d -o nobody d");
  const Said said = charm("deploy up --dir d --leave --cpus 0 --user nobody --exec 'sleep 1000'");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(shell("stat -c %U d/state.json d/w0 d/w0/log /proc/" + std::to_string(pid())).out,
            "nobody\nnobody\nnobody\nnobody\n");
  EXPECT_EQ(charm("deploy down --grace 0 --dir d").exit_code, 0);
}

TEST_F(Deployment, OfRootIsRefusedInAFolderThatAnotherUserControls) {
  SKIP_WITHOUT_NOBODY();
  shell("install -d -o nobody d; mkdir e; chmod 777 e; ln -s $PWD/e f");
  expect_refused("deploy up --dir d --leave --cpus 0 --exec 'sleep 1000'", {"belongs to user", "--user"});
  expect_refused("deploy up --dir e --leave --cpus 0 --exec 'sleep 1000'", {"others may write"});
  expect_refused("deploy up --dir f --leave --cpus 0 --exec 'sleep 1000'", {"symbolic link"});
}

TEST_F(Deployment, IsNotHeldUpByAFifoInPlaceOfALog) {
  shell("mkdir -p d/w0; mkfifo d/w0/log");
  const Said said = charm("deploy up --dir d --leave --cpus 0 --exec 'sleep 1000'");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_NE(said.err.find("cannot write its log"), std::string::npos) << said.err;
}

TEST_F(Deployment, IsRefusedBeforeAnythingRuns) {
  expect_refused("deploy up --dir e", {"--exec"});
  expect_refused("deploy up --dir e --exec x", {"not for this machine"}, "CHARM_TOPOLOGY='pack:1 l3:2 core:2 pu:1'");
  expect_refused("deploy status --dir e", {"no deployment"});
  expect_refused("deploy up --dir e --exec x --user no-such-user", {"no-such-user"});
  const Said missing = charm("deploy up --dir d --cpus 0 --exec /no/such/program");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("cannot run '/no/such/program'"), std::string::npos) << missing.err;
}

TEST_F(Deployment, RefusesAPortThatIsTaken) {
  if (shell("command -v python3").exit_code != 0) GTEST_SKIP() << "no python3 to take one";
  const Said said = shell(
      "python3 -c '\nimport socket, subprocess, sys\ns = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()\n"
      "p = s.getsockname()[1]\nr = subprocess.run([\"" CHARM_TOOL
      "\", \"deploy\", \"up\", \"--dir\", \"d\", \"--cpus\", \"0\", \"--port\", str(p), \"--exec\", \"sleep {port}\"], "
      "capture_output=True, text=True)\nprint(r.returncode, r.stderr.replace(str(p), \"PORT\"))'");
  // Before it may come a note that other programs leave little memory.
  EXPECT_EQ(said.out.substr(0, 2), "2 ") << said.out << said.err;
  EXPECT_NE(said.out.find("charm: port PORT of worker w0 is taken; give"), std::string::npos) << said.out << said.err;
}

}  // namespace
}  // namespace charm::cli::test
