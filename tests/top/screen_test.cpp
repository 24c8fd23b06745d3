// Whole screens, compared with files that a reader can look at (tests/top/screens). CHARM_WRITE_SCREENS=1 writes them
// anew.
#include "tools/top/screen.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <rapidcheck.h>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"
#include "tools/top/json.hpp"
#include "tools/top/line.hpp"
#include "tools/top/styles.hpp"

namespace {

using namespace charm;
using namespace charm::top;

Snapshot looked_at(double time_s, int pid, const char* program, int threads, double busy_cpus, double machine_busy) {
  Snapshot s;
  s.time_s = time_s;
  s.interval_s = 1;
  s.pid = pid;
  s.program = program;
  s.threads = threads;
  s.busy_cpus = busy_cpus;
  s.machine_busy = machine_busy;
  return s;
}

/// A CHARM program on two of eight chiplets of a machine with counters.
Snapshot charm_program() {
  Snapshot s = looked_at(63, 4242, "graph500", 19, 11.34, 0.21);
  for (int id = 0; id < 8; ++id) {
    ChipletShare chiplet;
    chiplet.id = id;
    chiplet.node = id / 4;
    for (int core = 0; core < 8; ++core) {
      chiplet.cores.push_back({8 * id + core, id < 2 ? 0.125 * (core + 1) : id == 5 ? 0.3 : 0.0});
      chiplet.busy += chiplet.cores.back().busy / 8;
    }
    chiplet.own = id < 2 ? chiplet.busy : 0;
    chiplet.threads = id < 2 ? 8 : 0;
    s.chiplets.push_back(chiplet);
  }
  FillRates fills;
  fills.has = {counters::FillSource::own_l2, counters::FillSource::own_chiplet, counters::FillSource::other_chiplet,
               counters::FillSource::local_dram};
  fills.per_s = {1.5e9, 2.31e8, 1.2e6, 0, 9.4e7, 0, 0};
  s.fills = fills;
  s.memory_gb_per_s = 6.016;
  for (int worker = 0; worker < 16; ++worker) {
    ThreadShare row;
    row.tid = 4243 + worker;
    row.pid = 4242;
    row.name = "charm-" + std::to_string(worker);
    row.state = 'R';
    row.cpu = worker;
    row.chiplet = worker / 8;
    row.busy = 1.0 - 0.04 * worker;
    row.waiting = 0.01 * worker;
    row.moves = worker >= 8 ? 1 : 0;
    row.mask = {worker};
    row.mask_from = MaskFrom::charm;
    row.fills = FillRates{{1e8, 1e7, 7e4 * worker, 0, 5.9e6, 0, 0}, fills.has};
    s.rows.push_back(row);
  }
  s.rows.push_back({4242, 4242, "graph500", 'S', 3, 0, 0, 0.0, 0, {}});
  for (int worker = 8; worker < 16; ++worker)
    s.moves.push_back({41.0, 4243 + worker, "charm-" + std::to_string(worker), 0, 1});
  s.moves_seen = 8;
  ControllerState controller;
  controller.policy = "adaptive";
  controller.workers = 16;
  controller.spread = 2;
  controller.decisions = 1;
  controller.latest.push_back(
      {.time = 40.6, .from = 1, .to = 2, .reason = "stalled on memory 31 %", .outcome = "throughput +12 %, kept"});
  s.controller = controller;
  return s;
}

/// Any program on a virtual machine without counters.
Snapshot any_program() {
  Snapshot s = looked_at(5, 900, "postgres", 3, 1.2, 0.61);
  ChipletShare chiplet;
  chiplet.cores = {{0, 0.97}, {1, 0.25}};
  chiplet.busy = 0.61;
  chiplet.own = 0.6;
  chiplet.threads = 2;
  s.chiplets.push_back(chiplet);
  s.why_no_fills = "the kernel drives no counter unit of the cores, and this is a virtual machine";
  s.rows.push_back({900, 900, "postgres", 'R', 0, 0, 0.95, 0.02, 0, {}});
  s.rows.push_back({901, 900, "checkpointer", 'S', 1, 0, 0.25, {}, 0, {}});
  s.rows.push_back(
      {902, 900, "a name that is very long indeed, as long as nobody would think", 'S', -1, -1, 0, {}, 0, {}});
  return s;
}

std::string screen(const Snapshot& snapshot, const ScreenOptions& look) {
  std::string text;
  for (const auto& line : render(snapshot, look)) text += line + "\n";
  return text;
}

void expect_screen(const std::string& name, const std::string& shown) {
  const std::string path = CHARM_SCREENS "/" + name + ".txt";
  if (std::getenv("CHARM_WRITE_SCREENS") != nullptr) std::ofstream(path) << shown;
  std::ifstream in(path);
  const std::string wanted{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(shown, wanted) << "the screen is not that of " << path << ":\n" << shown;
}

TEST(Screen, ShowsACharmProgram) {
  ScreenOptions look;
  look.clock = "19:04:05";
  expect_screen("charm_80x24", screen(charm_program(), look));
  look.width = 132;
  look.height = 50;
  expect_screen("charm_132x50", screen(charm_program(), look));
}

TEST(Screen, TellsKindsOfCoresApart) {
  Snapshot hybrid = any_program();
  EXPECT_EQ(json_line(hybrid).find("\"kind\""), std::string::npos) << "where all are alike nothing is said";
  hybrid.chiplets[0].cores = {{0, 0.9}, {1, 0.5}, {2, 0.06, charm::CoreKind::efficiency}};
  EXPECT_NE(screen(hybrid, {}).find("cores      2 performance, 70 % busy; 1 efficiency, 6 % busy\n"), std::string::npos)
      << screen(hybrid, {});
  const auto json = nlohmann::json::parse(json_line(hybrid));
  EXPECT_EQ(json.at("chiplets").at(0).at("cores").at(2).at("kind"), "efficiency");
  EXPECT_EQ(json.at("chiplets").at(0).at("cores").at(0).at("kind"), "performance");
}

TEST(Screen, ShowsItInAsciiAndColour) {
  ScreenOptions look;
  look.unicode = false;
  const std::string ascii = screen(charm_program(), look);
  expect_screen("charm_80x24_ascii", ascii);
  for (const char c : ascii) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  look.colour = true;
  look.height = 12;
  expect_screen("charm_80x12_colour", screen(charm_program(), look));
}

TEST(Screen, ShowsAnyProgramAndWhyThereAreNoFills) { expect_screen("any_80x24", screen(any_program(), {})); }

TEST(Screen, FitsIntoSmallTerminals) {
  ScreenOptions look;
  look.width = 40;
  look.height = 12;
  expect_screen("any_40x12", screen(any_program(), look));
  expect_screen("charm_40x12", screen(charm_program(), look));
}

TEST(Screen, ScrollsThroughTheThreads) {
  ScreenOptions look;
  look.scroll = 10;
  const std::string shown = screen(charm_program(), look);
  EXPECT_EQ(shown.find("charm-9\n"), std::string::npos);
  EXPECT_NE(shown.find("charm-10\n"), std::string::npos);
  look.scroll = 1000;
  EXPECT_NE(screen(charm_program(), look).find("graph500\n"), std::string::npos) << "the last stays";
}

TEST(Screen, NeverLeavesItsSize) {
  EXPECT_TRUE(rc::check([] {
    ScreenOptions look;
    look.width = *rc::gen::inRange<std::size_t>(0, 200);
    look.height = *rc::gen::inRange<std::size_t>(0, 80);
    look.unicode = *rc::gen::arbitrary<bool>();
    look.keys = *rc::gen::arbitrary<bool>();
    look.scroll = *rc::gen::inRange<std::size_t>(0, 30);
    Snapshot snapshot = *rc::gen::arbitrary<bool>() ? charm_program() : any_program();
    const auto chiplets = *rc::gen::inRange<std::size_t>(0, 40);
    while (snapshot.chiplets.size() < chiplets) snapshot.chiplets.push_back(snapshot.chiplets.front());
    if (*rc::gen::arbitrary<bool>()) snapshot.rows.clear();
    const auto lines = render(snapshot, look);
    RC_ASSERT(lines.size() <= look.height);
    for (const auto& line : lines) {
      RC_ASSERT(charm::base::display_width(line) <= look.width);
      RC_ASSERT(line.find('\x1b') == std::string::npos);
      const bool trimmed = line.empty() || line.back() != ' ';  // apart: RC_ASSERT evaluates both sides of ||
      RC_ASSERT(trimmed);
    }
  }));
}

TEST(Screen, WritesNumbersInFourCharacters) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(999.6), "1.0k");
  EXPECT_EQ(short_number(12345), "12k");
  EXPECT_EQ(short_number(2.31e8), "231M");
  EXPECT_EQ(short_number(1.5e9), "1.5G");
}

