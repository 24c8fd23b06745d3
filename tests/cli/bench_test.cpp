// `charm bench` from end to end, on inputs small enough to be quick: what it prints, what it refuses, what it leaves.
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "cli/tool.hpp"

namespace {

using charm::test::has;

class BenchTest : public charm::cli::test::Tool {};

TEST_F(BenchTest, RunsEveryKernelOnEveryRuntimeAndVerifiesThem) {
  const auto said = charm("bench graph --scale 7 --trials 1 --workers 1 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  std::set<std::string> kernels;
  std::set<std::string> runtimes;
  for (const auto& r : json.at("results")) {
    kernels.insert(r.at("kernel"));
    runtimes.insert(r.at("runtime"));
    EXPECT_EQ(r.at("verified"), true) << r;
    EXPECT_GT(r.at("median_s").get<double>(), 0) << r;
    EXPECT_LE(r.at("min_s"), r.at("median_s"));
    EXPECT_LE(r.at("median_s"), r.at("max_s"));
    EXPECT_GT(r.at("rate").get<double>(), 0) << r;
    EXPECT_EQ(r.at("unit"), "MTEPS");
    EXPECT_GT(r.at("peak_rss_bytes").get<std::uint64_t>(), 0U);
    EXPECT_EQ(r.at("workers"), 1);
    EXPECT_EQ(r.at("policy") == "none", r.at("runtime") != "charm");
    EXPECT_TRUE(has(r.at("input"), "128 vertices")) << r.at("input");
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"bfs", "pr", "cc", "sssp", "bc", "tc", "graph500"}));
  EXPECT_TRUE(runtimes.contains("charm") && runtimes.contains("serial"));
  EXPECT_EQ(json.at("results").size(), kernels.size() * runtimes.size());
  EXPECT_GT(json.at("host").at("cpus"), 0);
}

/// A program that notes how it was called and prints what the real one was recorded to print.
std::string pretending(const std::string& prints) {
  return "#!/bin/sh\necho \"$0 $*; OMP_NUM_THREADS=$OMP_NUM_THREADS $SHL_CPU_AFFINITY\" >> called\n" + prints;
}

/// The rows of a peer in what `charm bench --json` printed.
std::vector<nlohmann::json> rows_of(const std::string& out, const std::string& runtime) {
  const auto json = nlohmann::json::parse(out);
  std::vector<nlohmann::json> rows;
  for (const auto& row : json.at("results")) {
    if (row.at("runtime") == runtime) rows.push_back(row);
  }
  return rows;
}

TEST_F(BenchTest, RunsGapbsAsARowOfItsOwn) {
  const std::string recorded =
      "case \"$*\" in *-v*) v='Verification:           PASS';; esac\n"
      "printf 'Generate Time:       0.00284\\nTrial Time:          0.00900\\n%s\\nTrial Time:          0.00050\\n"
      "%s\\nAverage Time:        0.00475\\n' \"$v\" \"$v\"\n";
  given("gapbs/bfs", pretending("test -s \"$2\" || exit 9\n" + recorded));
  given("gapbs/sssp", pretending("test -s \"$2\" || exit 9\n" + recorded));
  shell("chmod +x gapbs/*");
  const auto said = charm(
      "bench graph --scale 7 --kernel bfs,sssp --runtime charm --workers 2 --trials 3 --json -q --peer gapbs=gapbs");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto rows = rows_of(said.out, "gapbs");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("seconds"), (std::vector<double>{.0005, .0005, .0005})) << "the second trial, which is warm";
    EXPECT_EQ(row.at("verified"), true);
    EXPECT_TRUE(has(row.at("detail").get<std::string>(), "its own verification")) << row;
    EXPECT_EQ(row.at("program"), "gapbs");
  }
  const std::string called = file("called");
  EXPECT_TRUE(has(called, "/graph.sg -r ") && has(called, "/graph.wsg -r ")) << called;
  EXPECT_TRUE(has(called, "-n 2 -v; OMP_NUM_THREADS=2")) << called;
  EXPECT_EQ(shell("mkdir tmp && TMPDIR=$PWD/tmp '" CHARM_TOOL "' bench graph --scale 6 --kernel bfs --runtime charm -q "
                  "--trials 1 --peer gapbs=gapbs > out && grep -c gapbs out && ls tmp")
                .out,
            "1\n")
      << "the folder is gone";
  const auto text = charm("bench graph --scale 7 --kernel bfs --runtime charm --workers 1 -q --peer gapbs=gapbs/bfs");
  EXPECT_TRUE(has(text.out, "bfs: charm adaptive takes ") && has(text.out, " times as long as gapbs (95 %: "))
      << text.out;

  given("gapbs/bfs", pretending("echo Trial Time: 0.1; echo 'Verification:           FAIL'\n"));
  const auto wrong = charm("bench graph --scale 7 --kernel bfs --runtime charm -q --trials 1 --peer gapbs=gapbs");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(has(wrong.err, "bfs on gapbs gave a wrong answer")) << wrong.err;
}

