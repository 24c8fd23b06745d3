#include "base/settings.hpp"

#include <charm/error.hpp>

#include <map>

#include <gtest/gtest.h>

#include "base/folder.hpp"

using charm::base::resolve;

namespace {

auto environment(std::map<std::string, std::string> variables) {
  return [variables](const char* name) -> const char* {
    auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  };
}

std::string error_of(const charm::Config& config, std::map<std::string, std::string> variables) {
  try {
    resolve(config, environment(std::move(variables)));
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_config);
    return error.what();
  }
  return "";
}

struct SettingsFile {
  explicit SettingsFile(const std::string& text) : path(folder.file("charm.conf", text)) {}
  charm::test::Folder folder;
  std::string path;
};

TEST(Settings, DefaultsComeFromTheSchema) {
  auto s = resolve({}, environment({}));
  EXPECT_EQ(s.workers, 0);
  EXPECT_EQ(s.policy, "adaptive");
  EXPECT_EQ(s.stack_bytes, 256U << 10);
  for (const auto& origin : s.origins) EXPECT_EQ(origin.from, "default");
}

TEST(Settings, CodeWinsOverEnvironmentOverFileOverDefault) {
  SettingsFile file("workers = 3  # three\npolicy = numa\n\nspread=2\n");
  charm::Config config;
  config.workers = 5;
  auto s = resolve(config, environment({{"CHARM_CONFIG", file.path}, {"CHARM_WORKERS", "4"}, {"CHARM_POLICY", "os"}}));
  EXPECT_EQ(s.workers, 5);
  EXPECT_EQ(s.policy, "os");
  EXPECT_EQ(s.spread, 2);
  EXPECT_EQ(s.origins[0].from, "code");
  EXPECT_EQ(s.origins[1].from, "CHARM_POLICY");
  EXPECT_EQ(s.origins[3].from, file.path + ":4");
}

TEST(Settings, SizesUnderstandUnits) {
  EXPECT_EQ(resolve({}, environment({{"CHARM_STACK_BYTES", "2M"}})).stack_bytes, 2U << 20);
  EXPECT_EQ(resolve({}, environment({{"CHARM_STACK_BYTES", "65536"}})).stack_bytes, 65536U);
}

TEST(Settings, ErrorsNameTheSettingItsValueItsOriginAndTheRemedy) {
  std::string text = error_of({}, {{"CHARM_WORKERS", "many"}});
  for (const char* part : {"workers", "many", "CHARM_WORKERS", "0 to 65536"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(error_of({}, {{"CHARM_WORKERS", "-1"}}), "");
  EXPECT_NE(error_of({}, {{"CHARM_WORKERS", "9223372036854775808"}}), "");
  EXPECT_NE(error_of({}, {{"CHARM_STACK_BYTES", "1K"}}), "");
  EXPECT_NE(error_of({}, {{"CHARM_STACK_BYTES", "18014398509481984K"}}), "");
  EXPECT_NE(error_of({}, {{"CHARM_SOCKETS", "scatter"}}), "");
  charm::Config negative;
  negative.workers = -2;
  EXPECT_NE(error_of(negative, {}).find("code"), std::string::npos);
}

TEST(Settings, AMisspeltNameInAFileIsAnErrorWithItsLine) {
  SettingsFile file("workers = 2\nworkerz = 3\n");
  std::string text = error_of({}, {{"CHARM_CONFIG", file.path}});
  EXPECT_NE(text.find(file.path + ":2"), std::string::npos) << text;
  EXPECT_NE(error_of({}, {{"CHARM_CONFIG", "/nowhere/charm.conf"}}), "");
}

}  // namespace
