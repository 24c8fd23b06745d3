// The page of `charm deploy bench --report`.
#include "tools/cli/report/deploy_page.hpp"

#include <charm/error.hpp>

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/rows.hpp"

namespace {

using charm::cli::deploy_page;
using charm::test::has;

const std::string measured = R"({"scale": "0.1", "trials": 3, "by_processes": {}, "runs": [
  {"engine": "<trino>", "policy": "wim", "workers": 1, "right": 2, "threads": 9, "seconds": {"1": 2, "6": 1, "10": 4}},
  {"engine": "<trino>", "policy": "wicp", "workers": 2, "right": 2, "threads": 9, "seconds": {"1": 1, "6": 2}}]})";

const std::string modelled = R"({"scale": "0.1", "trials": 3, "by_processes": {"M, modelled": [[1, 1.0], [2, 2.5]]},
  "runs": [{"engine": "M, modelled", "policy": "wim", "workers": 1, "seconds": {"1": 4}},
           {"engine": "M, modelled", "policy": "win", "workers": 2, "seconds": {"1": 2}}]})";

std::string page_of(const std::string& results) {
  return deploy_page(results, charm::cli::test::host(), "charm deploy bench --engine trino");
}

TEST(DeployPage, ShowsSpeedUpsOverTheFirstPolicy) {
  const std::string page = page_of(measured);
  for (const char* part : {"&lt;trino&gt;", "q1, wicp (2 workers): 2.00", "q6, wicp (2 workers): 0.50",
                           "mean, wicp (2 workers): 1.00", "Measured at scale factor 0.1", "node1", "A CPU",
                           "charm deploy bench --engine trino", "prefers-color-scheme: dark"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_FALSE(has(page, "q10,")) << "a query that only one policy has";
  EXPECT_TRUE(has(page, "not all policies have them: q10<"));
  EXPECT_FALSE(has(page, "Modelled"));
}

TEST(DeployPage, SaysInItsHeadThatAnswersAreWrong) {
  EXPECT_TRUE(has(page_of(measured), "1 of 5 answers are wrong"));
  EXPECT_FALSE(has(page_of(modelled), "answers are"));
}

TEST(DeployPage, MarksWhatIsModelled) {
  const std::string page = page_of(modelled);
  for (const char* part : {"Modelled, not measured", "2, processes: 2.50", "q1, win (2 workers): 2.00"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_FALSE(has(page, "node1")) << "this machine has nothing to do with it";
  EXPECT_FALSE(has(page, "right answers"));
}

TEST(DeployPage, RefusesWhatIsNoResult) {
  for (const char* other :
       {"", "[]", "{}", R"({"runs": [{"engine": 3}], "by_processes": {}})", R"({"runs": [], "by_processes": {}})"}) {
    EXPECT_THROW(page_of(other), charm::Error) << other;
  }
}

}  // namespace
