// What is stored for `charm run --width auto`.
#include "tools/width/store.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/folder.hpp"

namespace {

using namespace charm;

TEST(WidthStore, GivesBackWhatWasStored) {
  const test::Folder folder;
  const std::string path = folder.path("new/threads.json");
  EXPECT_FALSE(width::find_stored(path, "/bin/a"));
  width::store(path, "/bin/a", {8, "local", 64, "2026-11-27"});
  width::store(path, "/bin/b c.py", {1, "", 64, "2026-11-28"});
  width::store(path, "/bin/a", {16, "", 128, "2026-11-29"});
  const auto a = width::find_stored(path, "/bin/a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->threads, 16);
  EXPECT_EQ(a->policy, "");
  EXPECT_EQ(a->cpus, 128);
  EXPECT_EQ(width::find_stored(path, "/bin/b c.py")->date, "2026-11-28");
  EXPECT_FALSE(width::find_stored(path, "/bin/b"));
}

TEST(WidthStore, RefusesWhatItCannotRead) {
  const test::Folder folder;
  for (const char* text :
       {"", "[]", "{\"p\": 3}", "{\"p\": {\"threads\": 2e9, \"policy\": \"\", \"cpus\": 1, \"date\": \"\"}}",
        "{\"p\": {\"threads\": 0, \"policy\": \"\", \"cpus\": 1, \"date\": \"\"}}", "{\"p\": {\"threads\": \"8\"}}"}) {
    const std::string path = folder.file("threads.json", text);
    try {
      width::find_stored(path, "p");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("--store"), std::string::npos) << error.what();
    }
  }
}

TEST(WidthStore, AnInterpretersProgramIsItsScript) {
  const test::Folder folder;
  const std::string script = std::filesystem::canonical(folder.file("train.py", "")).string();
  const std::string shell = width::program_key({"sh"});
  EXPECT_EQ(shell.front(), '/');
  EXPECT_EQ(width::program_key({"sh", "-e", script, "x"}), shell + " " + script);
  EXPECT_EQ(width::program_key({"sh", "-c", "echo"}), shell);
  EXPECT_EQ(width::program_key({"/opt/python3.11", script}), "/opt/python3.11 " + script);
  const std::string other = width::program_key({"env", script});
  EXPECT_EQ(other, width::program_key({"env"}));  // data, not a script
  EXPECT_EQ(width::program_key({"/no/such/program"}), "/no/such/program");
}

}  // namespace
