// Files under libcharm_mirror.so: what a program reads and writes is as without it, and its pages are its own.
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

using charm::cli::test::Said;
using charm::cli::test::Tool;

namespace {

constexpr std::size_t bytes = 100'001;  // ends within a page

class Mirror : public Tool {
 protected:
  Mirror() {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 31 % 251);
    given("model", text);
    given("other", text);
  }

  /// As CHARM_MIRROR_FILES has it.
  [[nodiscard]] std::string named(const std::string& name) const {
    const std::string words = shell("stat -c %d:%i " + name).out;
    return words.substr(0, words.find('\n'));
  }
  std::string plain(const std::string& name, const std::string& way) const {
    return shell(CHARM_CLIENT " " + name + " " + way).out;
  }
  std::string under(const std::string& files, const std::string& name, const std::string& way) const {
    const Said said = shell("env LD_PRELOAD=" CHARM_MIRROR " CHARM_MIRROR_FILES='" + files + "' " CHARM_CLIENT " " +
                            name + " " + way);
    EXPECT_EQ(said.exit_code, 0) << way << said.err;
    EXPECT_EQ(said.err, "");
    return said.out;
  }
  /// The bytes' sum and the mapping's kind.
  static std::pair<std::string, std::string> split(const std::string& line) {
    const auto blank = line.find(' ');
    return {line.substr(0, blank), line.substr(blank + 1)};
  }
};

TEST_F(Mirror, WhatIsReadIsTheFilesAndThePagesAreOnesOwn) {
  for (const std::string way : {"read", "shared", "tail", "fork", "offset"}) {
    const auto [sum, how] = split(plain("model", way));
    const auto [mirrored_sum, mirrored_how] = split(under(named("model"), "model", way));
    EXPECT_EQ(mirrored_sum, sum) << way;
    EXPECT_EQ(how.substr(3), "0\n") << way;
    EXPECT_EQ(mirrored_how, "rp 1\n") << way;
  }
  EXPECT_EQ(split(under(named("model"), "model", "private")).second, "wp 1\n");
}

TEST_F(Mirror, AMappingMayReachBeyondTheFile) {
  EXPECT_EQ(split(under(named("model"), "model", "beyond")).first, split(plain("model", "beyond")).first);
}

TEST_F(Mirror, WhatAProgramWritesReachesTheFile) {
  const std::string before = split(plain("model", "read")).first;
  EXPECT_EQ(split(under(named("model"), "model", "write")), (std::pair<std::string, std::string>{before, "ws 0\n"}));
  EXPECT_NE(split(plain("model", "read")).first, before);
  const std::string after = split(plain("model", "read")).first;
  under(named("model"), "model", "private");
  EXPECT_EQ(split(plain("model", "read")).first, after) << "a private mapping changes nothing";
}

TEST_F(Mirror, OtherFilesAndOtherListsAreLeftAlone) {
  for (const std::string way : {"read", "shared", "private"}) {
    EXPECT_EQ(under(named("model"), "other", way), plain("other", way)) << way;
  }
  for (const std::string list : {"", "x", "1", "1:", ":1", "99999999999999999999999:1", "1:2,3:4"})
    EXPECT_EQ(under(list, "model", "shared"), plain("model", "shared")) << list;
  EXPECT_EQ(split(under("1:2," + named("model") + ",3:4", "model", "shared")).second, "rp 1\n");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "1:" + std::to_string(i + 1) + ",";
  EXPECT_EQ(under(many + named("model"), "model", "shared"), plain("model", "shared")) << "the 41st";
}

TEST_F(Mirror, WhatHasNoRoomForACopyMapsTheFileAndSaysSo) {
  given("large", std::string(16 << 20, 'x'));
  const std::string run = "ulimit -d 8000; env LD_PRELOAD=" CHARM_MIRROR " CHARM_MIRROR_FILES=$(stat -c %d:%i large) ";
  const Said said = shell(run + CHARM_CLIENT " large shared");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out, plain("large", "shared"));
  EXPECT_EQ(said.err, "charm mirror: the kernel refused a copy of a file; its own pages are mapped\n");
  EXPECT_EQ(shell(run + "CHARM_QUIET=1 " CHARM_CLIENT " large shared").err, "");
}

TEST_F(Mirror, ARefusalIsTheKernels) {
  EXPECT_EQ(plain("model", "refused"), "errno 22\n");
  EXPECT_EQ(under(named("model"), "model", "refused"), "errno 22\n");
}

TEST_F(Mirror, RunPreloadsItWhereTheMachineHasSeveralNodes) {
  const bool several = nlohmann::json::parse(charm("topo --json").out).at("nodes").size() > 1;
  const auto kind = [&](const std::string& options) {
    return split(charm("run -q --once " + options + " -- " CHARM_CLIENT " model shared").out).second;
  };
  EXPECT_EQ(kind("--mirror other"), "rs 0\n");
  for (const std::string options : {"--mirror model", "--mirror other --mirror ./model"})
    EXPECT_EQ(kind(options), several ? "rp 1\n" : "rs 0\n") << options;
  const std::string said = charm("run --once --mirror model -- true").err;
  EXPECT_EQ(said.find("mirror: the program may use one node's memory") == std::string::npos, several) << said;
}

TEST_F(Mirror, WhatCannotBeMirroredIsRefused) {
  given("empty", "");
  ASSERT_EQ(shell("truncate -s 4T huge").exit_code, 0);
  expect_refused("run -q --mirror nowhere -- true", {"--mirror", "nowhere does not exist"});
  expect_refused("run -q --mirror . -- true", {"--mirror", ". is no plain file"});
  expect_refused("run -q --mirror /dev/null -- true", {"--mirror", "is no plain file"});
  expect_refused("run -q --mirror empty -- true", {"--mirror", "is empty"});
  expect_refused("run -q --mirror huge -- true", {"--mirror", "a copy has 4 TiB"});
  expect_refused("run -q --mirror '' -- true", {"--mirror"});
}

}  // namespace