TEST_F(BenchTest, RunsParsecsAndShoalsStreamclusterAsRows) {
  // Two centres whose weights are those of all points.
  const std::string answer = "printf '3\\n90\\n.5 .5 .5 .5\\n\\n7\\n38\\n.1 .2 .3 .4\\n\\n' > \"$8\"\n";
  given("parsec", pretending("test $(wc -c < \"$7\") = 2048 || exit 9\n" + answer));
  given("hooks", pretending(answer + "echo '[HOOKS] Total time spent in ROI: 0.250s'\n"));
  given("shoal", pretending(answer + "echo 'Runtime: 125.5'\n"));
  shell("chmod +x parsec hooks shoal");
  const std::string bench =
      "bench streamcluster --points 128 --dimensions 4 --chunk 128 --runtime charm --workers 1 -q ";
  const auto said = charm(bench + "--trials 2 --json --peer parsec=parsec --peer shoal=shoal");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto parsec = rows_of(said.out, "parsec").at(0), shoal = rows_of(said.out, "shoal").at(0);
  EXPECT_EQ(parsec.at("verified"), true) << parsec;
  EXPECT_TRUE(has(parsec.at("detail").get<std::string>(), "2 centres; time of the whole process")) << parsec;
  EXPECT_EQ(shoal.at("seconds"), (std::vector<double>{.1255, .1255}));
  EXPECT_TRUE(has(file("called"), "parsec 10 20 4 0 128 1000 ")) << file("called");
  EXPECT_TRUE(has(file("called"), "OMP_NUM_THREADS=1 0-0")) << "SHOAL is told its cpus: " << file("called");
  const auto hooks = charm(bench + "--trials 1 --json --peer parsec=hooks");
  EXPECT_EQ(rows_of(hooks.out, "parsec").at(0).at("seconds"), (std::vector<double>{.25}));

  given("parsec", pretending("printf '3\\n90\\n.5 .5 .5 .5\\n' > \"$8\"\n"));
  const auto lost = charm(bench + "--trials 1 --peer parsec=parsec");
  EXPECT_EQ(lost.exit_code, 1) << "38 points have no centre";
  EXPECT_TRUE(has(lost.err, "streamcluster on parsec gave a wrong answer")) << lost.err;
}

