// What is read from benchmarks and recordings, what is said of the machine and its load, the file, and the pages.
#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "counters/recording.hpp"
#include "evaluate/pretended.hpp"
#include "tools/evaluate/host.hpp"
#include "tools/evaluate/json.hpp"
#include "tools/evaluate/live.hpp"
#include "tools/evaluate/page.hpp"

namespace charm::evaluate {
namespace {

using charm::test::has;
using namespace test;

TEST(BenchRows, AreNamedByKernelRuntimePolicyAndWorkers) {
  const auto rows = bench_rows(R"({"results": [{"kernel": "bfs", "runtime": "charm", "policy": "local", "workers": 2,
    "seconds": [0.5, 0.25], "verified": true}]})");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].name, "bfs charm local 2");
  EXPECT_EQ(rows[0].values, (std::vector<double>{0.5, 0.25}));
  EXPECT_FALSE(rows[0].more_is_better);
}

TEST(BenchRows, TellHowOftenTheControllerDecided) {
  const auto rows = bench_rows(R"({"results": [{"kernel": "bfs", "runtime": "charm", "policy": "adaptive",
    "workers": 2, "seconds": [0.5], "verified": true, "decisions": 3}]})");
  EXPECT_EQ(rows.at(0).decisions, 3U);
}

TEST(BenchRows, OfTransactionsAreCommitsASecond) {
  const auto rows = bench_rows(R"({"results": [{"kernel": "tpcc", "runtime": "charm", "policy": "local", "workers": 2,
    "seconds": [0.5, 0.5], "commits": [100, 150], "verified": true}]})");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].values, (std::vector<double>{200, 300}));
  EXPECT_EQ(rows[0].unit, "tx/s");
  EXPECT_TRUE(rows[0].more_is_better);
  EXPECT_THROW(bench_rows(R"({"results": [{"kernel": "tpcc", "runtime": "charm", "policy": "local", "workers": 2,
    "seconds": [0.5], "commits": [100, 150], "verified": true}]})"),
               Error);
}

TEST(BenchRows, RefuseWrongAnswersAndOtherText) {
  EXPECT_THROW(bench_rows(R"({"results": [{"kernel": "bfs", "runtime": "charm", "policy": "local", "workers": 2,
    "seconds": [0.5], "verified": false}]})"),
               Error);
  EXPECT_THROW(bench_rows("usage: charm bench"), Error);
  EXPECT_THROW(bench_rows(R"({"results": [{}]})"), Error);
}

std::string recording() {
  using counters::FillSource;
  counters::Description description;
  counters::Reading a, b;
  a.has.fills = b.has.fills = {FillSource::own_chiplet, FillSource::remote_cache};
  b.time_ns = 1000;
  a.fills[counters::index(FillSource::own_chiplet)] = 100;
  b.fills[counters::index(FillSource::own_chiplet)] = 400;
  b.fills[counters::index(FillSource::remote_cache)] = 100;
  for (const FillSource source : {FillSource::own_chiplet, FillSource::remote_cache})
    description.classes.push_back({source, {source}, "a test"});
  return counters::recording_header(description) + counters::recording_line(0, a) + counters::recording_line(0, b) +
         counters::recording_line(1, a) + counters::recording_line(1, b);
}

TEST(RecordedFills, AreWhatAllWorkersGot) {
  using counters::FillSource;
  EXPECT_DOUBLE_EQ(recorded_fills(recording(), {FillSource::own_chiplet}, {}), 600);
  EXPECT_DOUBLE_EQ(
      recorded_fills(recording(), {FillSource::own_chiplet}, {FillSource::own_chiplet, FillSource::remote_cache}),
      0.75);
  EXPECT_THROW(recorded_fills(recording(), {FillSource::local_dram}, {}), Error) << "what is not counted is not 0";
}

os::MachineUse use(double at, double busy, double stolen) {
  os::MachineUse all;
  all.at_s = at;
  all.cpus = 2;
  all.busy_s = busy;
  all.stolen_s = stolen;
  return all;
}

TEST(LoadOfOthers, LeavesOutThisProcess) {
  os::MachineActivity activity{use(10, 100, 0), use(12, 103, 0.2), 1.0, 99, {}};
  activity.before.processes[7] = {};
  activity.after.processes[7].name = "cc1plus";
  activity.after.processes[7].cpu_s = 1.8;
  const os::OthersUse others = os::others_use(activity);
  EXPECT_DOUBLE_EQ(others.cpus, 1.0);
  EXPECT_NEAR(others.stolen, 0.05, 1e-9);
  EXPECT_EQ(others.who, "cc1plus (process 7) 0.9");
  EXPECT_EQ(conditions_of(others, 2, {}).size(), 2U);
  EXPECT_TRUE(has(conditions_of({}, 2, {{"powersave", CpuSet{0, 1}}}).front(), "powersave"));
  EXPECT_TRUE(conditions_of({}, 2, {{"performance", CpuSet{0, 1}}}).empty());
}

