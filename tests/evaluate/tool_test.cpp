// `charm evaluate` from end to end, with the one experiment that takes no time: what it writes, refuses, and goes on
// with.
#include "cli/tool.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace {

using charm::test::has;

class EvaluateTest : public charm::cli::test::Tool {
 protected:
  [[nodiscard]] nlohmann::json evaluation(const std::string& folder) const {
    return nlohmann::json::parse(file(folder + "/evaluation.json"));
  }
};

TEST_F(EvaluateTest, ListsEveryExperimentAndRunsNone) {
  const auto said = charm("evaluate --list");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  for (const char* name : {"charm-fig5", "charm-fig7", "charm-fig8", "abss-fig13", "charm-fig9", "charm-fig13",
                           "charm-fig14", "charm-tab1", "charm-tab2", "adaptive", "no-tool", "counting-cost", "moves",
                           "olap-fig5", "olap-fig10", "tapmm-fig8"})
    EXPECT_TRUE(has(said.out, std::string(name) + " ")) << name;
  EXPECT_TRUE(files().empty());
}

TEST_F(EvaluateTest, WritesReportAndFileAndGoesOnWithThem) {
  const auto said = charm("evaluate --only moves --anyway --output out");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "Verdicts") && has(said.out, "moves (CHARM")) << said.out;
  EXPECT_TRUE(has(said.err, "Cost of a move")) << "progress: " << said.err;
  EXPECT_TRUE(has(file("out/report.html"), "</html>"));
  EXPECT_TRUE(said.out.starts_with(file("out/summary.txt"))) << "what stdout has, and the way to the report behind it";
  const auto first = evaluation("out");
  ASSERT_EQ(first.at("experiments").size(), 1U);
  EXPECT_FALSE(first.at("finished").is_null());

  expect_refused("evaluate --only moves --anyway --output out", {"has an evaluation", "--resume"});
  const auto again = charm("evaluate --only moves --anyway --output out --resume --json -q");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out).at("experiments"), first.at("experiments")) << "nothing is run twice";

  const auto both = charm("evaluate --compare out/evaluation.json out/evaluation.json --output both");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_TRUE(has(both.out, "moves")) << both.out;
  EXPECT_TRUE(has(file("both/comparison.html"), "</html>"));
}