TEST_F(BenchTest, RunsDimmWittedAsARow) {
  given("dw", pretending("grep -q '^[+-]1 1:' \"$7\" || exit 9\n"
                         "printf '[DimmWitted FUNC=1] TIME=  9.5 secs THROUGHPUT= 1 GB/sec.\\nloss=0.693\\n"
                         "[DimmWitted FUNC=0] TIME=8 secs\\n[DimmWitted FUNC=1] TIME=0.00395 secs\\nloss=0.618\\n"
                         "[DimmWitted FUNC=0] TIME= 0.004 secs THROUGHPUT= 0.016 GB/sec.\\n'\n"));
  shell("chmod +x dw");
  const std::string bench =
      "bench sgd --rows 64 --features 8 --runtime charm --workers 1 --trials 2 -q --peer dimmwitted=dw --kernel ";
  const auto said = charm(bench + "loss,sgd-machine --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto rows = rows_of(said.out, "dimmwitted");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.at(0).at("seconds"), (std::vector<double>{.00395, .00395})) << "the first pass warms up";
  const auto descent = rows_of(said.out, "charm").at(1);
  const double passes = rows.at(1).at("seconds").at(0).get<double>() / .004;
  EXPECT_GE(passes, 1) << "as many updates of all rows as CHARM made";
  EXPECT_NEAR(passes, std::round(passes), 1e-6);
  EXPECT_GT(descent.at("rate").get<double>(), 0);
  EXPECT_TRUE(has(rows.at(0).at("detail").get<std::string>(), "loss 0.693 to 0.618 in 2 passes; time of 1"))
      << rows.at(0);
}

TEST_F(BenchTest, SaysWhatIsWrongWithAPeer) {
  given("silent", pretending("echo nothing of interest\n"));
  given("broken", pretending("echo 'error opening points' >&2; exit 3\n"));
  shell("chmod +x silent broken");
  const std::string graph = "bench graph --scale 6 --kernel bfs --runtime charm -q --trials 1 ";
  expect_refused(graph + "--peer parsec=silent", {"'parsec' is none that graph can call", "gapbs=PROGRAM"});
  expect_refused(graph + "--peer gapbs", {"'gapbs' has no program", "gapbs=PROGRAM"});
  expect_refused(graph + "--peer gapbs=a --peer gapbs=b", {"'gapbs' is named twice"});
  expect_refused("bench graph --kernel graph500 --peer gapbs=a", {"none of the kernels graph500", "bfs"});
  for (const auto& [program, words] : {std::pair{"/nowhere/bfs", "no program '/nowhere/bfs'"},
                                       {"silent", "printed 0 of 1 lines"},
                                       {"broken", "exit code 3: error opening points"}}) {
    const auto said = charm(graph + "--peer gapbs=" + program);
    EXPECT_NE(said.exit_code, 0) << program;
    EXPECT_TRUE(has(said.err, words)) << said.err;
  }
}

TEST_F(BenchTest, MakesARowForEachPolicyWithTheCoresOfItsWorkers) {
  const auto said = charm(
      "bench graph --scale 6 --kernel bfs --runtime charm --policy local,distributed,os --workers 1 --trials 2 --json "
      "-q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json.at("results").size(), 3U);
  ASSERT_EQ(json.at("placements").size(), 3U);
  EXPECT_EQ(json.at("results").at(1).at("policy"), "distributed");
  EXPECT_EQ(json.at("results").at(0).at("seconds").size(), 2U);
  EXPECT_GE(json.at("placements").at(0).at("worker_cores").at(0).at("cpu"), 0);
  EXPECT_EQ(json.at("placements").at(2).at("worker_cores").at(0).at("cpu"), -1);
}

TEST_F(BenchTest, LeavesOutAKernelThatCannotDoTheInputUnlessItWasAskedFor) {
  std::string path;
  for (int i = 0; i < 4; ++i) path += std::to_string(i) + " " + std::to_string(i + 1) + " 2147483647\n";
  given("far.el", path);
  const auto all = charm("bench graph --file far.el --trials 1 --workers 1 --runtime serial");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(has(all.err, "sssp is left out: sssp: vertex")) << all.err;
  EXPECT_TRUE(has(all.err, "32 bits")) << all.err;
  EXPECT_TRUE(has(all.out, "bfs"));
  const auto asked = charm("bench graph --file far.el --kernel sssp --trials 1 --workers 1 --runtime serial");
  EXPECT_EQ(asked.exit_code, 2) << asked.err;
  EXPECT_TRUE(has(asked.err, "32 bits")) << asked.err;
}

TEST_F(BenchTest, ARefusedRunLeavesNoTraceBehind) {
  given("bad.el", "0 x\n");
  const std::string run = "bench graph --runtime charm --workers 1 --file bad.el";
  EXPECT_EQ(charm(run, "CHARM_TRACE=trace.json").exit_code, 2);
  EXPECT_EQ(files(), std::vector<std::string>{"bad.el"});
  given("trace.json", "mine");
  EXPECT_EQ(charm(run, "CHARM_TRACE=trace.json").exit_code, 2);
  EXPECT_EQ(file("trace.json"), "mine") << "one that was there stays as it was";
}

/// One worker on each of two chiplets that are described: both, or one of them, may be used.
TEST_F(BenchTest, RepeatsATrialForSomeTimeAndTellsHowOftenTheControllerDecided) {
  const auto said = charm(
      "bench graph --scale 6 --kernel bfs --runtime charm --policy adaptive,local --workers 2 --trials 2 "
      "--trial-seconds .05 --json -q",
      "CHARM_TOPOLOGY='pack:1 l3:2 core:2 pu:1'");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto results = nlohmann::json::parse(said.out).at("results");
  ASSERT_EQ(results.size(), 2U);
  for (const auto& row : results) {
    EXPECT_EQ(row.at("seconds").size(), 2U) << "one for each trial, however often it ran";
    EXPECT_LT(row.at("max_s"), .05) << "the mean of its runs";
    EXPECT_EQ(row.contains("decisions"), row.at("policy") == "adaptive");
  }
  expect_refused("bench graph --trial-seconds 0", {"--trial-seconds"});
}

TEST_F(BenchTest, UpdatesATable) {
  const auto said = charm("bench gups --scale 12 --trials 2 --workers 1 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  for (const auto& r : json.at("results")) {
    EXPECT_EQ(r.at("kernel"), "gups");
    EXPECT_EQ(r.at("unit"), "GUP/s");
    EXPECT_EQ(r.at("verified"), true);
  }
}

TEST_F(BenchTest, CommitsTransactionsOrSaysWhatToInstall) {
  const auto said = charm(
      "bench oltp --kernel ycsb-a,ycsb-e --records 300 --data . --duration .05 --warm-up 0 --trials 2 --workers 1 "
      "--json -q");
  if (has(said.err, "libwiredtiger-dev")) {
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_EQ(said.out, "");
    GTEST_SKIP() << said.err;
  }
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json.at("results").size(), 4U);
  for (const auto& r : json.at("results")) {
    EXPECT_EQ(r.at("verified"), true) << r;
    EXPECT_EQ(r.at("unit"), "ktx/s");
    EXPECT_EQ(r.at("commits").size(), 2U);
    EXPECT_LE(r.at("latency_s").at("p50"), r.at("latency_s").at("p99.9"));
    EXPECT_EQ(r.at("given_up"), 0);
    EXPECT_TRUE(has(r.at("input"), "300 records of 24 + 100 bytes")) << r.at("input");
  }
  const auto refused = charm("bench oltp --data none");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "there is no folder 'none'")) << refused.err;
}

