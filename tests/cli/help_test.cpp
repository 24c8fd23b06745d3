// Help asked for in other ways: charm help, manual pages, and the word that was probably meant.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/tool.hpp"
#include "tools/cli/suggestion.hpp"

using HelpTest = charm::cli::test::Tool;

namespace {

using charm::test::has;
using Words = std::vector<std::string>;

TEST_F(HelpTest, HelpOfACommandIsWhatItsOptionPrints) {
  for (const char* command : {"", "run", "bench", "bench graph", "compare", "malloc", "help"}) {
    const auto said = charm(std::string("help ") + command);
    EXPECT_EQ(said.exit_code, 0) << command << said.err;
    EXPECT_EQ(said.out, charm(std::string(command) + " --help").out) << command;
  }
  expect_refused("help frobnicate", {"charm frobnicate", "charm --help"});
  expect_refused("help benhc", {"did you mean bench?"});
  expect_refused("help bench grahp", {"did you mean graph?"});
}

TEST_F(HelpTest, AMistypedNameIsAnsweredWithTheRightOne) {
  expect_refused("tpo", {"tpo", "did you mean topo or top?", "charm --help"});
  expect_refused("-q topo", {"-q stands before the command", "'charm topo -q'"});
  expect_refused("--json bench gups", {"--json stands before the command", "'charm bench gups --json'"});
  expect_refused("comapre -- a -- b", {"did you mean compare?"});
  expect_refused("topo --formm x", {"--formm", "did you mean --from?", "charm topo --help"});
  expect_refused("run --polcy local -- true", {"did you mean --policy?"});
  expect_refused("compare --thresold=3 -- a -- b", {"did you mean --threshold?"});
  expect_refused("bench grph", {"did you mean graph?"});
  expect_refused("topo a --from x b --c", {"were not expected: a b --c; see"});  // in their order
  for (const char* line : {"frobnicate", "topo --frobnicate", "topo xyz"}) {
    EXPECT_FALSE(has(charm(line).err, "did you mean")) << line;
  }
}

TEST(Suggestion, IsTheNearestWordIfOneIs) {
  using charm::cli::suggestion;
  const Words known = {"topo", "top", "compare", "counters", "run"};
  EXPECT_EQ(suggestion("tpo", known), "topo or top") << "both are equally near";
  EXPECT_EQ(suggestion("cuonters", known), "counters");
  EXPECT_EQ(suggestion("comp", known), "compare");
  EXPECT_EQ(suggestion("co", known), "compare or counters");
  EXPECT_EQ(suggestion("ab", {"abc", "abd", "abe", "abf"}), "") << "too many to help";
  EXPECT_EQ(suggestion("rnu", known), "run");
  EXPECT_EQ(suggestion("r", known), "");
  EXPECT_EQ(suggestion("", known), "");
  EXPECT_EQ(suggestion("xyzzy", known), "");
  EXPECT_EQ(suggestion("--polcy=local", {"--policy", "--policies"}), "--policy");
  EXPECT_EQ(suggestion("-", {"--policy"}), "");
}

TEST_F(HelpTest, CommandsStandInGroups) {
  const std::string help = charm("--help").out;
  std::size_t before = 0;
  for (const char* heading : {"See:", "Measure:", "Run:", "Deploy:", "Research:", "Help:"}) {
    const std::size_t at = help.find(std::string("\n") + heading);
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at, before);
    before = at;
  }
  EXPECT_GT(help.find("  run "), help.find("\nRun:"));
  EXPECT_LT(help.find("  run "), help.find("\nDeploy:"));
}

/// The long options that a text names.
std::set<std::string> options_in(const std::string& text) {
  std::set<std::string> options;
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) {
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    options.insert(text.substr(at, end - at));
    at = end;
  }
  options.erase("--");
  return options;
}

TEST_F(HelpTest, EveryCommandHasAManualPageWithAllOfItsOptions) {
  ASSERT_EQ(charm("help --man-pages .").exit_code, 0);
  const auto pages = files();
  std::istringstream commands(
      shell("'" CHARM_TOOL "' --help | sed -n '/^See:/,/^Example:/s/^  \\([a-z]*\\)  .*/\\1/p'").out);
  int count = 0;
  for (std::string command; commands >> command; ++count) {
    std::string page = file("charm-" + command + ".1");
    ASSERT_NE(page, "") << command;
    EXPECT_TRUE(has(file("charm.1"), "charm\\-" + command)) << command;
    for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos;) page.erase(at, 1);
    const auto there = options_in(page);
    for (const auto& option : options_in(charm(command + " --help").out))
      EXPECT_TRUE(there.contains(option)) << option << " of " << command;
  }
  EXPECT_GE(count, 14);
  EXPECT_EQ(static_cast<int>(pages.size()), count + 1);
  EXPECT_EQ(charm("help --man run").out, file("charm-run.1"));
  EXPECT_EQ(charm("help run --man").out, file("charm-run.1"));
  expect_refused("help --man-pages /nowhere", {"/nowhere"});
}

TEST_F(HelpTest, TheManualPagesAreWellFormed) {
  ASSERT_EQ(charm("help --man-pages .").exit_code, 0);
  for (const auto& page : files()) {
    EXPECT_TRUE(file(page).starts_with(".TH CHARM")) << page;
    const auto lines = file(page);
    EXPECT_EQ(lines.find("\n\n"), std::string::npos) << page << " has an empty line, which troff takes for a break";
    if (shell("command -v groff").exit_code == 0) {
      EXPECT_EQ(shell("groff -man -Tutf8 -ww -z -K utf8 " + page + " 2>&1").out, "") << page;
    }
    if (shell("command -v mandoc").exit_code == 0) {
      EXPECT_EQ(shell("mandoc -Tlint -W warning " + page + " 2>&1").out, "") << page;
    }
  }
}

}  // namespace
