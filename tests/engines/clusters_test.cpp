// Real clusters of Spark and Trino, by `charm deploy up` and by the files of `charm deploy plan`: a worker that is
// killed comes back, and nothing is left of a deployment whose supervisor was killed. Left out, with the reason, where
// Java or an engine is missing (scripts/engines spark trino).
#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "deploy/deployment.hpp"

namespace charm::cli::test {
namespace {

constexpr const char* engines = "e=${CHARM_ENGINES:-${XDG_DATA_HOME:-$HOME/.local/share}/charm/engines}\n";

/// Of two cores of this machine, or the only one.
class Cluster : public Deployment {
 protected:
  /// \param home its variable, and \param file what must be there.
  void need(const std::string& engine, const std::string& home, const std::string& file) {
    if (shell("command -v java python3").exit_code != 0) GTEST_SKIP() << "no Java, or no python3";
    if (shell(engines + ("test -e \"${" + home + ":-$e/" + engine + "}/" + file + "\"")).exit_code != 0)
      GTEST_SKIP() << "no " << engine << " here (scripts/engines " << engine << ")";
    const Json all = Json::parse(charm("deploy plan --policy wic --json").out, nullptr, false)["workers"];
    workers_ = std::min<int>(static_cast<int>(all.size()), 2);
    for (std::size_t w = 0; w < static_cast<std::size_t>(workers_); ++w)
      cpus_ += (w > 0 ? "," : "") + all[w]["cpus"].get<std::string>();
  }
  [[nodiscard]] std::string options(const std::string& engine) const {
    return "--target " + engine + " --policy wic --cpus " + cpus_ + " --restart-delay 0.2 --port " +
           std::to_string(port_);
  }
  [[nodiscard]] int coordinator_port() const { return port_ + 2 * workers_; }

  /// A number that a program in Python prints is this one, sooner or later.
  Said await_number(const std::string& program, int number) {
    given("look.py", program);
    return waiting("there() { test \"$(python3 look.py 2>/dev/null)\" = " + std::to_string(number) +
                   "; }\nawait there");
  }

  [[nodiscard]] std::vector<int> processes() const {
    const std::string found =
        shell(
            "grep -lsa CHARM_DEPLOYMENT=$(sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p' d/state.json) "
            "/proc/[0-9]*/environ | cut -d/ -f3")
            .out;
    std::vector<int> all;
    for (std::size_t at = 0; at < found.size(); at = found.find('\n', at) + 1)
      all.push_back(std::stoi(found.substr(at)));
    return all;
  }
  /// The ports of workers and coordinator on which something listens.
  [[nodiscard]] std::string listening() const {
    return shell("for p in $(seq " + std::to_string(port_) + " " + std::to_string(coordinator_port() + 1) +
                 "); do grep -qE \":$(printf %04X $p) [0-9A-F:]+ 0A\" /proc/net/tcp /proc/net/tcp6 && echo $p; done")
        .out;
  }
  /// \param where in the list of status: the coordinator is the first.
  void kill_and_see_it_again(std::size_t where) {
    const int killed = pid(where);
    shell("kill -9 " + std::to_string(killed));
    const Said again =
        waiting("again() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'running.* 1  signal 9'; }\nawait again");
    EXPECT_EQ(again.exit_code, 0) << again.err << file("said");
    EXPECT_NE(pid(where), killed);
    EXPECT_NE(file("said").find("ended with signal 9, starts again in 0.2 s"), std::string::npos) << file("said");
  }
  void nothing_is_left_after_up_was_killed() {
    const std::vector<int> before = processes();
    ASSERT_GT(before.size(), static_cast<std::size_t>(workers_));
    ASSERT_EQ(shell("kill -9 $(cat up)").exit_code, 0);
    waiting("gone() { ! kill -0 $(cat up) 2>/dev/null; }\nawait gone");
    EXPECT_EQ(charm("deploy status --dir d").exit_code, 0) << "they run on";
    EXPECT_NE(charm("deploy status --dir d").out.find("has ended without its workers"), std::string::npos);
    const std::string state = file("d/state.json");
    const Said down = charm("deploy down --dir d");
    EXPECT_EQ(down.exit_code, 0) << down.out << down.err;
    given("d/state.json", state);  // which names the processes to look for
    EXPECT_TRUE(processes().empty());
    shell("rm d/state.json");
    for (const int process : before) EXPECT_FALSE(runs(process)) << process;
    EXPECT_EQ(listening(), "");
  }

