// A remembered survey is the one that was made, and none at all as soon as anything has changed.
#include "topology/remembered.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "topology/survey_wire.hpp"

namespace {

using namespace charm;
using namespace charm::topology;
namespace fs = std::filesystem;

class Remembered : public testing::Test {
 protected:
  Remembered() {
    std::string name = (fs::temp_directory_path() / "charm-remembered-XXXXXX").string();
    folder = mkdtemp(name.data());
    file = (folder / "charm" / "machine").string();
    put("proc/sys/kernel/random/boot_id", "0c3f\n");
    put("sys/devices/system/cpu/online", "0-3\n");
    put("sys/devices/system/node/online", "0\n");
    put("proc/self/exe", "the command\n");
  }
  ~Remembered() override { fs::remove_all(folder); }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((folder / path).parent_path());
    std::ofstream(folder / path) << text;
  }
  [[nodiscard]] os::MachineState state() const { return os::machine_state(folder.string()).value(); }
  [[nodiscard]] std::string text() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Of four cores.
  static Survey survey() {
    Survey made = survey_synthetic("pack:1 node:1 l3:2 core:2 pu:1");
    made.origin = "live";
    return made;
  }

  fs::path folder;
  std::string file;
};

TEST_F(Remembered, IsWhatWasSeen) {
  EXPECT_FALSE(remembered(file, state(), 100)) << "nothing was";
  remember(file, state(), survey(), 100);
  for (const double now : {100.0, 101.5, 700.0}) {
    const auto found = remembered(file, state(), now);
    ASSERT_TRUE(found) << now;
    EXPECT_EQ(survey_text(*found), survey_text(survey()));
  }
}

TEST_F(Remembered, IsForgottenWithTimeAndBelievedByNoOtherClock) {
  remember(file, state(), survey(), 100);
  EXPECT_FALSE(remembered(file, state(), 701));
  EXPECT_FALSE(remembered(file, state(), 99));
}

TEST_F(Remembered, HoldsOnlyWhileNothingHasChanged) {
  const auto expect_forgotten = [&](const std::string& path, const std::string& then) {
    remember(file, state(), survey(), 100);
    ASSERT_TRUE(remembered(file, state(), 101)) << path;
    std::ifstream in(folder / path);
    const std::string before{std::istreambuf_iterator<char>(in), {}};
    put(path, then);
    EXPECT_FALSE(remembered(file, state(), 101)) << path;
    put(path, before);
  };
  expect_forgotten("proc/sys/kernel/random/boot_id", "77aa\n");
  expect_forgotten("sys/devices/system/cpu/online", "0-2\n");
  expect_forgotten("sys/devices/system/node/online", "0-1\n");
  expect_forgotten("proc/self/exe", "another command\n");
  put("proc/self/ns/mnt", "");
  remember(file, state(), survey(), 100);
  fs::rename(folder / "proc/self/ns/mnt", folder / "proc/self/ns/old");
  put("proc/self/ns/mnt", "");
  EXPECT_FALSE(remembered(file, state(), 101)) << "another mount namespace";
}

TEST_F(Remembered, IsNothingWhereTheKernelDoesNotTellTheBoot) {
  fs::remove(folder / "proc/sys/kernel/random/boot_id");
  EXPECT_FALSE(os::machine_state(folder.string()));
  put("proc/sys/kernel/random/boot_id", "1\n");
  put("sys/devices/system/cpu/online", "none\n");
  EXPECT_FALSE(os::machine_state(folder.string()));
}

TEST_F(Remembered, IsNothingThatACgroupHasNarrowed) {
  Survey narrowed = survey();
  narrowed.allowed_cpus.erase(3);
  remember(file, state(), narrowed, 100);
  EXPECT_FALSE(fs::exists(file));
  Survey foreign = survey();
  foreign.origin = "hwloc's environment variables";
  remember(file, state(), foreign, 100);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Remembered, NoChangedByteIsBelieved) {
  remember(file, state(), survey(), 100);
  const std::string whole = text();
  const os::MachineState same = state();
  ASSERT_FALSE(whole.empty());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = damaged[at] == '1' ? '2' : '1';
    std::ofstream(file, std::ios::trunc) << damaged;
    const auto found = remembered(file, same, 150);
    // A digit of the time leaves the survey what it is.
    EXPECT_TRUE(!found || survey_text(*found) == survey_text(survey())) << at;
  }
  for (const std::size_t length : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(file, std::ios::trunc) << whole.substr(0, length);
    EXPECT_FALSE(remembered(file, same, 150)) << length;
  }
}

TEST_F(Remembered, AFileThatCannotBeWrittenOrIsALinkIsNone) {
  fs::create_directories(folder / "charm");
  std::ofstream(folder / "elsewhere") << "mine";
  remember(file, state(), survey(), 100);
  fs::rename(file, folder / "real");
  fs::create_symlink(folder / "real", file);
  EXPECT_FALSE(remembered(file, state(), 101));
  fs::remove(file);
  fs::create_directories(file);
  remember(file, state(), survey(), 100);  // it says nothing and harms nobody
  EXPECT_FALSE(remembered(file, state(), 101));
}

}  // namespace
