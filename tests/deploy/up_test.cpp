// Real workers on this machine: started bound, verified, killed, started again, ended, also without their supervisor.
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

namespace charm::cli::test {
namespace {

using Json = nlohmann::json;

class Deployment : public Tool {
 protected:
  ~Deployment() override { charm("deploy down --grace 0 --dir d"); }  // whatever a failed test leaves

  /// `charm deploy up` in the background, its pid in the file "up" and what it says in "said", until all workers run.
  Said up(const std::string& options, int workers = 1) const {
    return waiting("'" CHARM_TOOL "' deploy up --dir d " + options + " >said 2>&1 & echo $! >up\n" +
                   "running() { test \"$('" CHARM_TOOL
                   "' deploy status --dir d --json 2>/dev/null | grep -c "
                   "'\"phase\": \"running\"')\" = " +
                   std::to_string(workers) + "; }\nawait running");
  }
  [[nodiscard]] Json status() const { return Json::parse(charm("deploy status --dir d --json").out, nullptr, false); }
  [[nodiscard]] int pid(std::size_t worker = 0) const { return status()["workers"][worker]["pid"].get<int>(); }
  /// A process that has ended and that nobody has waited for does not run.
  [[nodiscard]] bool runs(int process) const {
    return shell("grep -q '^State:.[^ZX]' /proc/" + std::to_string(process) + "/status").exit_code == 0;
  }
  [[nodiscard]] static int count(const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  }
};

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
  EXPECT_EQ(said.out.substr(0, 46), "2 charm: port PORT of worker w0 is taken; give") << said.out << said.err;
}

TEST_F(Deployment, OfPostgresqlAnswersQueriesAndComesBack) {
  if (shell("ls /usr/lib/postgresql/*/bin/postgres || command -v postgres").exit_code != 0)
    GTEST_SKIP() << "no PostgreSQL here";
  const bool root = geteuid() == 0;
  if (root && shell("getent passwd postgres").exit_code != 0) GTEST_SKIP() << "no user postgres here";
  if (root) {
    expect_refused("deploy up --dir d --target postgresql --cpus 0", {"as root", "--user"});
    shell("p=$PWD; while [ $p != / ]; do chmod a+x $p; p=$(dirname $p); done");  // only folders of this test are closed
  }
  // A port of its own: tests run beside each other.
  const std::string port = std::to_string(21000 + getpid() % 5000 * 2);
  const Said started =
      up("--target postgresql --cpus 0 --restart-delay 0.2 --port " + port + (root ? " --user postgres" : ""));
  ASSERT_EQ(started.exit_code, 0) << started.err << file("said") << file("d/w0/log");
  const std::string ask =
      "ask() { PATH=$PATH:$(echo /usr/lib/postgresql/*/bin) " + std::string(root ? "runuser -u postgres -- " : "") +
      "psql -h $PWD/d/w0 -p " + port +
      " -Atc 'select 6 * 7' postgres 2>/dev/null; }\nanswered() { test \"$(ask)\" = 42; }\nawait answered";
  EXPECT_EQ(waiting(ask).exit_code, 0) << file("d/w0/log");
  const Json verified = Json::parse(charm("deploy verify --dir d --json").out, nullptr, false);
  ASSERT_TRUE(verified.is_object());
  EXPECT_TRUE(verified["bound"].get<bool>()) << verified;
  EXPECT_GT(verified["workers"][0]["processes"].get<int>(), 3) << "the server's own processes are looked at, too";
  shell("kill -9 " + std::to_string(pid()));
  const Said again = waiting(
      "again() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'running.* 1  signal 9'; }\nawait again\n" + ask);
  EXPECT_EQ(again.exit_code, 0) << again.err << file("said");
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_NE(file("d/w0/log").find("database system is shut down"), std::string::npos);
}

// An engine's programs, played: each notes its arguments in its folder and waits.
constexpr const char* played_engine =
    "mkdir -p e/spark/bin e/trino/lib j/bin\n"
    "printf '#!/bin/sh\\necho \"$SPARK_HOME $*\" >words\\nexec sleep 1000\\n' >e/spark/bin/spark-class\n"
    "cp e/spark/bin/spark-class j/bin/java; chmod +x e/spark/bin/spark-class j/bin/java\n"
    "export CHARM_ENGINES=$PWD/e JAVA_HOME=$PWD/j; unset SPARK_HOME TRINO_HOME\n";

TEST_F(Deployment, OfSparkHasAMasterThatTheWorkersKnow) {
  const Said said =
      waiting(std::string(played_engine) + "'" CHARM_TOOL
                                           "' deploy up --dir d --target spark --cpus 0 --port 21800 >said 2>&1 &\n"
                                           "await test -s d/w0/words; await test -s d/coordinator/words");
  ASSERT_EQ(said.exit_code, 0) << said.err << file("said");
  EXPECT_NE(file("d/coordinator/words").find("deploy.master.Master --host 127.0.0.1 --port 21802 --webui-port 21803"),
            std::string::npos)
      << file("d/coordinator/words");
  EXPECT_NE(file("d/w0/words").find("deploy.worker.Worker --host 127.0.0.1 --port 21800 --webui-port 21801 --cores 1"),
            std::string::npos)
      << file("d/w0/words");
  EXPECT_NE(file("d/w0/words").find("/d/w0/work spark://127.0.0.1:21802\n"), std::string::npos) << file("d/w0/words");
  const Json workers = status()["workers"];
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0]["worker"], "coordinator");
  const int master = pid(0);
  EXPECT_EQ(charm("deploy verify --dir d").exit_code, 0);
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_FALSE(runs(master));
}