TEST_F(BenchTest, DescendsOnGeneratedSamplesWithEveryReplication) {
  const auto said =
      charm("bench sgd --rows 300 --features 20 --density .5 --trials 1 --workers 1 --report o.html --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::set<std::string> kernels;
  const auto json = nlohmann::json::parse(said.out);
  for (const auto& r : json.at("results")) {
    kernels.insert(r.at("kernel"));
    EXPECT_EQ(r.at("unit"), "GB/s");
    EXPECT_EQ(r.at("verified"), true) << r;
    EXPECT_GT(r.at("rate").get<double>(), 0) << r;
    EXPECT_TRUE(has(r.at("input"), "300 rows of 20 features, sparse")) << r.at("input");
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"loss", "gradient", "sgd-core", "sgd-chiplet", "sgd-node", "sgd-machine"}));
  EXPECT_TRUE(has(file("o.html"), "a replica per chiplet"));
  const auto by_column =
      charm("bench sgd --rows 300 --features 20 --trials 1 --workers 2 --kernel sgd-column --json -q");
  ASSERT_EQ(by_column.exit_code, 0) << by_column.err;
  for (const auto& r : nlohmann::json::parse(by_column.out).at("results")) EXPECT_EQ(r.at("verified"), true) << r;
}

TEST_F(BenchTest, RefusesWhatWouldBeIgnored) {
  expect_refused("bench sgd --rows 64 --features 8 --scale none", {"--scale", "--file"});
  expect_refused("bench sgd --rows 64 --features 8 --l2 0", {"--l2"});
  expect_refused("bench olap --query q23", {"--query", "'q23'", "q22"});
  expect_refused("bench olap --tables . --scale 1", {"--tables", "--scale"});
  expect_refused("bench olap --queries /nowhere", {"/nowhere"});
  expect_refused("bench olap --tables ''", {"--tables"});
}

