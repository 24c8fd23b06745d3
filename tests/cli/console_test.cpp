#include "tools/cli/console.hpp"

#include <charm/error.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/folder.hpp"
#include "os/files/output_file.hpp"
#include "tools/cli/completion.hpp"
#include "tools/cli/failure.hpp"
#include "tools/cli/options.hpp"

using namespace charm::cli;
namespace os = charm::os;
namespace fs = std::filesystem;

namespace {

class Folder : public charm::test::Folder {
 public:
  [[nodiscard]] std::string operator/(const std::string& name) const { return path() + "/" + name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Colour, FollowsTheOptionThenNoColorThenTheTerminal) {
  EXPECT_TRUE(use_colour(Colour::always, false, "1", nullptr));
  EXPECT_FALSE(use_colour(Colour::never, true, nullptr, "xterm"));
  EXPECT_TRUE(use_colour(Colour::automatic, true, nullptr, "xterm"));
  EXPECT_TRUE(use_colour(Colour::automatic, true, "", "xterm")) << "an empty NO_COLOR counts as unset";
  EXPECT_FALSE(use_colour(Colour::automatic, true, "1", "xterm"));
  EXPECT_FALSE(use_colour(Colour::automatic, false, nullptr, "xterm"));
  EXPECT_FALSE(use_colour(Colour::automatic, true, nullptr, "dumb"));
}

TEST(Progress, WritesLinesToALogAndNothingWhenQuiet) {
  std::ostringstream log;
  Progress(log, Progress::Mode::lines).step("bfs");
  EXPECT_EQ(log.str(), "bfs\n");
  std::ostringstream silent;
  {
    Progress progress(silent, Progress::Mode::silent);
    progress.step("bfs");
    progress.detail("trial 1");
  }
  EXPECT_EQ(silent.str(), "");
}

TEST(Progress, LeavesNoLineBehindOnATerminal) {
  std::ostringstream terminal;
  {
    Progress progress(terminal, Progress::Mode::rewriting);
    progress.step("bfs");
    progress.detail("trial 1");
  }
  EXPECT_TRUE(terminal.str().ends_with("\r\x1b[K")) << terminal.str();
  EXPECT_EQ(terminal.str().find('\n'), std::string::npos);
}

TEST(OutputFile, ChecksWithoutLeavingATrace) {
  const Folder folder;
  os::check_writable(folder / "new.html");
  EXPECT_EQ(folder.files(), 0U);
  std::ofstream(folder / "old.html") << "old";
  os::check_writable(folder / "old.html");
  EXPECT_EQ(content(folder / "old.html"), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(OutputFile, RefusesWhatIsNoPlaceForAFile) {
  const Folder folder;
  for (const std::string& path : {std::string(), folder / "", folder / "no/such/folder/out.html",
                                  std::string("/dev/null"), std::string("/proc/out.html")}) {
    EXPECT_THROW(os::check_writable(path), charm::Error) << path;
  }
}

TEST(OutputFile, IsReplacedWholeAndKeepsItsMode) {
  const Folder folder;
  std::ofstream(folder / "out.html") << "old";
  chmod((folder / "out.html").c_str(), 0640);
  os::write_whole(folder / "out.html", "new");
  EXPECT_EQ(content(folder / "out.html"), "new");
  struct stat status{};
  stat((folder / "out.html").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(OutputFile, ALinkStaysALink) {
  const Folder folder;
  std::ofstream(folder / "real.html") << "old";
  fs::create_symlink("real.html", folder / "link.html");
  os::write_whole(folder / "link.html", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.html"));
  EXPECT_EQ(content(folder / "real.html"), "new");
}

TEST(OutputFile, ThatCannotBeWrittenLeavesNothing) {
  const Folder folder;
  EXPECT_THROW(os::write_whole(folder / "no/out.html", "text"), charm::Error);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(OutputFile, ThatDoesNotFitIsTheUsersToMendAndLeavesTheOldOne) {
  const Folder folder;
  std::ofstream(folder / "out.html") << "old";
  struct rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit little{16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  std::optional<int> exit_code;
  try {
    os::write_whole(folder / "out.html", std::string(1000, 'x'));
  } catch (const charm::Error& error) {
    exit_code = judge(error).exit_code;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(exit_code, 2);
  EXPECT_EQ(content(folder / "out.html"), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(Failure, IsOneLineAndSaysWhoHasToMendIt) {
  const auto user = judge(charm::Error(charm::Errc::bad_input, "graph.el:3: 'a\nb\x1b' is no vertex", "mend the line"));
  EXPECT_EQ(user.line, "charm: graph.el:3: 'a b?' is no vertex; mend the line");
  EXPECT_EQ(user.exit_code, 2);
  EXPECT_EQ(judge(charm::Error(charm::Errc::too_many_workers, "x", "y")).exit_code, 2);
  EXPECT_EQ(judge(charm::Error(charm::Errc::system, "x", "y")).exit_code, 1);
  EXPECT_EQ(judge(std::bad_alloc()).exit_code, 1);
}

TEST(Options, RefuseBadNumbersInOneSentence) {
  for (const char* bad : {"-1", "0", "31", "abc", "1.5", "0x10", "99999999999999999999", ""}) {
    CLI::App app("test", "charm");
    int scale = 0;
    whole_number(app.add_option("--scale", scale), 1, 30);
    try {
      app.parse(std::vector<std::string>{std::string("--scale=") + bad});
      FAIL() << bad << " was taken as " << scale;
    } catch (const CLI::ParseError& error) {
      const std::string line = usage_line(app, error);
      EXPECT_NE(line.find("--scale"), std::string::npos) << line;
      EXPECT_NE(line.find("charm --help"), std::string::npos) << line;
    }
  }
}

TEST(Options, ListsKnowTheirWords) {
  CLI::App app;
  std::string kernels;
  auto* option = some_of(app.add_option("--kernel", kernels), {"bfs", "pr"});
  EXPECT_EQ(accepted_words(*option), (std::vector<std::string>{"bfs", "pr"}));
  app.parse(std::vector<std::string>{"--kernel=pr,bfs"});
  EXPECT_EQ(split_list(kernels), (std::vector<std::string>{"pr", "bfs"}));
  for (const char* bad : {"--kernel=tsp", "--kernel=bfs,", "--kernel=bfs,bfs"}) {
    EXPECT_THROW(app.parse(std::vector<std::string>{bad}), CLI::ValidationError) << bad;
  }
}

TEST(Completion, KnowsEveryCommandOptionAndWord) {
  CLI::App app("test", "charm");
  auto* sub = app.add_subcommand("bench", "Run it");
  std::string value;
  some_of(sub->add_option("--kernel", value, "Kernels"), {"bfs", "pr"});
  file_path(sub->add_option("--report", value, "Page"));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell, completion_points(app));
    for (const char* part : {"bench", "kernel", "report", "bfs pr"}) {
      EXPECT_NE(script.find(part), std::string::npos) << shell << " lacks " << part;
    }
  }
}

}  // namespace