  int workers_ = 0;
  std::string cpus_;
  int port_ = 23000 + getpid() % 400 * 20;
};

class SparkCluster : public Cluster {
 protected:
  void SetUp() override { need("spark", "SPARK_HOME", "bin/spark-class"); }
  [[nodiscard]] static std::string alive(int port) {
    return "import json, urllib.request as r\nprint(json.load(r.urlopen('http://127.0.0.1:" + std::to_string(port) +
           "/json/'))['aliveworkers'])\n";
  }
};

TEST_F(SparkCluster, BringsBackWhatIsKilledAndLeavesNothing) {
  ASSERT_EQ(up(options("spark"), workers_ + 1).exit_code, 0) << file("said");
  ASSERT_EQ(await_number(alive(coordinator_port() + 1), workers_).exit_code, 0) << file("d/w0/log");
  // A query without an end, so that each worker has an executor.
  shell(engines +
        std::string("SPARK_HOME=${SPARK_HOME:-$e/spark} SPARK_LOCAL_IP=127.0.0.1\nexport SPARK_HOME SPARK_LOCAL_IP\n"
                    "setsid \"$SPARK_HOME/bin/spark-sql\" --master spark://127.0.0.1:") +
        std::to_string(coordinator_port()) +
        " --conf spark.executor.cores=1 --conf spark.executor.memory=512m --conf spark.driver.host=127.0.0.1 --conf "
        "spark.sql.catalogImplementation=in-memory --conf spark.ui.enabled=false -e "
        "'SELECT count(*) FROM range(0, 1000000000000000, 1, 64) WHERE hash(id) = 7 AND sqrt(id) = 0.5' >sql 2>&1 & "
        "echo $! "
        ">driver");
  const Said busy =
      waiting("busy() { test \"$('" CHARM_TOOL "' deploy verify --dir d --json | grep -c '\"processes\": 2')\" = " +
              std::to_string(workers_) + "; }\nawait busy");
  EXPECT_EQ(busy.exit_code, 0) << file("sql");
  const Said verified = charm("deploy verify --dir d");
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  kill_and_see_it_again(1);
  EXPECT_NE(file("said").find("w0: killed 1 of its processes"), std::string::npos) << "the executor" << file("said");
  EXPECT_EQ(await_number(alive(coordinator_port() + 1), workers_).exit_code, 0) << file("d/w0/log");
  nothing_is_left_after_up_was_killed();
  shell("kill -9 -- -$(cat driver)");
}

TEST_F(SparkCluster, ComesUpByTheFilesOfThePlan) {
  if (shell("grep -qE ':(1BA5|1F90) [0-9A-F:]+ 0A' /proc/net/tcp /proc/net/tcp6").exit_code == 0)
    GTEST_SKIP() << "the master's ports, 7077 and 8080, are taken";
  const Said planned = charm(
      "deploy plan --target spark --coordinator 127.0.0.1 --policy wic --from h=- --output p --dir "
      "$PWD/d --cpus " +
      cpus_ + " --port " + std::to_string(port_));
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  shell(engines + std::string("export SPARK_HOME=${SPARK_HOME:-$e/spark} SPARK_LOCAL_IP=127.0.0.1\n"
                              "setsid sh -c 'sh p/master.sh & sh p/start-h.sh; wait' >scripts 2>&1 & echo $! >group"));
  EXPECT_EQ(await_number(alive(8080), workers_).exit_code, 0) << file("scripts") << file("d/w0/log");
  shell("kill -9 -- -$(cat group)");
}

class TrinoCluster : public Cluster {
 protected:
  void SetUp() override { need("trino", "TRINO_HOME", "lib"); }
  /// The only number of a query's answer.
  [[nodiscard]] static std::string answer(int port, const std::string& sql) {
    return "import json, urllib.request as r\ntake = lambda q: json.load(r.urlopen(q))\n"
           "a = take(r.Request('http://127.0.0.1:" +
           std::to_string(port) + "/v1/statement', b\"" + sql +
           "\", {'X-Trino-User': 'charm'}))\nrows = []\nwhile True:\n  rows += a.get('data', [])\n"
           "  if 'nextUri' not in a: break\n  a = take(a['nextUri'])\nprint(rows[0][0])\n";
  }
  static constexpr const char* workers_there =
      "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator";
};

TEST_F(TrinoCluster, BringsBackWhatIsKilledAndLeavesNothing) {
  ASSERT_EQ(up(options("trino"), workers_ + 1).exit_code, 0) << file("said");
  ASSERT_EQ(await_number(answer(coordinator_port(), workers_there), workers_).exit_code, 0) << file("d/w0/log");
  EXPECT_EQ(await_number(answer(coordinator_port(), "SELECT count(*) FROM tpch.tiny.lineitem"), 60175).exit_code, 0);
  const Said verified = charm("deploy verify --dir d");
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  kill_and_see_it_again(1);
  EXPECT_EQ(await_number(answer(coordinator_port(), workers_there), workers_).exit_code, 0) << file("d/w0/log");
  EXPECT_EQ(await_number(answer(coordinator_port(), "SELECT count(*) FROM tpch.tiny.orders"), 15000).exit_code, 0);
  nothing_is_left_after_up_was_killed();
}

TEST_F(TrinoCluster, ComesUpByTheFilesOfThePlan) {
  if (shell("grep -qE ':1F90 [0-9A-F:]+ 0A' /proc/net/tcp /proc/net/tcp6").exit_code == 0)
    GTEST_SKIP() << "the coordinator's port, 8080, is taken";
  const Said planned = charm(
      "deploy plan --target trino --coordinator 127.0.0.1 --policy wic --from h=- --output p --dir "
      "$PWD/d --cpus " +
      cpus_ + " --port " + std::to_string(port_));
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  shell(
      engines +
      std::string("export TRINO_HOME=${TRINO_HOME:-$e/trino}\n"
                  "for c in p/*/etc; do mkdir $c/catalog; echo connector.name=tpch >$c/catalog/tpch.properties; done\n"
                  "setsid sh -c 'sh p/coordinator.sh & sh p/start-h.sh; wait' >scripts 2>&1 & echo $! >group"));
  EXPECT_EQ(await_number(answer(8080, workers_there), workers_).exit_code, 0) << file("scripts") << file("d/w0/log");
  EXPECT_EQ(await_number(answer(8080, "SELECT count(*) FROM tpch.tiny.lineitem"), 60175).exit_code, 0);
  shell("kill -9 -- -$(cat group)");
}

}  // namespace
}  // namespace charm::cli::test