TEST_F(Deployment, OfTrinoHasSettingsForEachServer) {
  const Said said =
      waiting(std::string(played_engine) + "'" CHARM_TOOL
                                           "' deploy up --dir d --target trino --cpus 0 --port 21820 >said 2>&1 &\n"
                                           "await test -s d/w0/words; await test -s d/coordinator/words");
  ASSERT_EQ(said.exit_code, 0) << said.err << file("said");
  EXPECT_NE(file("d/w0/words").find("-Dconfig="), std::string::npos) << file("d/w0/words");
  const std::string worker = file("d/w0/config.conf"), coordinator = file("d/coordinator/config.conf");
  for (const char* line : {"coordinator=false\n", "http-server.http.port=21820\n", "node.id=w0\n",
                           "discovery.uri=http://127.0.0.1:21822\n"}) {
    EXPECT_NE(worker.find(line), std::string::npos) << line << worker;
  }
  for (const char* line : {"coordinator=true\n", "http-server.http.port=21822\n", "node.id=coordinator\n",
                           "node-scheduler.include-coordinator=false\n", "node.bind-ip=127.0.0.1\n"}) {
    EXPECT_NE(coordinator.find(line), std::string::npos) << line << coordinator;
  }
  EXPECT_EQ(worker.find("node.data-dir"), std::string::npos) << "only the launcher knows it, and Trino refuses it";
  EXPECT_EQ(file("d/w0/tpch.properties"), "connector.name=tpch\ntpch.column-naming=STANDARD\n");
}

TEST_F(Deployment, OfAnEngineThatIsNotInstalledSaysHowToGetIt) {
  shell("mkdir none");
  const std::string none = "JAVA_HOME= SPARK_HOME= TRINO_HOME= CHARM_ENGINES=none";
  const std::string up = "deploy up --dir d --cpus 0 --target ";
  if (shell("command -v java").exit_code == 0) {
    expect_refused(up + "spark", {"spark is not installed", "scripts/engines spark", "SPARK_HOME"}, none);
  }
  expect_refused(up + "trino", {"trino is not installed", "scripts/engines trino", "TRINO_HOME"}, none);
  expect_refused(up + "spark", {"Java is not installed", "JAVA_HOME"}, "JAVA_HOME=/nowhere");
}

}  // namespace
}  // namespace charm::cli::test