TEST_F(BenchTest, DescendsOnSamplesFromAFile) {
  given("s.svm", "+1 1:2 2:1\n-1 1:-2 2:1\n+1 1:3\n-1 1:-1\n");
  const auto said = charm("bench sgd --file s.svm --trials 1 --runtime serial --update locked --json -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(nlohmann::json::parse(said.out).at("input").at("description"), "s.svm"));
  const auto short_of =
      charm("bench sgd --rows 300 --features 90 --epochs 1 --target .001 --trials 1 --runtime serial -q");
  EXPECT_EQ(short_of.exit_code, 1);
  EXPECT_TRUE(has(short_of.err, "take more --epochs")) << short_of.err;
}

TEST_F(BenchTest, RefusesBadSamplesAndBadOptionsOfSgd) {
  given("bad.svm", "+1 1:2\n-1 1:nan\n");
  expect_refused("bench sgd --file bad.svm --runtime serial --report out.html -q", {"bad.svm:2", "nan"});
  given("ragged.svm", "+1 1:2 2:3\n-1 2:1 1:4\n");
  expect_refused("bench sgd --file ragged.svm --runtime serial --json -q", {"ragged.svm:2", "ascending"});
  expect_refused("bench sgd --file nowhere.svm -q", {"nowhere.svm", "LIBSVM"});
  expect_refused("bench sgd --file . -q", {"folder", "LIBSVM"});
  expect_refused("bench sgd --file bad.svm --rows 5", {"--rows", "--file"});
  expect_refused("bench sgd --file bad.svm --density .5", {"--density", "--file"});
  expect_refused("bench sgd --rows 1", {"--rows"});
  expect_refused("bench sgd --features 0", {"--features"});
  for (const char* density : {"0", "-1", "1.5", "nan", "x"}) {
    expect_refused(std::string("bench sgd --density=") + density, {"--density"});
  }
  expect_refused("bench sgd --update wild", {"--update", "wild", "hogwild"});
  expect_refused("bench sgd --kernel bfs", {"--kernel", "bfs", "sgd-node"});
  expect_refused("bench sgd --target 0", {"--target"});
  expect_refused("bench sgd --epochs 0", {"--epochs"});
  expect_refused("bench sgd --scale 5", {"--scale"});
  expect_refused("bench sgd --rows 2000000000 --features 2000000000", {"memory", "available", "--features"});
}

/// A build without SuiteSparse says what to install.
class FactorTest : public BenchTest {
 protected:
  void SetUp() override {
    if (!has(charm("bench factor --matrix arrow --size 4 --trials 1 --runtime serial -q").err, "libsuitesparse-dev"))
      return;
    expect_refused("bench factor --size 4 --json -q", {"libsuitesparse-dev", "scripts/setup factor"});
    GTEST_SKIP() << "this build has no factorisations";
  }
};

TEST_F(FactorTest, RunsEveryKernelOfAFullMatrixOnEveryRuntimeAndSchedule) {
  const auto said = charm(
      "bench factor --matrix dense-spd --size 40 --tile 16 --trials 2 --workers 1 --bind none --schedule "
      "stream,batch --report o.html --json -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  const auto json = nlohmann::json::parse(said.out);
  std::set<std::string> kernels;
  std::set<std::string> rows;
  for (const auto& r : json.at("results")) {
    kernels.insert(r.at("kernel"));
    rows.insert(r.at("runtime").get<std::string>() + " " + r.value("bind", "") + " " + r.value("schedule", ""));
    EXPECT_EQ(r.at("verified"), true) << r;
    EXPECT_EQ(r.at("unit"), "Gflop/s");
    EXPECT_GT(r.at("rate").get<double>(), 0) << r;
    EXPECT_EQ(r.at("page_faults").size(), 2U);
    EXPECT_TRUE(has(r.at("input"), "dense-spd: 40 rows and columns")) << r.at("input");
    if (r.contains("schedule")) {
      EXPECT_TRUE(has(r.at("detail"), r.at("schedule"))) << r;
    }
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"gemm", "cholesky", "lu", "qr", "lq"}));
  for (const char* row : {"charm none stream", "charm none batch", "serial  "}) {
    EXPECT_TRUE(rows.contains(row)) << row;
  }
  EXPECT_TRUE(has(file("o.html"), "Cholesky factorisation"));
}

