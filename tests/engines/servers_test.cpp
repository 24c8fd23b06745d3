// Engines whose workers are servers of their own (targets/server.hpp), as scripts/engines has fetched them: they come
// up bound, answer, are started again, and leave nothing. Those that are not there are left out.
#include <algorithm>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "deploy/deployment.hpp"

namespace charm::cli::test {
namespace {

class Servers : public Deployment {
 protected:
  /// Whether a program is on PATH or where scripts/engines puts it, and in the variable `program`.
  bool there(const std::string& engine, const std::string& names) {
    find_ = "e=${CHARM_ENGINES:-${XDG_DATA_HOME:-$HOME/.local/share}/charm/engines}\nPATH=$PATH:$e/" + engine +
            "/bin\nfor p in " + names + "; do program=$(command -v $p) && break; done\n";
    return shell(find_ + "test -n \"$program\"").exit_code == 0;
  }
  /// A worker for each core, on two of them at most.
  [[nodiscard]] std::string options(const std::string& target) {
    const Json all = Json::parse(charm("deploy plan --policy wic --json").out, nullptr, false)["workers"];
    workers_ = std::min<int>(static_cast<int>(all.size()), 2);
    std::string cpus;
    for (std::size_t w = 0; w < static_cast<std::size_t>(workers_); ++w)
      cpus += (w > 0 ? "," : "") + all[w]["cpus"].get<std::string>();
    return "--target " + target + " --policy wic --cpus " + cpus + " --restart-delay 0.2 --port " +
           std::to_string(port_);
  }
  void expect_bound() const {
    const Said verified = charm("deploy verify --dir d");
    EXPECT_EQ(verified.exit_code, 0) << verified.out;
  }
  /// \param where in the list of status.
  void kill_and_see_it_again(std::size_t where) {
    const int killed = pid(where);
    shell("kill -9 " + std::to_string(killed));
    const Said again =
        waiting("again() { '" CHARM_TOOL "' deploy status --dir d | grep -q 'running.* 1  signal 9'; }\nawait again");
    EXPECT_EQ(again.exit_code, 0) << again.err << file("said");
    EXPECT_EQ(await_answers().exit_code, 0) << file("status") << file("d/w0/log");
  }
  void down_leaves_nothing() {
    std::vector<int> all;
    for (std::size_t w = 0; w < status()["workers"].size(); ++w) all.push_back(pid(w));
    EXPECT_EQ(charm("deploy down --dir d").exit_code, 0);
    for (const int process : all) EXPECT_FALSE(runs(process)) << process;
  }

  int workers_ = 0;
  int port_ = 41000 + getpid() % 400 * 20;
  std::string find_;
};

TEST_F(Servers, OfValkeyKeepWhatTheyAreGiven) {
  if (!there("valkey", "valkey-cli redis-cli")) GTEST_SKIP() << "no Valkey here (scripts/engines valkey)";
  ASSERT_EQ(up(options("valkey"), workers_).exit_code, 0) << file("said") << file("d/w0/log");
  expect_that_status_sees_a_stop();
  const auto ask = [&](const std::string& command) {
    return shell(find_ + "REDISCLI_AUTH=$(cat d/w0/password) $program -s d/w0/socket " + command).out;
  };
  EXPECT_EQ(ask("set key value"), "OK\n");
  EXPECT_EQ(ask("config get maxmemory-policy"), "maxmemory-policy\nnoeviction\n");
  EXPECT_NE(shell(find_ + "$program -s d/w0/socket get key").out.find("NOAUTH"), std::string::npos);
  expect_bound();
  EXPECT_EQ(ask("save"), "OK\n");
  kill_and_see_it_again(0);
  EXPECT_EQ(ask("get key"), "value\n");
  expect_bound();
  down_leaves_nothing();
}

TEST_F(Servers, OfDaskComputeOnEveryWorker) {
  if (!there("dask", "dask")) GTEST_SKIP() << "no Dask here (scripts/engines dask)";
  if (shell("command -v openssl").exit_code != 0) GTEST_SKIP() << "no openssl";
  ASSERT_EQ(up(options("dask"), workers_ + 1).exit_code, 0) << file("said") << file("d/coordinator/log");
  ASSERT_EQ(await_answers().exit_code, 0) << file("status") << file("d/w0/log");
  const std::string scheduler = std::to_string(port_ + 2 * workers_);
  given("ask.py",
        "import os, sys, distributed\n"
        "client = distributed.Client('tls://127.0.0.1:" +
            scheduler +
            "', timeout=60)\n"
            "client.wait_for_workers(" +
            std::to_string(workers_) +
            ", timeout=60)\n"
            "total = client.submit(sum, client.map(lambda i: i * i, range(100))).result()\n"
            "masks = client.run(os.sched_getaffinity, 0)\n"
            "print(total, sorted(map(sorted, masks.values())))\n");
  const std::string python = find_ + ". d/coordinator/client.sh\nPYTHONPATH=$(dirname $program)/../packages ";
  std::string masks;
  for (int w = 0; w < workers_; ++w) {
    masks +=
        (w > 0 ? ", [" : "[") + status()["workers"][static_cast<std::size_t>(w) + 1]["cpus"].get<std::string>() + "]";
  }
  const Said said = shell(python + "timeout 100 python3 ask.py");
  EXPECT_EQ(said.out, "328350 [" + masks + "]\n") << said.err << file("d/w0/log");
  expect_bound();
  // Without the certificate nobody is admitted.
  EXPECT_NE(shell(find_ +
                  "PYTHONPATH=$(dirname $program)/../packages timeout 60 python3 -c \"import distributed; "
                  "distributed.Client('tcp://127.0.0.1:" +
                  scheduler + "', timeout=2)\"")
                .exit_code,
            0);
  kill_and_see_it_again(1);
  EXPECT_EQ(shell(python + "timeout 100 python3 ask.py").out, "328350 [" + masks + "]\n");
  down_leaves_nothing();
}

}  // namespace
}  // namespace charm::cli::test
