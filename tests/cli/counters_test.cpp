// `charm counters`: what it says of a core of the catalogue and of this machine.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"

using CountersCommand = charm::cli::test::Tool;

namespace {

using charm::test::has;

TEST_F(CountersCommand, ShowsWhatACoreOfTheCatalogueTellsApart) {
  const auto said = charm("counters --machine zen4 --events");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "AMD Zen 4 (zen4)"));
  EXPECT_TRUE(has(said.out, "a number of its own"));
  EXPECT_TRUE(has(said.out, "4:0x444"));
  const auto merged = charm("counters --machine zen2");
  EXPECT_TRUE(has(merged.out, "in the sum own_chiplet + other_chiplet")) << merged.out;
  EXPECT_TRUE(has(merged.out, "blind    other chiplets: ")) << "whatever machine this is\n" << merged.out;
  EXPECT_FALSE(has(said.out, "blind ")) << said.out;
}

TEST_F(CountersCommand, TakesTheShapeFromAnotherMachine) {
  const auto json =
      nlohmann::json::parse(charm("counters --machine spr --from 'pack:1 numa:4 l3:1 core:4 pu:1' --json").out);
  EXPECT_EQ(json.at("core").at("nodes"), 4);
  EXPECT_TRUE(json.at("multiplexed"));
  bool other = false;
  for (const auto& source : json.at("told_apart")) other = other || source == "other_chiplet";
  EXPECT_TRUE(other) << "clusters tell the dies apart";
}

TEST_F(CountersCommand, SaysWhatThisMachineMeasuresOrWhyNot) {
  const auto said = charm("counters --json --events");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json.at("source") == "hardware", json.at("why_not").get<std::string>().empty());
  EXPECT_TRUE(json.contains("events"));
  EXPECT_EQ(charm("counters").exit_code, 0);
}

TEST_F(CountersCommand, ObeysTheSettings) {
  const auto events = nlohmann::json::parse(
      charm("counters --machine zen4 --json", "CHARM_COUNTER_EVENTS='other_chiplet=4:0x444+4:0x1044'").out);
  EXPECT_EQ(events.at("fills").size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(charm("counters --json", "CHARM_COUNTERS=none").out).at("source"), "none");
  charm("counters", "CHARM_COUNTERS=record:kept.csv");
  EXPECT_TRUE(files().empty()) << "looking begins no recording";
  const auto missing = charm("counters", "CHARM_COUNTERS=replay:missing.csv");
  EXPECT_EQ(missing.exit_code, 2) << missing.err;
}

TEST_F(CountersCommand, RefusesACoreThatItDoesNotKnow) { expect_refused("counters --machine zen9", {"zen9", "zen4"}); }

}  // namespace
