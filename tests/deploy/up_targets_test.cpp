// `charm deploy up` with a target that is more than a command: PostgreSQL, DuckDB, ranks of MPI, and the commands that
// start Spark and Trino.
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "deploy/deployment.hpp"

namespace charm::cli::test {
namespace {

TEST_F(Deployment, OfPostgresqlAnswersQueriesAndComesBack) {
  if (shell("ls /usr/lib/postgresql/*/bin/postgres || command -v postgres").exit_code != 0)
    GTEST_SKIP() << "no PostgreSQL here";
  const bool root = geteuid() == 0;
  if (root && shell("getent passwd postgres").exit_code != 0) GTEST_SKIP() << "no user postgres here";
  if (root) {
    expect_refused("deploy up --dir d --target postgresql --cpus 0", {"as root", "--user"});
    const Said refused = charm("deploy up --dir d --target postgresql --cpus 0 --user postgres");
    EXPECT_NE(refused.err.find("install -d -o USER"), std::string::npos) << refused.err;
    shell("install -d -o postgres d; p=$PWD; while [ $p != / ]; do chmod a+x $p; p=$(dirname $p); done");
  }
  // A port of its own: tests run beside each other.
  const std::string port = std::to_string(21000 + getpid() % 5000 * 2);
  const Said started =
      up("--target postgresql --cpus 0 --restart-delay 0.2 --port " + port + (root ? " --user postgres" : ""), 1,
         "LANG= LC_ALL= LC_CTYPE=");
  ASSERT_EQ(started.exit_code, 0) << started.err << file("said") << file("d/w0/log");
  const std::string ask =
      "ask() { PATH=$PATH:$(echo /usr/lib/postgresql/*/bin) " + std::string(root ? "runuser -u postgres -- " : "") +
      "psql -h $PWD/d/w0 -p " + port +
      " -Atc 'select 6 * 7' postgres 2>/dev/null; }\nanswered() { test \"$(ask)\" = 42; }\nawait answered";
  EXPECT_EQ(waiting(ask).exit_code, 0) << file("d/w0/log");
  const Said encoding =
      shell("PATH=$PATH:$(echo /usr/lib/postgresql/*/bin); " + std::string(root ? "runuser -u postgres -- " : "") +
            "psql -h $PWD/d/w0 -p " + port + " -Atc 'show server_encoding' postgres");
  EXPECT_EQ(encoding.out, "UTF8\n") << "also where no locale is set, as in cron";
  expect_that_status_sees_a_stop();
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
    "printf '#!/bin/sh\\necho \"$SPARK_HOME $*\" >words; echo \"$SPARK_DAEMON_JAVA_OPTS, secret $_SPARK_AUTH_SECRET\" "
    ">>words\\nexec sleep 1000\\n' >e/spark/bin/spark-class\n"
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
  const std::string client = file("d/coordinator/client.conf");
  EXPECT_NE(client.find("spark.master spark://127.0.0.1:21802\nspark.authenticate true\nspark.authenticate.secret "),
            std::string::npos)
      << client;
  const std::string secret = client.substr(client.find_last_of(' ') + 1, 32);
  EXPECT_EQ(shell("stat -c %a d/coordinator/client.conf").out, "600\n");
  for (const char* server : {"d/coordinator/words", "d/w0/words"}) {
    EXPECT_NE(file(server).find("-Dspark.authenticate=true, secret " + secret), std::string::npos) << file(server);
    EXPECT_EQ(file(server).find(secret), file(server).rfind(secret)) << "it is on no command line";
  }
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
  EXPECT_EQ(shell("stat -c %a d/w0/config.conf d/coordinator/config.conf").out, "600\n600\n");
  const std::string joins = "internal-communication.shared-secret=";
  ASSERT_NE(worker.find(joins), std::string::npos) << worker;
  EXPECT_NE(coordinator.find(worker.substr(worker.find(joins), joins.size() + 32)), std::string::npos);
  EXPECT_NE(file("said").find("every user who reaches its port"), std::string::npos) << file("said");
  for (const char* line : {"coordinator=false\n", "http-server.http.port=21820\n", "node.id=w0\n",
                           "discovery.uri=http://127.0.0.1:21822\n"}) {
    EXPECT_NE(worker.find(line), std::string::npos) << line << worker;
  }
  for (const char* line :
       {"coordinator=true\n", "http-server.http.port=21822\n", "node.id=coordinator\n", "query.min-expire-age=10s\n",
        "node-scheduler.include-coordinator=false\n", "node.bind-ip=127.0.0.1\n"}) {
    EXPECT_NE(coordinator.find(line), std::string::npos) << line << coordinator;
  }
  EXPECT_EQ(worker.find("node.data-dir"), std::string::npos) << "only the launcher knows it, and Trino refuses it";
  EXPECT_EQ(file("d/w0/tpch.properties"), "connector.name=tpch\ntpch.column-naming=STANDARD\n");
}

// A server of llama.cpp, played: it answers as that does when the model is loaded.
TEST_F(Deployment, OfLlamaServersIsGivenThreadsCpusAndTheModel) {
  given("llama-server",
        "#!/bin/sh\necho \"$*\" >words\nexec python3 -c '\nimport http.server as h, sys\n"
        "class H(h.BaseHTTPRequestHandler):\n  def do_GET(self):\n    self.send_response(200 if self.path == "
        "\"/health\" else 404); self.end_headers(); self.wfile.write(b\"{\\\"status\\\":\\\"ok\\\"}\")\n"
        "h.HTTPServer((\"127.0.0.1\", int(sys.argv[1])), H).serve_forever()\n' \"$6\"\n");
  shell("chmod +x llama-server");
  const std::string port = std::to_string(32000 + getpid() % 500 * 2);
  ASSERT_EQ(up("--target llama --model /m.gguf --cpus 0 --port " + port, 1, "PATH=$PWD:$PATH").exit_code, 0)
      << file("said");
  expect_that_status_sees_a_stop();
  EXPECT_EQ(file("d/w0/words"),
            "--model /m.gguf --host 127.0.0.1 --port " + port +
                " --threads 1 --threads-batch 1 --cpu-mask 1 --cpu-strict 1 --alias w0 --no-mmap\n");
  EXPECT_EQ(charm("deploy verify --dir d").exit_code, 0);
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  expect_refused("deploy up --dir d --target llama --cpus 0", {"needs the model", "--model"});
  expect_refused("deploy up --dir d --target llama --model m --cpus 0", {"llama is not installed", "llama-server"},
                 "CHARM_ENGINES=none");
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

// A real library, which scripts/engines has fetched.
TEST_F(Deployment, OfDuckdbHasAnInstanceForEachWorkerThatAnswersAndKeepsItsData) {
  if (shell("python3 -c '' && test -e "
            "\"${CHARM_ENGINES:-${XDG_DATA_HOME:-$HOME/.local/share}/charm/engines}/duckdb_python/"
            "version\"")
          .exit_code != 0) {
    GTEST_SKIP() << "no DuckDB here (scripts/engines duckdb_python), or no python3";
  }
  const std::string options = "--target duckdb --policy wic --reserve 1G --port 22100";
  const int workers = static_cast<int>(
      Json::parse(shell("'" CHARM_TOOL "' deploy plan --policy wic --json").out, nullptr, false)["workers"].size());
  ASSERT_EQ(up(options, workers).exit_code, 0) << file("said") << file("d/w0/log");
  given("ask",
        "import http.client, socket, sys\n"
        "c = http.client.HTTPConnection('instance')\n"
        "c.sock = socket.socket(socket.AF_UNIX); c.sock.connect('d/' + sys.argv[1] + '/socket')\n"
        "c.request('POST', '/', sys.argv[2]); r = c.getresponse(); print(r.status, r.read().decode(), end='')\n");
  const auto ask = [&](const std::string& worker, const std::string& sql) {
    return shell("python3 ask " + worker + " \"" + sql + "\"").out;
  };
  const Said awake =
      waiting("answered() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'w0 .* yes'; }\nawait answered");
  ASSERT_EQ(awake.exit_code, 0) << file("d/w0/log");
  expect_that_status_sees_a_stop();
  EXPECT_EQ(ask("w0", "CREATE TABLE t AS SELECT range AS i FROM range(1000)"),
            "200 {\"columns\": [\"Count\"], \"types\": [\"BIGINT\"], \"rows\": [[\"1000\"]]}\n");
  EXPECT_EQ(
      ask("w0", "SELECT sum(i) AS s, NULL AS n FROM t"),
      "200 {\"columns\": [\"s\", \"n\"], \"types\": [\"HUGEINT\", \"INTEGER\"], \"rows\": [[\"499500\", null]]}\n");
  EXPECT_EQ(ask("w0", "SELECT current_setting('threads') AS c"),
            "200 {\"columns\": [\"c\"], \"types\": [\"BIGINT\"], \"rows\": [[\"1\"]]}\n");
  EXPECT_EQ(ask("w0", "SELECT nothing").substr(0, 14), "400 {\"error\": ");
  if (workers > 1) {
    EXPECT_EQ(ask("w1", "FROM t").substr(0, 3), "400") << "its database is another one";
  }
  EXPECT_EQ(shell("stat -c %a d/w0/socket d/w0/data.duckdb").out, "700\n600\n") << "others can do nothing";
  const Said said = charm("deploy verify --dir d");
  EXPECT_EQ(said.exit_code, 0) << said.out;
  ASSERT_EQ(shell("kill -9 $(cat up)").exit_code, 0);
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  ASSERT_EQ(up(options, workers).exit_code, 0) << file("said");
  waiting("answered() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'w0 .* yes'; }\nawait answered");
  EXPECT_EQ(ask("w0", "SELECT count(*) AS c FROM t"),
            "200 {\"columns\": [\"c\"], \"types\": [\"BIGINT\"], \"rows\": [[\"1000\"]]}\n");
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
}

// What the instance answers, against DuckDB's own client (types, errors, clients that go): duckdb_instance.py there.
TEST_F(Deployment, OfDuckdbAnswersAsDuckdbDoesAndLeavesNothingRunning) {
  const Said said = shell("python3 '" CHARM_SOURCE "/tests/deploy/duckdb_instance.py' '" CHARM_SOURCE
                          "/src/tools/deploy/targets/duckdb_instance.py'");
  if (said.exit_code == 77) GTEST_SKIP() << said.out;
  EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
}

class Ranks : public Deployment {
 protected:
  void SetUp() override {
    if (shell("mpirun --version 2>/dev/null | grep -q 'Open MPI'").exit_code != 0) GTEST_SKIP() << "no Open MPI here";
    if (shell("command -v numactl").exit_code != 0) GTEST_SKIP() << "no numactl here, which binds the ranks' memory";
    const Said planned = shell("'" CHARM_TOOL "' deploy plan --policy wic --json");
    ranks_ = static_cast<int>(Json::parse(planned.out, nullptr, false)["workers"].size());
  }
  [[nodiscard]] Said up_with(const std::string& exec, const std::string& more = "") const {
    return up("--target openmpi --policy wic --restart-delay 0.05 --exec '" + exec + "' " + more, ranks_ + 1);
  }
  int ranks_ = 0;
};

TEST_F(Ranks, AreBoundByMpirunAndVerifiedEach) {
  ASSERT_EQ(up_with("sh -c \"echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE; exec sleep 1000\"").exit_code, 0)
      << file("said") << file("d/coordinator/log");
  for (int i = 0; i < ranks_; ++i) {
    EXPECT_EQ(file("d/w" + std::to_string(i) + "/log"),
              "rank " + std::to_string(i) + " of " + std::to_string(ranks_) + "\n");
  }
  const Said said = charm("deploy verify --dir d");
  EXPECT_EQ(said.exit_code, 0) << said.out;
  EXPECT_NE(said.out.find("w0           yes            1        1  0 "), std::string::npos) << said.out;
  const Json json = status();
  EXPECT_EQ(json["workers"][0]["worker"], "coordinator");
  const std::string rank = std::to_string(pid(1));
  EXPECT_EQ(shell("grep Cpus_allowed_list /proc/" + rank + "/status").out,
            "Cpus_allowed_list:\t" + json["workers"][1]["cpus"].get<std::string>() + "\n");
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_FALSE(runs(std::stoi(rank)));
}

TEST_F(Ranks, StartAgainTogetherWhenOneFails) {
  ASSERT_EQ(up_with("sleep 1000").exit_code, 0) << file("said") << file("d/coordinator/log");
  const int first = pid(1), other = pid(static_cast<std::size_t>(ranks_));
  shell("kill -9 " + std::to_string(first));
  const Said again =
      waiting("again() { test \"$('" CHARM_TOOL "' deploy status --dir d --json | grep -c '\"restarts\": 1')\" = " +
              std::to_string(ranks_ + 1) + " && '" CHARM_TOOL "' deploy status --dir d >/dev/null; }\nawait again");
  EXPECT_EQ(again.exit_code, 0) << again.err << file("said");
  EXPECT_FALSE(runs(other));
  EXPECT_NE(pid(1), first);
  EXPECT_EQ(charm("deploy verify --dir d").exit_code, 0);
}

TEST_F(Ranks, AreEndedAfterTheSupervisorWasKilled) {
  ASSERT_EQ(up_with("sleep 1000").exit_code, 0) << file("said") << file("d/coordinator/log");
  const int mpirun = pid(0), rank = pid(1);
  ASSERT_EQ(shell("kill -9 $(cat up)").exit_code, 0);
  EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
  EXPECT_FALSE(runs(mpirun));
  EXPECT_FALSE(runs(rank));
}

TEST_F(Ranks, ThatAllFinishEndTheDeployment) {
  const Said said = charm("deploy up --dir d --target openmpi --policy wic --exec 'true'");
  EXPECT_EQ(said.exit_code, 0) << said.err << file("d/coordinator/log");
}

}  // namespace
}  // namespace charm::cli::test
