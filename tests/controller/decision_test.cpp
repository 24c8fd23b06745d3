// A decision as people and programs read it: the whole texts, and every field.
#include "controller/decision.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace charm::controller {
namespace {

Decision whole() {
  return {.time = 1.5,
          .control_group = 2,
          .from = 1,
          .to = 4,
          .throughput = 2500,
          .stall_other_chiplet = .125,
          .stall_dram = .25,
          .reason = "stalled on memory",
          .outcome = "kept",
          .region = "query"};
}

TEST(DecisionText, HasEveryFieldOnALine) {
  EXPECT_EQ(
      to_string(whole()),
      "    1.500 s  control group 2  1 -> 4 chiplets  2500/s  stalled 12 % other chiplets, 25 % memory  in query  "
      "stalled on memory: kept");
}

TEST(DecisionText, LeavesOutWhatIsNotKnown) {
  Decision decision = whole();
  decision.stall_dram = -1;
  decision.region.clear();
  decision.outcome.clear();
  EXPECT_EQ(to_string(decision), "    1.500 s  control group 2  1 -> 4 chiplets  2500/s  stalled on memory");
  decision.stall_dram = 0;
  EXPECT_NE(to_string(decision).find("12 % other chiplets, 0 % memory"), std::string::npos) << "zero is known";
}

TEST(DecisionExplained, IsASentence) {
  EXPECT_EQ(
      explain(whole()),
      "At 1.50 s, in the region 'query', the workers spread from 1 to 4 chiplets (stalled on memory) at 2500 units "
      "of work per second, with 25 % of their time spent on memory and 12 % on other chiplets; outcome: kept.");
  Decision decision = whole();
  decision.from = 4;
  decision.to = 1;
  decision.throughput = 0;
  decision.stall_dram = -1;
  decision.region.clear();
  decision.outcome.clear();
  EXPECT_EQ(
      explain(decision),
      "At 1.50 s the workers drew together from 4 to 1 chiplet (stalled on memory); the outcome is not known yet.");
  decision.to = 4;
  EXPECT_EQ(explain(decision),
            "At 1.50 s the workers moved from 4 to 4 chiplets (stalled on memory); the outcome is not known yet.");
}

TEST(DecisionText, TellsTheNumberOfWorkers) {
  Decision decision = whole();
  decision.workers_from = 128;
  decision.workers_to = 16;
  EXPECT_NE(to_string(decision).find("2500/s  128 -> 16 workers  stalled"), std::string::npos);
  EXPECT_EQ(explain(decision).substr(0, 71), "At 1.50 s, in the region 'query', 16 of the workers went on, after 128 ");
}

TEST(DecisionJson, HasEveryField) {
  Decision decision = whole();
  decision.workers_from = 8;
  decision.workers_to = 2;
  EXPECT_EQ(nlohmann::json::parse(to_json(decision)), (nlohmann::json{{"time_s", 1.5},
                                                                      {"workers_from", 8},
                                                                      {"workers_to", 2},
                                                                      {"control_group", 2},
                                                                      {"from", 1},
                                                                      {"to", 4},
                                                                      {"throughput", 2500},
                                                                      {"stall_other_chiplet", .125},
                                                                      {"stall_dram", .25},
                                                                      {"region", "query"},
                                                                      {"reason", "stalled on memory"},
                                                                      {"outcome", "kept"}}));
}

TEST(Decisions, AreSortedByTimeAndEqualOnesKeepTheirOrder) {
  std::vector<Decision> decisions;
  for (const auto& [time, reason] : {std::pair{2.0, "c"}, {1.0, "a"}, {2.0, "d"}, {1.0, "b"}}) {
    decisions.push_back(whole());
    decisions.back().time = time;
    decisions.back().reason = reason;
  }
  sort_by_time(decisions);
  std::string order;
  for (const Decision& decision : decisions) order += decision.reason;
  EXPECT_EQ(order, "abcd");
}

}  // namespace
}  // namespace charm::controller