TEST_F(FactorTest, LeavesOutWhatDoesNotFitTheMatrixUnlessItWasAskedFor) {
  given("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2\n2 2 1\n3 1 1\n3 2 -1\n");
  const auto said = charm("bench factor --file a.mtx --runtime serial --trials 1 --json -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json.at("results").size(), 1U);
  EXPECT_EQ(json.at("results").at(0).at("kernel"), "qr");
  EXPECT_TRUE(has(json.at("host").at("notes").dump(), "cholesky is left out: cholesky: a.mtx is not square"));
  expect_refused("bench factor --file a.mtx --kernel qr,lu --report o.html -q", {"a.mtx is not square", "3 rows"});
}

TEST_F(FactorTest, RefusesBadMatricesWithoutAnyResult) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  given("nan.mtx", head + "2 2 2\n1 1 nan\n2 2 1\n");
  given("ragged.mtx", head + "2 2 2\n1 1 1\n2 2\n");
  given("singular.mtx", head + "2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n");
  given("indefinite.mtx", head + "2 2 2\n1 1 1\n2 2 -1\n");
  expect_refused("bench factor --file nan.mtx --json -q", {"nan.mtx:3", "'nan'"});
  expect_refused("bench factor --file ragged.mtx --report o.html -q", {"ragged.mtx:4", "no value"});
  expect_refused("bench factor --file singular.mtx --kernel lu -q", {"lu: singular.mtx is singular"});
  expect_refused("bench factor --file singular.mtx -q", {"cholesky: singular.mtx is not positive definite"});
  expect_refused("bench factor --file indefinite.mtx --kernel lu,cholesky -q",
                 {"indefinite.mtx is not positive definite"});
  expect_refused("bench factor --file nowhere.mtx -q", {"nowhere.mtx", "Matrix Market"});
  expect_refused("bench factor --file . -q", {"folder", "Matrix Market"});
  expect_refused("bench factor --file nan.mtx --size 5", {"--size", "--file"});
  expect_refused("bench factor --matrix hilbert", {"--matrix", "hilbert", "laplace2d"});
  expect_refused("bench factor --kernel svd", {"--kernel", "svd", "cholesky"});
  expect_refused("bench factor --bind socket", {"--bind", "socket", "chiplet"});
  expect_refused("bench factor --size 9 --schedule random -q", {"random"});
  expect_refused("bench factor --size 9 --schedule tree:nowhere.json -q", {"nowhere.json"});
  expect_refused("bench factor --tile 4", {"--tile"});
  expect_refused("bench factor --matrix dense --size 2000000", {"--size 2000000", "smaller"});
}

TEST_F(BenchTest, PrintsATableAndItsProgressApartFromIt) {
  const auto said = charm("bench graph --scale 6 --kernel bfs --runtime serial --trials 1");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "median") && has(said.out, "MTEPS") && has(said.out, "yes")) << said.out;
  EXPECT_TRUE(has(said.err, "bfs")) << said.err;
  EXPECT_FALSE(has(said.err, "\x1b")) << "stderr is a file";
}

