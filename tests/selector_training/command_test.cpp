// `charm batch` as a user runs it: from nothing to judged models, and what it refuses.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"

using BatchCommand = charm::cli::test::Tool;

namespace {

using charm::test::has;
using Json = nlohmann::json;

constexpr const char* small = "batch generate --output g.jsonl --count 16 --nodes 16..60 --work 1..50 --seed 5";

TEST_F(BatchCommand, MakesLabelsTrainsAndJudges) {
  const auto generated = charm(small);
  ASSERT_EQ(generated.exit_code, 0) << generated.err;
  EXPECT_TRUE(has(generated.out, "elimination")) << generated.out;
  const std::string graphs = file("g.jsonl");
  charm(small);
  EXPECT_EQ(file("g.jsonl"), graphs) << "the same seed makes the same graphs";

  const auto labelled =
      charm("batch label g.jsonl --output l.jsonl --workers 2 --pairs 5 --quiet", "CHARM_SHARE_CORES=1");
  ASSERT_EQ(labelled.exit_code, 0) << labelled.err;
  EXPECT_TRUE(has(labelled.out, "16 graphs labelled, 0 left")) << labelled.out;
  const std::string labels = file("l.jsonl");
  const Json header = Json::parse(labels.substr(0, labels.find('\n')));
  EXPECT_EQ(header["machine"]["workers"], 2);

  // What an interrupted call has left is completed, and nothing is run twice.
  given("l.jsonl", labels.substr(0, labels.rfind("{\"id\"") + 40));
  const auto again =
      charm("batch label g.jsonl --output l.jsonl --workers 2 --pairs 5 --quiet --json", "CHARM_SHARE_CORES=1");
  EXPECT_EQ(Json::parse(again.out)["labelled"], 1) << again.err;
  expect_refused("batch label g.jsonl --output l.jsonl --workers 1", {"was labelled with 2 workers", "--workers"});

  const auto trained = charm("batch train l.jsonl --output m --only tree,logistic");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(has(trained.out, "Default: ")) << trained.out;
  const auto judged = charm("batch eval l.jsonl m --json");
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const Json result = Json::parse(judged.out);
  ASSERT_EQ(result["selectors"].size(), 4U);
  EXPECT_EQ(result["selectors"][0]["selector"], "always-stream");
  EXPECT_EQ(result["selectors"][2]["selector"], "tree");
  EXPECT_EQ(result["selectors"][3]["families"].size(), 8U);
  EXPECT_EQ(result["selectors"][0]["gained"]["value"], 0);

  const auto shown = charm("batch show m/tree.json");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const char* part : {"data sheet", "regret", "workers", "labelled", "16 of cholesky, elimination"})
    EXPECT_TRUE(has(shown.out, part)) << part;
  EXPECT_TRUE(has(charm("batch show m/logistic.json").out, "intercept"));
  // The models are models of the library.
  EXPECT_EQ(charm("batch eval l.jsonl m/tree.json m/logistic.json").exit_code, 0);
  const auto seen = charm("batch eval l.jsonl m/tree.json").out;
  EXPECT_TRUE(has(seen, "its regret is too small")) << seen;
  EXPECT_TRUE(has(seen, "Default: stream, because there is no model that was judged on")) << seen;
}

TEST_F(BatchCommand, ShowsTheKindsOfSelectors) {
  const auto shown = charm("batch show");
  EXPECT_EQ(shown.exit_code, 0);
  for (const char* part : {"stream", "(the default)", "tree:FILE", "gcn:FILE"})
    EXPECT_TRUE(has(shown.out, part)) << part;
  EXPECT_EQ(Json::parse(charm("batch show --json").out).size(), 5U);
}

TEST_F(BatchCommand, PrintsTheProgramThatTrains) {
  const auto shown = charm("batch train --print-program");
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(has(shown.out, "def train_tree(graphs")) << shown.out.substr(0, 200);
}

TEST_F(BatchCommand, RefusesWhatItCannotUse) {
  given("not.jsonl", "{\"charm_task_dag\":\"graphs\",\"version\":1}\n{\"id\":\"a\"}\n");
  given("words.txt", "words\n");
  given("m.json", "{\"model\":\"gcn\",\"version\":1}");
  expect_refused("batch generate --output g.jsonl --nodes 8..20", {"--nodes was given '8..20'", "16 to 1000000"});
  expect_refused("batch generate --output g.jsonl --work many", {"--work was given 'many'"});
  expect_refused("batch generate --output g.jsonl --families forest", {"forest"});
  expect_refused("batch generate --output none/g.jsonl", {"none/g.jsonl"});
  expect_refused("batch label none.jsonl --output l.jsonl", {"none.jsonl cannot be read", "charm batch generate"});
  expect_refused("batch label not.jsonl --output l.jsonl", {"not.jsonl, line 2 is no task graph"});
  expect_refused("batch label words.txt --output l.jsonl", {"words.txt, line 1 is no JSON"});
  expect_refused("batch train not.jsonl", {"has no labels of `charm batch`", "charm batch label"});
  expect_refused("batch train", {"needs a file of labels"});
  expect_refused("batch show m.json", {"m.json is no model of a selector"});
  expect_refused("batch show none.json", {"'none.json' cannot be read"});
  // Members of the wrong type, in every file that a command reads.
  given("type.jsonl", "{\"charm_task_dag\":[\"graphs\"],\"version\":1}\n");
  given("version.jsonl", "{\"charm_task_dag\":\"graphs\",\"version\":[1]}\n");
  given("labels.jsonl", "{\"charm_task_dag\":\"labels\",\"version\":1,\"machine\":{\"workers\":\"two\"}}\n");
  given("sheet.json", R"({"model":"tree","version":1,"nodes":[{"batch":0.5}],"sheet":{"labelled":7}})");
  expect_refused("batch label type.jsonl --output l.jsonl", {"type.jsonl has no graphs of `charm batch`"});
  expect_refused("batch label version.jsonl --output l.jsonl", {"version.jsonl is of a version other than 1"});
  charm(small);
  expect_refused("batch label g.jsonl --output labels.jsonl", {"labels.jsonl holds no labels: string where number"});
  expect_refused("batch show sheet.json", {"sheet.json has a data sheet that cannot be read: number where string"});
}

}  // namespace
