// `charm advise threads` from end to end.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"

namespace {

using charm::test::has;

class AdviseThreads : public charm::cli::test::Tool {};

/// Sleeps longer the more threads it has.
constexpr const char* contended = "-- sh -c 'sleep 0.$(({threads} * 8 + 10))'";

TEST_F(AdviseThreads, FindsFewerThreadsAndTheCommandToUse) {
  const auto said =
      charm(std::string("advise threads -q --seed 1 --runs 4 --threads 4,1,2 --html page.html ") + contended);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "times as fast as 4 threads")) << said.out;
  EXPECT_TRUE(has(said.out, "\nUse: sh -c 'sleep 0.$((1 * 8 + 10))'\n") ||
              has(said.out, "\nUse: sh -c 'sleep 0.$((2 * 8 + 10))'\n"))
      << said.out;
  const std::string page = file("page.html");
  EXPECT_TRUE(has(page, "How many threads")) << page.substr(0, 500);
  EXPECT_TRUE(has(page, "Speed-up by number of threads"));
}

TEST_F(AdviseThreads, TellsByVariablesAndAsJson) {
  const auto said = charm(
      "advise threads --json -q --runs 3 --threads 2,1 --variable N -- sh -c 'sleep 0.0$((N * 3)); test $N -le 2'");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json.at("levels").size(), 2U);
  EXPECT_EQ(json.at("levels").at(0).at("threads"), 2);
  EXPECT_GE(json.at("levels").at(1).at("seconds").size(), 3U);
  EXPECT_EQ(json.at("command").at(0), "env");
}

TEST_F(AdviseThreads, KeepsTheNumberForCharmRun) {
  given("slow.sh", "sleep 0.$((N * 8 + 10))\n");  // .18 s, .42 s
  const std::string home = "XDG_DATA_HOME=$PWD";
  const auto none = charm("run --dry-run --width auto -- bash slow.sh", home);
  EXPECT_TRUE(has(none.out + none.err, "no number of threads is stored for /")) << none.out << none.err;
  const auto advised = charm("advise threads -q --runs 4 --threads 4,1 --variable N --store -- bash slow.sh", home);
  ASSERT_EQ(advised.exit_code, 0) << advised.err;
  const auto run = charm("run --dry-run --width auto -- bash slow.sh", home);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out + run.err, "1 thread, as charm advise threads found on ")) << run.out << run.err;
  EXPECT_TRUE(has(run.out, "OMP_NUM_THREADS=1")) << run.out;
  EXPECT_TRUE(has(charm("run --dry-run --width 1 -- true", home).out, "OMP_NUM_THREADS=1"));
  EXPECT_TRUE(has(charm("run --width many -- true", home).err, "neither auto nor a number"));
  EXPECT_TRUE(has(charm("advise threads --store -- true {}", home).err, "by variables"));
}

TEST_F(AdviseThreads, RefusesWhatItCannotDo) {
  EXPECT_EQ(charm("advise threads").exit_code, 2);
  EXPECT_TRUE(has(charm("advise threads").err, "no program to run"));
  EXPECT_TRUE(has(charm("advise threads --threads 1,x -- true").err, "'x' is no number of threads"));
  EXPECT_TRUE(has(charm("advise threads --by arguments -- true").err, "{threads}"));
  const auto failed = charm("advise threads -q --threads 2,1 -- sh -c 'exit 7'");
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_TRUE(has(failed.err, "ended with exit code 7")) << failed.err;
  EXPECT_TRUE(has(charm("advise threads -q --threads 2,1 -- /no/such/program {}").err, "/no/such/program"));
}

}  // namespace