TEST_F(EvaluateTest, OfASimulatedMachineSaysSoAndWritesOverNothing) {
  const auto said = charm("evaluate --simulate 2x7713 --only moves,olap-fig5 --output out -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "nothing was measured") && has(said.out, "2 claims: ")) << said.out;
  EXPECT_EQ(evaluation("out").at("machine").at("chiplets"), 16);
  const std::string before = file("out/evaluation.json");
  expect_refused("evaluate --simulate 7713 --only moves --output out", {"has an evaluation"});
  EXPECT_EQ(file("out/evaluation.json"), before);
  expect_refused("evaluate --simulate nosuch --only moves", {"'nosuch'", "--products"});
  expect_refused("evaluate --simulate 7713 --list", {"--list"});
  expect_refused("evaluate --noise .1", {"--simulate"});
}

TEST_F(EvaluateTest, CanGoOnAfterItWasStopped) {
  // SIGTERM, since shells let programs in the background ignore SIGINT.
  const auto said = waiting("'" CHARM_TOOL
                            "' evaluate --only charm-fig7-scaling,counting-cost --anyway --output out -q & tool=$!\n"
                            "await test -e out/evaluation.json\n"
                            "kill -TERM $tool; wait $tool");
  EXPECT_EQ(said.exit_code, 1) << said.err;
  EXPECT_TRUE(has(said.err, "charm evaluate --quick --only charm-fig7-scaling,counting-cost --output out --resume"))
      << said.err;
  const auto stopped = evaluation("out");
  EXPECT_TRUE(stopped.at("finished").is_null());
  EXPECT_EQ(stopped.at("experiments").at(0).at("state"), "planned");
  EXPECT_EQ(stopped.at("experiments").at(1).at("state"), "planned");
  EXPECT_FALSE(stopped.at("experiments").at(0).at("points").at(0).at("predicted").is_null())
      << "predictions are stored before anything runs";
  EXPECT_TRUE(has(file("out/report.html"), "not finished"));
}

constexpr const char* quiet = "CHARM_QUIET=1";  // where there are no counters, a notice comes before the refusal

TEST_F(EvaluateTest, RefusesWhatItCannotDo) {
  expect_refused("evaluate --only nothing", {"nothing"});
  expect_refused("evaluate --quick --full", {"--quick"});
  expect_refused("evaluate --resume", {"there is no 'charm-evaluation/evaluation.json'"});
  expect_refused("evaluate --compare only.json", {"two"});
  given("text.json", "{}");
  expect_refused("evaluate --compare text.json text.json", {"text.json", "no evaluation"});
  expect_refused("evaluate --compare none.json none.json", {"none.json"});
  expect_refused("evaluate --compare /dev/zero /dev/zero", {"/dev/zero", "device"});
  expect_refused("evaluate", {"another machine"}, "CHARM_TOPOLOGY='pack:1 l3:2 core:2 pu:1'");
  given("file", "");
  expect_refused("evaluate --output file", {"file"});
  expect_refused("evaluate --only moves --anyway --output /proc/none/here", {"cannot make the folder", "--output"},
                 quiet);
}

TEST_F(EvaluateTest, SetsFilesOfOtherVersionsAndExperimentsSideBySide) {
  ASSERT_EQ(charm("evaluate --only moves --anyway --output out -q").exit_code, 0);
  auto former = evaluation("out");
  former["version"] = "0.0.9";
  former["machine"]["name"] = "Another processor";
  former["machine"]["cores"] = 1;
  former["experiments"][0]["name"] = "former-experiment";
  given("former.json", former.dump());
  const auto both = charm("evaluate --compare out/evaluation.json former.json --output both");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  for (const char* text : {"Another processor: 1 core,", "charm 0.0.9 --quick", "moves", "former-experiment", "–"})
    EXPECT_TRUE(has(both.out, text)) << text << "\n" << both.out;
  EXPECT_TRUE(has(file("both/comparison.html"), "0.0.9"));
}

TEST_F(EvaluateTest, DoesNotGoOnWithWhatAnotherVersionBegan) {
  ASSERT_EQ(charm("evaluate --only moves --anyway --output out -q").exit_code, 0);
  auto former = evaluation("out");
  auto key = former.at("machine").at("key").get<std::string>();
  former["machine"]["key"] = key.substr(0, key.rfind("charm ")) + "charm 0.0.9";
  given("out/evaluation.json", former.dump());
  expect_refused("evaluate --only moves --anyway --output out --resume",
                 {"another machine or program", "charm 0.0.9", "--output"}, quiet);
}

TEST_F(EvaluateTest, MeasuresBlocksOfMallocOrSaysThatThereIsNone) {
  const auto said = charm("evaluate --only tapmm-fig8 --anyway --output out -q");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto result = evaluation("out").at("experiments").at(0);
  EXPECT_EQ(result.at("problems"), nlohmann::json::array());
  const auto why = result.at("verdict").at("why").get<std::string>();
  if (result.at("state") == "unmet") {
    EXPECT_TRUE(has(why, "libcharm_malloc.so is neither in")) << why;
    return;
  }
  ASSERT_EQ(result.at("state"), "measured");
  for (const auto& point : result.at("points")) EXPECT_FALSE(point.at("measured").is_null()) << point.dump();
  for (const auto& name : files()) EXPECT_FALSE(name.starts_with(".weights")) << name;
}

TEST_F(EvaluateTest, NamesTheMallocThatIsMissing) {
  const auto said = shell("mkdir alone && cp '" CHARM_TOOL "' alone/charm && alone/charm evaluate --list");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const auto line = said.out.substr(said.out.find("tapmm-fig8 "));
  EXPECT_TRUE(has(line.substr(0, line.find('\n')), "it needs CHARM's malloc: libcharm_malloc.so is neither in"))
      << line;
}

// A limit on the size of files stands for a disk that is full: one that has room for the plans, and one that has room
// for all but the report.
TEST_F(EvaluateTest, TellsTheVerdictsOnADiskThatIsFull) {
  const std::string words = "' evaluate --only moves --anyway -q --output ";
  const auto whole = shell("'" CHARM_TOOL + words + "usual");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::size_t kib = 1024, file_bytes = file("usual/evaluation.json").size();
  ASSERT_GT(file("usual/report.html").size(), file_bytes + 3 * kib);
  for (const bool for_plans : {true, false}) {
    SCOPED_TRACE(for_plans ? "room for the plans" : "no room for the report");
    const std::string folder = for_plans ? "plans" : "measured";
    const std::size_t room = for_plans ? (file_bytes - kib / 2) / kib : file_bytes / kib + 2;
    const auto full = shell("ulimit -f " + std::to_string(room) + "; '" CHARM_TOOL + words + folder);
    EXPECT_NE(full.exit_code, 0);
    EXPECT_TRUE(has(full.out, "Verdicts") && has(full.out, "moves (CHARM")) << full.out;
    EXPECT_FALSE(has(full.out, "report: ")) << "there is none";
    EXPECT_TRUE(has(full.err, for_plans ? "evaluation.json" : "report.html")) << full.err;
    EXPECT_EQ(has(full.err, "measuring goes on"), for_plans) << full.err;
    const auto kept = evaluation(folder);
    EXPECT_EQ(kept.at("experiments").at(0).at("state"), for_plans ? "planned" : "measured");
    EXPECT_EQ(kept.at("finished").is_null(), for_plans);
    const auto mended = shell("'" CHARM_TOOL + words + folder + " --resume");
    EXPECT_EQ(mended.exit_code, 0) << mended.err;
    EXPECT_TRUE(has(file(folder + "/report.html"), "</html>"));
    EXPECT_EQ(evaluation(folder).at("experiments").at(0).at("state"), "measured");
  }
}

TEST_F(EvaluateTest, RefusesAReportThatCannotBeWrittenBeforeItMeasures) {
  ASSERT_EQ(shell("mkdir -p out/report.html").exit_code, 0);
  expect_refused("evaluate --only moves --anyway --output out", {"report.html", "it is a folder"}, "CHARM_QUIET=1");
}

TEST_F(EvaluateTest, GoesOnAfterItWasKilled) {
  const auto killed = waiting("'" CHARM_TOOL
                              "' evaluate --only counting-cost,moves --anyway --output out -q & tool=$!\n"
                              "await test -e out/evaluation.json\n"
                              "kill -STOP $tool; kill -KILL $tool $(pgrep -P $tool); wait $tool");
  EXPECT_EQ(killed.exit_code, 137) << killed.err;
  auto before = evaluation("out");
  EXPECT_TRUE(before.at("finished").is_null()) << "the file is whole at all times";
  // As if the long experiment had been done before: only the other is left.
  before["experiments"][0]["state"] = "measured";
  given("out/evaluation.json", before.dump());
  const auto resumed = charm("evaluate --only counting-cost,moves --anyway --output out --resume -q");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const auto after = evaluation("out");
  EXPECT_FALSE(after.at("finished").is_null());
  EXPECT_EQ(after.at("experiments").at(1).at("state"), "measured");
  EXPECT_EQ(after.at("experiments").at(1).at("points").at(0).at("predicted"),
            before.at("experiments").at(1).at("points").at(0).at("predicted"));
}

TEST_F(EvaluateTest, SaysWhatCouldBeJudgedOnADescribedMachine) {
  const auto said = charm("evaluate --list", "CHARM_TOPOLOGY='pack:2 l3:2(size=33554432) core:8 pu:1'");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const auto line_of = [&](const std::string& text, const std::string& name) {
    const auto line = text.substr(text.find(name + " "));
    return line.substr(0, line.find('\n'));
  };
  EXPECT_TRUE(has(line_of(said.out, "charm-fig5"), "about")) << said.out;
  EXPECT_TRUE(has(said.out, "begins with the shortest")) << "all of them take longer than a quick run may";
  const auto intel =
      charm("evaluate --list", "CHARM_TOPOLOGY=" CHARM_TEST_DATA "/topologies/Intel-SapphireRapids-2xXeonMax9460.xml");
  EXPECT_FALSE(has(line_of(intel.out, "charm-fig8"), "this one is of AMD")) << "the described processor counts";
  EXPECT_FALSE(has(line_of(intel.out, "charm-fig8"), "processors of Intel")) << intel.out;
}

}  // namespace