TEST_F(BenchTest, ReadsAGraphFromAFile) {
  given("path.el", "# a path\n0 1\n1 2\n2 3\n");
  const auto said = charm("bench graph --file path.el --undirected --trials 1 --runtime serial --json -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(nlohmann::json::parse(said.out).at("input").at("description"), "path.el"));
}

TEST_F(BenchTest, WritesAReportAndNothingElse) {
  const auto said = charm("bench graph --scale 6 --kernel bfs --trials 1 --workers 1 --report out.html");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(files(), std::vector<std::string>{"out.html"});
  EXPECT_TRUE(has(said.out, "out.html"));
  const std::string page = file("out.html");
  EXPECT_TRUE(has(page, "<svg") && has(page, "</html>") && has(page, "--report out.html"));
}

TEST_F(BenchTest, RefusesBadGraphFilesAndLeavesNoReport) {
  struct Bad {
    const char* content;
    const char* says;
  };
  const Bad bad[] = {
      {"", "graph.el"},
      {"0 1\n1 x\n", "graph.el:2"},
      {"0 1\n1\n", "graph.el:2"},
      {"0 -1\n", "graph.el:1"},
      {"0 9223372036854775808\n", "graph.el:1"},
      {"0 99999999999999999999999\n", "graph.el:1"},
      {"0 1 2 3 4\n", "graph.el:1"},
      {"\x1f\x8b\x08\x00\x00", "graph.el"},
  };
  for (const auto& [content, says] : bad) {
    given("graph.el", content);
    expect_refused("bench graph --file graph.el --kernel bfs --runtime serial --trials 1 --report out.html -q", {says});
  }
  expect_refused("bench graph --file nowhere.el --report out.html -q", {"nowhere.el"});
  expect_refused("bench graph --file . --report out.html -q", {"folder"});
}

TEST_F(BenchTest, RefusesBadOptionsBeforeAnythingRuns) {
  for (const char* scale : {"0", "-3", "99", "x", "1e3", "18446744073709551617"}) {
    expect_refused(std::string("bench graph --scale=") + scale, {"--scale", scale});
  }
  expect_refused("bench graph --kernel bfs,tsp", {"--kernel", "tsp", "sssp"});
  expect_refused("bench graph --order alphabetical", {"--order", "alphabetical", "rcm"});
  expect_refused("bench graph --source -1", {"--source", "-1"});
  expect_refused("bench graph --scale 5 --kernel bfs --source 32 --runtime serial -q", {"32", "0 to 31"});
  expect_refused("bench graph --output answer.txt", {"--output", "one kernel", "--kernel"});
  expect_refused("bench graph --kernel graph500 --output answer.txt", {"--output", "graph500"});
  expect_refused("bench graph --scale 5 --kernel bfs --output no/folder/answer.txt --runtime serial -q", {"no/folder"});
  expect_refused("bench graph --runtime cilk", {"--runtime", "cilk", "charm"});
  expect_refused("bench graph --policy scatter", {"--policy", "scatter", "distributed"});
  expect_refused("bench graph --policy local/stealing=far", {"stealing", "'far'", "near or random"});
  expect_refused("bench graph --policy local/steeling=near", {"steeling"});
  expect_refused("bench graph --workers 0", {"--workers"});
  expect_refused("bench graph --workers 60000", {"60000 workers", "allowed core"});
  expect_refused("bench graph --trials 0", {"--trials"});
  expect_refused("bench graph --scale 5 --file graph.el", {"--scale", "--file"});
  expect_refused("bench graph --runtime serial --policy local", {"--policy", "--runtime"});
  expect_refused("bench gups --scale 40", {"--scale 40", "memory"});
  expect_refused("bench gups --kernel bfs", {"--kernel"});
}

TEST_F(BenchTest, WritesTheAnswerInTheNumbersOfTheFile) {
  const charm::test::Folder folder;
  const std::string input = folder.file("path.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n");
  const std::string output = folder.path() + "/distances.txt";
  const auto said = charm("bench graph --file " + input +
                          " --kernel sssp --source 0 --order zigzag --runtime serial --trials 2 -q --output " + output);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::ifstream file(output);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "# sssp from 0: vertex distance\n0 0\n1 5\n2 11\n");
}

TEST_F(BenchTest, RefusesAReportThatCannotBeWrittenBeforeAnythingRuns) {
  for (const char* path : {"no/folder/out.html", ".", "/dev/null", "/proc/out.html", "''"}) {
    expect_refused(std::string("bench graph --scale 6 --report ") + path, {});
  }
}

TEST_F(BenchTest, RefusesBadSettings) {
  expect_refused("bench graph --scale 6", {"scatter"}, "CHARM_POLICY=scatter");
  expect_refused("bench graph --scale 6", {"/nowhere.xml"}, "CHARM_TOPOLOGY=/nowhere.xml");
  expect_refused("bench graph --scale 6", {"workers", "many"}, "CHARM_WORKERS=many");
  expect_refused("bench graph --scale 6", {"/nowhere.conf"}, "CHARM_CONFIG=/nowhere.conf");
}

TEST_F(BenchTest, TakesTheMachineFromTheSettingsFileToo) {
  given("charm.conf", "topology = pack:1 l3:2 core:3 pu:1\n");
  const auto said =
      charm("bench graph --scale 6 --kernel bfs --runtime charm --trials 1 --json -q", "CHARM_CONFIG=charm.conf");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json.at("host").at("cores"), 6);
  EXPECT_EQ(json.at("placements").at(0).at("worker_cores").size(), 6U);
}

TEST_F(BenchTest, PlacesWorkersOnAMachineThatIsNotThere) {
  const auto said =
      charm("bench graph --scale 6 --kernel bfs --runtime charm --policy distributed --workers 4 --trials 1 --json -q",
            "CHARM_TOPOLOGY='pack:1 l3:4 core:4 pu:1'");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::set<int> chiplets;
  const auto json = nlohmann::json::parse(said.out);
  for (const auto& worker_core : json.at("placements").at(0).at("worker_cores"))
    chiplets.insert(worker_core.at("chiplet").get<int>());
  EXPECT_EQ(chiplets, (std::set<int>{0, 1, 2, 3}));
}

}  // namespace