TEST(Line, CountsCharactersAndKeepsStylesApart) {
  Line line;
  line.add("▁▂", "1").add("  ").add("x", "31").add("   ");
  EXPECT_EQ(line.render(20, false), "▁▂  x");
  EXPECT_EQ(line.render(20, true), "\x1b[1m▁▂\x1b[0m  \x1b[31mx\x1b[0m");
  EXPECT_EQ(line.render(2, false), "▁~");
  EXPECT_EQ(line.render(0, false), "");
  EXPECT_EQ(right("abc", 2), "a~");
  EXPECT_EQ(left("ü", 3), "ü  ");
}

TEST(Line, BreaksTextAtBlanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three", 7, 9), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 7, 1), (Lines{"one tw~"}));
  EXPECT_EQ(wrapped("undividable", 5, 9), (Lines{"undiv", "idabl", "e"}));
  EXPECT_EQ(wrapped("", 5, 3), (Lines{""}));
}

TEST(Screen, SaysOnWhichNodesMemoryLies) {
  Snapshot snapshot = charm_program();
  snapshot.bytes_by_node = {{0, std::uint64_t{3} << 30U}, {2, std::uint64_t{1} << 30U}};
  ScreenOptions look;
  look.colour = false;
  EXPECT_NE(screen(snapshot, look).find("memory     4 GiB: node 0 75 %, node 2 25 %\n"), std::string::npos)
      << screen(snapshot, look);
  EXPECT_NE(json_line(snapshot).find("\"bytes_by_node\":{\"0\":3221225472,\"2\":1073741824}"), std::string::npos);
  snapshot.bytes_by_node.erase(2);
  EXPECT_EQ(screen(snapshot, look).find("memory     "), std::string::npos);
}

TEST(JsonLine, HasEverythingOnOneLine) {
  Snapshot snapshot = charm_program();
  snapshot.moves.push_back({snapshot.time_s, 4250, "charm-7", 1, 0});
  snapshot.rows[0].name = "not \xff utf-8\n";
  const std::string line = json_line(snapshot);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json.at("pid"), 4242);
  EXPECT_EQ(json.at("chiplets").size(), 8U);
  EXPECT_EQ(json.at("chiplets").at(1).at("cores").at(7).at("busy"), 1.0);
  EXPECT_EQ(json.at("rows").at(3).at("fills_per_s").at("other_chiplet"), 210000.0);
  EXPECT_FALSE(json.at("fills_per_s").contains("remote_dram"));
  EXPECT_EQ(json.at("moves").size(), 1U) << "older ones have been told";
  EXPECT_EQ(json.at("controller").at("latest").at(0).at("reason"), "stalled on memory 31 %");
  const auto plain = nlohmann::json::parse(json_line(any_program()));
  EXPECT_TRUE(plain.at("fills_per_s").is_null());
  EXPECT_TRUE(plain.at("controller").is_null());
  EXPECT_TRUE(plain.at("rows").at(1).at("waiting").is_null());
}

}  // namespace