TEST(FactsOfTheMachine, HaveTheSettingsOfTheSystem) {
  const charm::test::Folder folder;
  folder.line("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  const Machine machine = Machine::from("pack:2 l3:2(size=33554432) core:2 pu:2");
  counters::Description counting;
  counting.why_not = "there is no PMU";
  const MachineFacts facts = machine_facts(machine, counting, "1.2.3", folder.root());
  std::string all;
  for (const auto& [what, text] : facts.others) all += what + ": " + text + "\n";
  EXPECT_TRUE(has(all, "transparent huge pages: madvise")) << all;
  EXPECT_TRUE(has(all, "threads: 2 threads a core")) << all;
  EXPECT_TRUE(has(all, "last-level caches: 4 × 32 MiB")) << all;
  EXPECT_TRUE(has(all, "there is no PMU")) << all;
  EXPECT_TRUE(has(facts.key, "1.2.3"));
}

TEST(CountersOfFills, HaveToTellTheSourcesApart) {
  using counters::FillSource;
  std::string why;
  counters::Description counting;
  counting.why_not = "no PMU";
  EXPECT_FALSE(separates_fills(counting, why));
  EXPECT_EQ(why, "no PMU");
  counting.kind = counters::Description::Kind::hardware;
  counting.why_not = "";
  counting.classes = {{FillSource::own_chiplet, {FillSource::own_chiplet, FillSource::other_chiplet}, ""},
                      {FillSource::local_dram, {FillSource::local_dram}, ""}};
  EXPECT_FALSE(separates_fills(counting, why));
  EXPECT_TRUE(has(why, "own_chiplet")) << why;
  counting.classes = {{FillSource::own_chiplet, {FillSource::own_chiplet}, ""},
                      {FillSource::remote_cache, {FillSource::remote_cache}, ""},
                      {FillSource::local_dram, {FillSource::local_dram}, ""}};
  EXPECT_TRUE(separates_fills(counting, why));
}

Evaluation an_evaluation(const std::string& machine_name, Nature nature) {
  const Machine machine = stored("AMD-19h-Zen3-2xEpyc-7763.xml");
  Pretended measuring(machine, nature);
  Evaluation evaluation = evaluated(context_of(machine), measuring, {"charm-fig5", "charm-fig9", "moves"});
  evaluation.machine.name = machine_name;
  evaluation.machine.host = "host";
  evaluation.machine.others = {{"kernel", "Linux <6>"}};
  evaluation.started = "2026-01-01T00:00:00Z";
  evaluation.conditions = {"A & B."};
  return evaluation;
}

TEST(EvaluationFile, IsReadBackAsItWasWritten) {
  const std::string text = to_json(an_evaluation("EPYC", Nature::as_published));
  EXPECT_EQ(to_json(from_json(text, "file")), text);
}

TEST(EvaluationFile, IsRefusedIfItIsAnother) {
  EXPECT_THROW(from_json("", "file"), Error);
  EXPECT_THROW(from_json("[]", "file"), Error);
  EXPECT_THROW(from_json("{\"results\": []}", "file"), Error);
  std::string text = to_json(an_evaluation("EPYC", Nature::as_published));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return other;
  };
  EXPECT_THROW(from_json(replaced("\"charm_evaluation\": 1", "\"charm_evaluation\": 2"), "file"), Error);
  EXPECT_THROW(from_json(replaced("\"quick\"", "\"slow\""), "file"), Error);
  EXPECT_THROW(from_json(replaced("\"seed\": 1", "\"seed\": \"one\""), "file"), Error);
}

TEST(Page, IsSelfContainedAndEscaped) {
  const std::string page = report_page(an_evaluation("EPYC <7763>", Nature::as_published), "");
  EXPECT_TRUE(has(page, "EPYC &lt;7763&gt;"));
  EXPECT_TRUE(has(page, "Linux &lt;6&gt;"));
  EXPECT_TRUE(has(page, "A &amp; B."));
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "src="));
  EXPECT_TRUE(has(page, "charm-fig5") && has(page, "<svg") && has(page, "confirmed"));
  EXPECT_TRUE(has(page, "not finished")) << "no time of its end";
}

TEST(Page, SetsMachinesSideBySide) {
  const std::vector<Evaluation> both = {an_evaluation("EPYC", Nature::as_published),
                                        an_evaluation("Other", Nature::reversed)};
  const std::string page = comparison_page(both, "charm evaluate --compare a b");
  EXPECT_TRUE(has(page, ">EPYC<") && has(page, ">Other<"));
  EXPECT_TRUE(has(page, ">confirmed<") && has(page, ">not confirmed<"));
  EXPECT_EQ(column_names({both[0], both[0]})[0], "EPYC (host, 2026-01-01T00:00:00Z)");
}

}  // namespace
}  // namespace charm::evaluate
