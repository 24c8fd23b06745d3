// The built `charm` executable, run as a user runs it: its exit code, what it says, and what it leaves in a folder of
// its own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/folder.hpp"

namespace charm::cli::test {

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class Tool : public testing::Test {
 protected:
  Tool() { std::filesystem::create_directory(folder_.path("work")); }

  /// A file for the run; the tool runs in the folder that it lies in.
  void given(const std::string& name, const std::string& content) const { folder_.file("work/" + name, content); }

  /// \param line shell syntax after the name of the tool. \param before variables ("NAME=value") or nothing.
  Said charm(const std::string& line, const std::string& before = "") const {
    return shell(before + " '" CHARM_TOOL "' " + line);
  }

  Said shell(const std::string& line) const {
    const std::string out = folder_.path("out");
    const std::string err = folder_.path("err");
    const std::string script = folder_.file("script", "cd '" + folder_.path("work") + "'\n" + line + "\n");
    // What the tests run in shall not decide what they see.
    const std::string command =
        "env -u NO_COLOR -u CHARM_CONFIG -u CHARM_TOPOLOGY -u CHARM_WORKERS -u CHARM_POLICY bash '" + script + "' >'" +
        out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
  }

  /// Shell with a function: `await CONDITION...` until the command is true, for a minute and a half at most.
  Said waiting(const std::string& lines) const {
    return shell(
        "await() { for i in $(seq 1800); do \"$@\" && return; sleep 0.05; done; echo \"in vain: $*\" >&2; return 1; "
        "}\n" +
        lines);
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("work"))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] std::string file(const std::string& name) const { return content(folder_.path("work/" + name)); }

  /// Refused as bad input is: exit code 2, one line that begins with the tool's name and has `parts`, nothing on
  /// stdout, and no file that was not there before.
  void expect_refused(const std::string& line, std::initializer_list<const char*> parts,
                      const std::string& before = "") const {
    const auto files_before = files();
    const Said said = charm(line, before);
    SCOPED_TRACE("charm " + line + "\nsaid: " + said.err);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1);
    EXPECT_TRUE(said.err.starts_with("charm: "));
    EXPECT_NE(said.err.find("; "), std::string::npos) << "the remedy is missing";
    for (const char* part : parts) EXPECT_NE(said.err.find(part), std::string::npos) << "'" << part << "' is missing";
    EXPECT_EQ(files(), files_before);
  }

 private:
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  ::charm::test::Folder folder_;
};

}  // namespace charm::cli::test
