// Which rows are shown in which order, what keys do to that, and what whole screens of processes look like.
#include "tools/top/view.hpp"

#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tools/top/keys.hpp"
#include "tools/top/screen.hpp"

namespace {

using namespace charm;
using namespace charm::top;
using charm::test::has;

ProcessShare a_process(int pid, int parent, const std::string& name, double busy, const std::string& user = "ada") {
  ProcessShare share;
  share.pid = pid;
  share.parent = parent;
  share.name = name;
  share.command = "/usr/bin/" + name + " --of " + std::to_string(parent);
  share.user = user;
  share.threads = 1;
  share.busy = busy;
  share.resident_bytes = static_cast<std::uint64_t>(pid) * 1000000;
  return share;
}

/// init -> (cron, shell -> (make -> (cc1, cc1), less)), and a kernel thread.
Snapshot a_host() {
  Snapshot s;
  s.time_s = 5;
  s.interval_s = 1;
  s.program = "host";
  s.processes = 8;
  s.threads = 8;
  s.chiplets.push_back({0, 0, 0.5, 0.4, 2, {{0, 0.5}}, {}});
  s.by_process = {a_process(1, 0, "init", 0, "root"),     a_process(2, 0, "kthreadd", 0, "root"),
                  a_process(10, 1, "cron", 0.01, "root"), a_process(20, 1, "shell", 0),
                  a_process(30, 20, "make", 0.02),        a_process(31, 30, "cc1", 0.9),
                  a_process(32, 30, "cc1", 0.95),         a_process(40, 20, "less", 0)};
  s.by_process[1].command.clear();
  for (const auto& one : s.by_process) {
    ThreadShare row;
    row.tid = one.pid;
    row.pid = one.pid;
    row.name = one.name;
    row.busy = one.busy;
    row.chiplet = 0;
    s.rows.push_back(row);
  }
  return s;
}

std::vector<int> pids(const std::vector<ProcessRow>& rows) {
  std::vector<int> all;
  for (const auto& row : rows) all.push_back(row.process->pid);
  return all;
}

std::string shown_at(const Snapshot& snapshot, const ScreenOptions& look) {
  std::string text;
  for (const auto& line : render(snapshot, look)) text += line + "\n";
  return text;
}

using Pids = std::vector<int>;

TEST(ProcessRows, AreSortedByAnyColumnInEitherDirection) {
  const Snapshot s = a_host();
  EXPECT_EQ(pids(process_rows(s, {.processes = true})), (Pids{32, 31, 30, 10, 1, 2, 20, 40})) << "the busiest first";
  EXPECT_EQ(pids(process_rows(s, {.processes = true, .sort_by = SortBy::id})), (Pids{1, 2, 10, 20, 30, 31, 32, 40}));
  EXPECT_EQ(pids(process_rows(s, {.processes = true, .reversed = true, .sort_by = SortBy::id})),
            (Pids{40, 32, 31, 30, 20, 10, 2, 1}));
  EXPECT_EQ(pids(process_rows(s, {.processes = true, .sort_by = SortBy::user})), (Pids{20, 30, 31, 32, 40, 1, 2, 10}));
  EXPECT_EQ(pids(process_rows(s, {.processes = true, .sort_by = SortBy::memory})).front(), 40);
  EXPECT_EQ(pids(process_rows(s, {.processes = true, .sort_by = SortBy::name})).front(), 31);
  EXPECT_EQ(sorted_by({.processes = true, .sort_by = SortBy::mask}), SortBy::busy) << "processes have no such column";
  EXPECT_EQ(sorted_by({.processes = true, .sort_by = SortBy::waits}), SortBy::busy) << "processes have no such column";
}

TEST(View, SortsThreadsByTheNarrownessOfTheirMasks) {
  Snapshot s = a_host();
  s.rows.resize(3);
  s.rows[0].mask = {0, 1, 2};
  s.rows[2].mask = {4};
  const auto rows = thread_rows(s, {.sort_by = SortBy::mask});
  EXPECT_EQ(rows[0]->mask.size(), 1U);
  EXPECT_EQ(rows[1]->mask.size(), 3U);
  EXPECT_TRUE(rows[2]->mask.empty()) << "what is not known comes last";
}

TEST(ProcessRows, AreATreeInWhichEachStandsBelowItsParent) {
  const Snapshot host = a_host();
  const auto rows = process_rows(host, {.processes = true, .tree = true});
  EXPECT_EQ(pids(rows), (Pids{1, 10, 20, 30, 32, 31, 40, 2}));
  EXPECT_EQ(rows[3].level, 2U);
  EXPECT_EQ(rows[3].more_follow, (std::vector<bool>{false, true})) << "less follows make, nothing follows shell";
  EXPECT_EQ(rows[5].more_follow, (std::vector<bool>{false, true, false}));
}

TEST(ProcessRows, OfATreeThatMatchAreShownWithTheirParents) {
  const Snapshot host = a_host();
  const auto rows = process_rows(host, {.processes = true, .tree = true, .filter = "CC1"});
  EXPECT_EQ(pids(rows), (Pids{1, 20, 30, 32, 31}));
  EXPECT_FALSE(rows[0].matches);
  EXPECT_TRUE(rows[4].matches);
  EXPECT_EQ(rows[1].more_follow, (std::vector<bool>{false})) << "less is not shown";
}

TEST(ProcessRows, AreFilteredByNameCommandUserAndNumber) {
  const Snapshot s = a_host();
  const auto shown = [&](const char* filter) { return pids(process_rows(s, {.processes = true, .filter = filter})); };
  EXPECT_EQ(shown("MAKE"), (Pids{30}));
  EXPECT_EQ(shown("--of 30"), (Pids{32, 31}));
  EXPECT_EQ(shown("root"), (Pids{10, 1, 2}));
  EXPECT_EQ(shown("40"), (Pids{40})) << "a number is a whole one";
  EXPECT_EQ(shown("nobody"), Pids{});
  EXPECT_EQ(thread_rows(s, {.filter = "--of 30"}).size(), 2U) << "threads are found by their process, too";
}

TEST(ProcessRows, OfAnyFamilyAreAllShownOnce) {
  EXPECT_TRUE(rc::check([] {
    Snapshot s;
    const int n = *rc::gen::inRange(0, 30);
    for (int pid = 1; pid <= n; ++pid)  // parents may be gone, come later, or go round in a circle
      s.by_process.push_back(a_process(pid, *rc::gen::inRange(0, n + 3), "p" + std::to_string(pid % 5), 0));
    const bool filtered = *rc::gen::arbitrary<bool>();
    const auto rows = process_rows(s, {.processes = true, .tree = true, .filter = filtered ? "p3" : ""});
    std::set<int> seen;
    std::vector<int> ancestors;
    for (const auto& row : rows) {
      RC_ASSERT(seen.insert(row.process->pid).second);
      RC_ASSERT(row.level <= ancestors.size());
      RC_ASSERT(row.more_follow.size() == row.level);
      ancestors.resize(row.level);
      if (row.level > 0) RC_ASSERT(row.process->parent == ancestors.back());
      ancestors.push_back(row.process->pid);
    }
    std::size_t matching = 0;
    for (const auto& one : s.by_process) matching += !filtered || one.name == "p3" ? 1U : 0U;
    if (filtered) {
      for (const auto& one : s.by_process) RC_ASSERT(one.name != "p3" || seen.contains(one.pid));
      if (matching == 0) RC_ASSERT(rows.empty());
    } else {
      RC_ASSERT(rows.size() == s.by_process.size());
    }
  }));
}

TEST(Screen, ShowsProcessesWithUserAndCommand) {
  ScreenOptions look;
  look.view = {.processes = true, .tree = true, .full_command = true};
  look.height = 20;
  EXPECT_EQ(shown_at(a_host(), look),
            R"(charm top  host: 8 processes, 8 threads, 0.00 cpus                         1.0 s
machine    1 chiplet, 1 core, 0 % busy
fills/s    not counted: wait a moment
chiplet  busy   own thr  cores
      0  50 %  40 %   2  ▅
 process  user  thr    busy  chiplets  moves  memory  command
       1  root    1     0 %         -      -    1.0M  /usr/bin/init --of 0
      10  root    1     1 %         -      -     10M  ├ /usr/bin/cron --of 1
      20  ada     1     0 %         -      -     20M  └ /usr/bin/shell --of 1
      30  ada     1     2 %         -      -     30M    ├ /usr/bin/make --of 20
      32  ada     1    95 %         -      -     32M    │ ├ /usr/bin/cc1 --of 30
      31  ada     1    90 %         -      -     31M    │ └ /usr/bin/cc1 --of 30
      40  ada     1     0 %         -      -     40M    └ /usr/bin/less --of 20
       2  root    1     0 %         -      -    2.0M  [kthreadd]





q quits, ? shows all keys; processes by busy
)");
  look.unicode = false;
  for (const char c : shown_at(a_host(), look)) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

// ---- names and columns ----

/// Threads and processes whose names are as long as the kernel lets them be, and wide.
Snapshot long_names() {
  Snapshot s = a_host();
  FillRates fills;
  fills.has = {counters::FillSource::other_chiplet, counters::FillSource::local_dram};
  s.fills = fills;
  for (auto& row : s.rows) row.fills = fills;
  s.rows[0].name = "fifteen-letters";
  s.rows[1].name = "計算スレッド";
  s.rows[2].name = "e\u0301te\u0301 🚀";  // combining accents, an emoji
  s.by_process[0].name = "fifteen-letters";
  s.by_process[2].command = "日本語のコマンド --長い引数 " + std::string(300, 'x');
  s.by_process[2].user = "ユーザーの名前がとても長い";
  return s;
}

TEST(Screen, KeepsWideCharactersWithinItsColumnsAndItsColumnsInLine) {
  for (const std::size_t width : {80U, 120U, 200U}) {
    for (const bool processes : {false, true}) {
      for (const bool full : {false, true}) {
        ScreenOptions look;
        look.width = width;
        look.view = {.processes = processes, .full_command = full, .sort_by = SortBy::id};
        const auto lines = render(long_names(), look);
        const std::string name = processes && !full ? "fifteen-letters"
                                 : processes        ? "/usr/bin/init"
                                                    : "fifteen-letters";
        EXPECT_TRUE(has(shown_at(long_names(), look), name)) << "cut at a width of " << width;
        std::size_t head = 0;
        while (!has(lines[head], processes ? "thr    busy" : "chiplet   busy")) ++head;
        const std::size_t column = lines[head].find(processes && full ? "command" : "name");
        for (std::size_t i = head + 1; i < head + 4; ++i) {
          EXPECT_LE(base::display_width(lines[i]), width) << lines[i];
          // What stands before the name's column takes as many columns as the heading has there.
          std::string_view rest = lines[i];
          std::size_t taken = 0;
          while (taken < column && !rest.empty())
            taken += static_cast<std::size_t>(base::columns_of(base::take_character(rest)));
          EXPECT_EQ(taken, column) << lines[i];
          EXPECT_FALSE(rest.empty() || rest.front() == ' ') << lines[i];
          EXPECT_EQ(lines[i][lines[i].size() - rest.size() - 1], ' ') << lines[i];
        }
      }
    }
  }
}

TEST(Screen, OfAWideTerminalShowsWholeNamesAndAllColumns) {
  ScreenOptions look;
  look.width = 200;
  const std::string shown = shown_at(long_names(), look);
  for (const char* part : {"process", "waits", "moves", "others", "memory", "計算スレッド", "e\u0301te\u0301 🚀"})
    EXPECT_TRUE(has(shown, part)) << part << "\n" << shown;
}

TEST(Columns, AreCountedAsATerminalCountsThem) {
  if (base::columns_of(U'計') != 2) GTEST_SKIP() << "the C library has no tables of UTF-8 here";
  EXPECT_EQ(base::display_width("abc"), 3U);
  EXPECT_EQ(base::display_width("計算"), 4U);
  EXPECT_EQ(base::display_width("e\u0301"), 1U);
  EXPECT_EQ(base::display_width("🚀"), 2U);
  EXPECT_EQ(base::display_width("▁█·µ"), 4U);
  EXPECT_EQ(base::display_width("\x1b[31m計\x1b[0m"), 2U);
  EXPECT_EQ(base::display_width("\xff\xc3"), 2U) << "each byte that is no UTF-8";
  EXPECT_EQ(cut("計算スレッド", 6), "計算~");
  EXPECT_EQ(left("計算スレッド", 6), "計算~ ") << "half a character is none";
  EXPECT_EQ(Line().add("計算").add("x").render(4, false), "計~");
}

TEST(Printable, TextCannotChangeTheTerminal) {
  EXPECT_EQ(base::printable("a\x1b[2Jb\n\x7f"), "a?[2Jb??");
  EXPECT_EQ(base::printable("\u009b2J"), "?2J") << "a control sequence in two bytes";
  EXPECT_EQ(base::printable("a\u202e b"), "a? b");
  EXPECT_EQ(base::printable("ü計\xff"), "ü計?");
}

// ---- keys ----

struct Pressed {
  ScreenOptions look;
  Keyboard keyboard;
  bool ended = false;
  void operator()(const std::string& bytes, std::size_t rows = 100) {
    for (const char c : bytes) ended = keyboard.press(static_cast<unsigned char>(c), look, rows, 10) || ended;
  }
};

TEST(Keys, SwitchViews) {
  Pressed press;
  press("p");
  EXPECT_TRUE(press.look.view.processes);
  press("t");
  EXPECT_TRUE(press.look.view.tree);
  press("p");
  EXPECT_FALSE(press.look.view.tree) << "threads have no tree";
  press("t c r");
  EXPECT_TRUE(press.look.view.processes && press.look.view.tree && press.look.view.full_command);
  EXPECT_TRUE(press.look.view.reversed);
  EXPECT_FALSE(press.look.held) << "held and let go";
  EXPECT_FALSE(press.ended);
  press("q");
  EXPECT_TRUE(press.ended);
}

TEST(Keys, GoThroughTheColumnsOfEachView) {
  for (const bool processes : {false, true}) {
    Pressed press;
    press.look.view.processes = processes;
    std::set<SortBy> seen;
    for (std::size_t i = 0; i < sort_columns(processes).size(); ++i) {
      press(">");
      seen.insert(sorted_by(press.look.view));
    }
    EXPECT_EQ(seen.size(), sort_columns(processes).size());
    EXPECT_EQ(sorted_by(press.look.view), SortBy::busy) << "once round";
    press("><");
    EXPECT_EQ(sorted_by(press.look.view), SortBy::busy);
  }
}

TEST(Keys, ScrollWithinTheRows) {
  Pressed press;
  press("jj\x1b[B\x1b[6~");
  EXPECT_EQ(press.look.scroll, 13U);
  press("k\x1bOA");
  EXPECT_EQ(press.look.scroll, 11U);
  press("\x1b[F");
  EXPECT_EQ(press.look.scroll, 99U);
  press("j");
  EXPECT_EQ(press.look.scroll, 99U);
  press("\x1b[5~", 20);
  EXPECT_EQ(press.look.scroll, 9U) << "from the last of the rows that are there now";
  press("\x1b[1~kk");
  EXPECT_EQ(press.look.scroll, 0U);
}

TEST(Keys, TypeAFilter) {
  Pressed press;
  press("/qux \u8a08\x7f\x7f");
  EXPECT_TRUE(press.look.typing);
  EXPECT_EQ(press.look.view.filter, "qux") << "a character goes as a whole";
  EXPECT_FALSE(press.ended) << "q is a letter";
  press("\r");
  EXPECT_FALSE(press.look.typing);
  press("\x1b");
  EXPECT_TRUE(press.keyboard.waits());
  press.keyboard.pause(press.look);
  EXPECT_EQ(press.look.view.filter, "");
  press("/a\x1bq");
  EXPECT_TRUE(press.ended) << "Esc, and q is a key again";
}

TEST(Keys, AreAllOnThePageThatTheQuestionMarkShows) {
  Pressed press;
  press("?");
  ASSERT_TRUE(press.look.help);
  press.look.height = 30;
  press.look.width = 132;
  const std::string page = shown_at(a_host(), press.look);
  for (const KeyHelp& key : all_keys()) {
    EXPECT_TRUE(has(page, key.keys)) << page;
    EXPECT_TRUE(has(page, key.text)) << page;
  }
  EXPECT_TRUE(has(shown_at(a_host(), {}), "? shows all keys"));
  press("x");
  EXPECT_FALSE(press.look.help);
}

}  // namespace
