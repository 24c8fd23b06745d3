#include "base/settings.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/choice.hpp"
#include "base/folder.hpp"
#include "base/setting_choices.hpp"

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

/// Every word of the table is read as its value, in the order of the settings' page, and another one is refused with
/// the whole list.
template <class E>
void reads_all_words(const std::string& setting, E charm::base::Settings::* field) {
  const auto read = [&](std::string_view word) {
    charm::Config config;
    config.named = {{setting, std::string(word)}};
    return resolve(config, environment({}));
  };
  for (const charm::base::Choice<E>& each : choices(E{})) {
    EXPECT_EQ(read(each.word).*field, each.value) << setting << " = " << each.word;
    EXPECT_EQ(charm::base::word_of(each.value), each.word);
  }
  const std::string error = error_of(
      [&] {
        charm::Config config;
        config.named = {{setting, "otherwise"}};
        return config;
      }(),
      {});
  for (const std::string& word : charm::base::words_of<E>()) EXPECT_NE(error.find(word), std::string::npos) << error;
  const auto schema = charm::base::settings_schema();
  const auto row = std::find_if(schema.begin(), schema.end(), [&](const auto& each) { return each.name == setting; });
  ASSERT_NE(row, schema.end());
  EXPECT_EQ(row->default_value, charm::base::word_of(charm::base::Settings{}.*field)) << "two defaults";
  EXPECT_EQ(row->accepts, charm::base::any_of_words(charm::base::words_of<E>()));
}

TEST(Settings, FixedWordsBecomeEnums) {
  using charm::base::Settings;
  reads_all_words("sockets", &Settings::sockets);
  reads_all_words("bind", &Settings::bind);
  reads_all_words("deadlock", &Settings::deadlock);
  reads_all_words("memory_policy", &Settings::memory_policy);
  reads_all_words("surplus", &Settings::surplus);
  reads_all_words("stealing", &Settings::stealing);
  reads_all_words("monitor", &Settings::monitor);
  EXPECT_EQ(charm::base::any_of_words({"one"}), "one");
  EXPECT_EQ(error_of(
                [] {
                  charm::Config config;
                  config.bind = "socket";
                  return config;
                }(),
                {}),
            "setting bind = 'socket' (from code) is not usable; give core, chiplet, node or none");
}

TEST(Settings, WordsThatNameAFileAreReadWithIt) {
  using charm::base::Counters;
  using charm::base::Share;
  const auto counters = [](const std::string& text) {
    return resolve({}, environment({{"CHARM_COUNTERS", text}})).counters;
  };
  EXPECT_EQ(counters("auto").choice, Counters::automatic);
  EXPECT_EQ(counters("none").choice, Counters::none);
  EXPECT_EQ(counters("replay:a:b.csv").choice, Counters::replay);
  EXPECT_EQ(counters("replay:a:b.csv").file, "a:b.csv");
  EXPECT_EQ(counters("record:FILE").file, "FILE");
  for (const char* text : {"auto", "hardware", "software", "none", "replay:x", "record:/y"})
    EXPECT_EQ(charm::base::counters_text(counters(text)), text);
  for (const char* text : {"", "replay", "replay:", "record:", "auto:file", "replay:FILE2:", "Auto"}) {
    const bool usable = std::string(text) == "replay:FILE2:";
    EXPECT_EQ(error_of({}, {{"CHARM_COUNTERS", text}}).empty(), usable) << text;
  }
  const auto share = [](const std::string& text) { return resolve({}, environment({{"CHARM_SHARE", text}})).share; };
  EXPECT_EQ(share("on").choice, Share::on);
  EXPECT_EQ(share("/tmp/table").choice, Share::file);
  EXPECT_EQ(share("/tmp/table").file, "/tmp/table");
  for (const char* text : {"", "/", "table", "a path that begins with /"})
    EXPECT_NE(error_of({}, {{"CHARM_SHARE", text}}), "") << text;
}

TEST(Settings, AMisspeltNameInAFileIsAnErrorWithItsLine) {
  SettingsFile file("workers = 2\nworkerz = 3\n");
  std::string text = error_of({}, {{"CHARM_CONFIG", file.path}});
  EXPECT_NE(text.find(file.path + ":2"), std::string::npos) << text;
  EXPECT_NE(error_of({}, {{"CHARM_CONFIG", "/nowhere/charm.conf"}}), "");
}

TEST(Settings, OnlyAPlainFileOfABoundedSizeIsRead) {
  const charm::test::Folder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), pipe, folder.path("")}) {
    const std::string text = error_of({}, {{"CHARM_CONFIG", path}});
    EXPECT_NE(text.find("'" + path + "' that CHARM_CONFIG names is not a plain file"), std::string::npos) << text;
  }
  SettingsFile large(std::string((1 << 20) + 1, '\n'));
  EXPECT_NE(error_of({}, {{"CHARM_CONFIG", large.path}}).find("more than 1 MiB"), std::string::npos);
}

TEST(Settings, ADifferenceIsOneOfValuesAndNotOfSpelling) {
  const auto running = resolve({}, environment({{"CHARM_WORKERS", "3"}, {"CHARM_BIND", "node"}, {"CHARM_SMT", "on"}}));
  using charm::base::difference;
  EXPECT_FALSE(difference(running, 3, {}));
  EXPECT_FALSE(difference(running, 3, {.workers = 3, .smt = true, .stack_bytes = 256 << 10, .bind = "node"}));
  EXPECT_FALSE(difference(running, 3, {.workers = 0})) << "as many as there are";
  EXPECT_FALSE(difference(running, 3, {.named = {{"stack_bytes", "256K"}, {"smt", "yes"}}}));
  EXPECT_TRUE(difference(running, 3, {.named = {{"smt", "auto"}}}));
  const auto bind = difference(running, 3, {.bind = "core"});
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->name, "bind");
  EXPECT_EQ(bind->running, "node");
  EXPECT_EQ(bind->from, "CHARM_BIND");
  EXPECT_EQ(bind->wanted, "core");
  const auto workers = difference(running, 3, {.workers = 4});
  ASSERT_TRUE(workers);
  EXPECT_EQ(workers->running, "3");
  EXPECT_THROW(difference(running, 3, {.named = {{"binds", "core"}}}), charm::Error);
  EXPECT_THROW(difference(running, 3, {.bind = "socket"}), charm::Error);
}

}  // namespace
