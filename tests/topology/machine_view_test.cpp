// Drawings, JSON and SVG of machines, and the command that prints them.
#include <charm/error.hpp>
#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tools/cli/topo.hpp"
#include "tools/machine_view/draw.hpp"
#include "tools/machine_view/json.hpp"
#include "tools/machine_view/svg.hpp"
#include "tools/machine_view/text.hpp"
#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;
using namespace charm::machine_view;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const auto& entry : std::filesystem::directory_iterator(topology_file(""))) {
    if (entry.path().extension() == ".xml") {
      all.push_back(Machine::from(entry.path().string()));
      all.back().origin = "xml:" + entry.path().filename().string();  // the folder's depth is not the drawing's matter
    }
  }
  EXPECT_EQ(all.size(), 9U);
  for (const char* text :
       {"pu:2", "pack:2 pu:2", "pack:8 l3:16 core:1 pu:1", "pack:2 l3:4 core:64 pu:2", "pack:16 numa:2 core:1 pu:1"}) {
    all.push_back(Machine::from(text));
  }
  return all;
}

TEST(Draw, NoLineIsWiderThanTheTerminal) {
  for (const Machine& m : machines()) {
    for (bool ascii : {false, true}) {
      for (const std::string& line : lines_of(draw(m, {.ascii = ascii})))
        EXPECT_LE(charm::base::display_width(line), 80U) << line;
    }
  }
}

TEST(Draw, AsciiMeansAscii) {
  for (Machine m : machines()) {
    m.name = "M\xc3\xbcller \x1b[31m";
    for (char c : draw(m, {.ascii = true})) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << static_cast<int>(c);
  }
}

TEST(Draw, ShowsUnequalChipletsEachWithItsCacheAndCpus) {
  const std::string text =
      draw(Machine::from(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml")), {.ascii = true});
  EXPECT_TRUE(contains(text, "chiplet 0  ####      4 cores x 2 threads - L3 16 MiB - cpus 0-3,12-15")) << text;
  EXPECT_TRUE(contains(text, "chiplet 1  ########  8 cores x 2 threads - L3 8 MiB - cpus 4-11,16-23")) << text;
}

TEST(Draw, FoldsEqualChipletsAndStillNamesEveryCpuRange) {
  const std::string text = draw(Machine::from(topology_file("AMD-19h-Zen4-2xEpyc-9654.xml")));
  EXPECT_LE(lines_of(text).size(), 25U);
  EXPECT_EQ(count(text, "each 8 cores x 2 threads"), 2U);
  for (int c = 0; c < 24; ++c) {
    const std::string cpus = std::to_string(8 * c) + "-" + std::to_string(8 * c + 7) + "," +
                             std::to_string(192 + 8 * c) + "-" + std::to_string(192 + 8 * c + 7);
    EXPECT_TRUE(contains(text, "cpus " + cpus + " ")) << cpus;
  }
  EXPECT_EQ(count(text, "■"), 192U);
}

TEST(Draw, ShowsDistancesForbiddenCpusAndNotes) {
  const std::string text = draw(Machine::from(topology_file("32amd64-4s2n4c-cgroup2.xml")), {.ascii = true});
  EXPECT_TRUE(contains(text, "not usable: 26 cpus of 32 - cpus 6-31")) << text;
  EXPECT_TRUE(contains(text, "          5   22   16   22   16   16   10")) << text;
  EXPECT_TRUE(contains(text, "node 5 - 16 GiB - no usable cpus")) << text;
  EXPECT_TRUE(contains(text, "note: 26 of 32 cpus"));
}

TEST(Draw, ColourIsOnlyWhereAskedFor) {
  Machine m = Machine::from("pack:1 l3:2 core:2 pu:1");
  EXPECT_FALSE(contains(draw(m), "\033["));
  EXPECT_TRUE(contains(draw(m, {.colour = true}), "\033[32m"));
  EXPECT_EQ(charm::base::display_width("\033[32m■■\033[0m"), 2U);
}

TEST(Text, CpusFoldIntoRangesAndStrides) {
  EXPECT_EQ(format_cpus({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpus({0, 2, 4, 6, 8}), "0,2..8");
  EXPECT_EQ(format_cpus({0, 8}), "0,8");
  EXPECT_EQ(format_cpus({0, 4, 8}), "0,4,8");
  EXPECT_EQ(format_cpus({7}), "7");
}

TEST(Text, SizesHaveOneUnit) {
  EXPECT_EQ(charm::base::format_bytes(32U << 20), "32 MiB");
  EXPECT_EQ(charm::base::format_bytes(102236160), "97.5 MiB");
  EXPECT_EQ(charm::base::format_bytes(17177686016), "16 GiB");
  EXPECT_EQ(charm::base::format_bytes(512), "512 B");
}

TEST(Json, HasTheKeysThatScriptsReadAndTheValuesOfTheMachine) {
  for (const Machine& m : machines()) {
    const auto j = nlohmann::json::parse(json_text(m));
    for (const char* key : {"name", "origin", "chiplet_source", "cpu_quota", "total", "sockets", "nodes", "chiplets",
                            "cores", "allowed_cpus", "forbidden_cpus", "node_distance", "notes"}) {
      ASSERT_TRUE(j.contains(key)) << key;
    }
    ASSERT_EQ(j["cores"].size(), m.cores.size());
    for (std::size_t i = 0; i < m.cores.size(); ++i) {
      EXPECT_EQ(j["cores"][i]["id"], m.cores[i].id);
      EXPECT_EQ(j["cores"][i]["cpu"], m.cores[i].cpu);
      EXPECT_EQ(j["cores"][i]["siblings"], m.cores[i].siblings.values());
      EXPECT_EQ(j["cores"][i]["chiplet"], m.cores[i].chiplet);
      EXPECT_EQ(j["cores"][i]["node"], m.cores[i].node);
      EXPECT_EQ(j["cores"][i]["socket"], m.cores[i].socket);
    }
    ASSERT_EQ(j["chiplets"].size(), m.chiplets.size());
    for (std::size_t i = 0; i < m.chiplets.size(); ++i) {
      EXPECT_EQ(j["chiplets"][i]["cores"], m.chiplets[i].cores.values());
      EXPECT_EQ(j["chiplets"][i]["l3_bytes"], m.chiplets[i].l3_bytes);
      EXPECT_EQ(j["chiplets"][i]["node"], m.chiplets[i].node);
      EXPECT_EQ(j["chiplets"][i]["socket"], m.chiplets[i].socket);
    }
    ASSERT_EQ(j["nodes"].size(), m.nodes.size());
    for (std::size_t i = 0; i < m.nodes.size(); ++i) {
      EXPECT_EQ(j["nodes"][i]["os_index"], m.nodes[i].os_index);
      EXPECT_EQ(j["nodes"][i]["cpus"], m.nodes[i].cpus.values());
      EXPECT_EQ(j["nodes"][i]["bytes"], m.nodes[i].bytes);
      EXPECT_EQ(j["nodes"][i]["socket"], m.nodes[i].socket);
    }
    for (std::size_t i = 0; i < m.sockets.size(); ++i) {
      EXPECT_EQ(j["sockets"][i]["chiplets"], m.sockets[i].chiplets.values());
      EXPECT_EQ(j["sockets"][i]["nodes"], m.sockets[i].nodes.values());
    }
    EXPECT_EQ(j["allowed_cpus"], m.allowed_cpus.values());
    EXPECT_EQ(j["notes"], m.notes);
    EXPECT_EQ(j["total"]["cpus"], m.total.cpus);
  }
}

TEST(Json, SurvivesAFirmwareNameThatIsNoUtf8) {
  Machine m = Machine::from("pack:1 l3:1 core:1 pu:1");
  m.name = "bad \xff name";
  EXPECT_TRUE(nlohmann::json::accept(json_text(m)));
}

TEST(Svg, IsWellFormedWhateverTheFirmwareCallsTheMachine) {
  Machine m = Machine::from("pack:1 l3:1 core:2 pu:1");
  for (const std::string name :
       {"bad \xff name", "\xc3(",
        "a\x01"
        "b\x1f\x7f",
        "<b> & \"c\" 'd' ]]>", "\xef\xbf\xbe", "\xed\xa0\x80", "\xf4\x90\x80\x80", "cut \xe2\x82"}) {
    m.name = name;
    m.notes = {name};
    const std::string text = svg(m, {});
    EXPECT_EQ(charm::base::valid_utf8(text), text) << name;
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 && c != '\n'; })) << name;
    EXPECT_EQ(count(text, "<"), count(text, ">")) << name;
    for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1))
      EXPECT_LT(text.find(';', at), at + 7) << text.substr(at, 12);
  }
}

TEST(Svg, DrawsEveryCoreOnceAndMarksWorkersCores) {
  for (const Machine& m : machines()) {
    std::vector<WorkerCore> worker_cores(3);
    worker_cores[0] = {.core = 0, .cpu = 0, .chiplet = 0, .node = 0, .socket = 0};
    worker_cores[1].core = static_cast<int>(m.cores.size()) - 1;  // cores[2] is not bound
    const std::string text = svg(m, worker_cores);
    EXPECT_EQ(count(text, "<g><title>core "), m.cores.size());
    EXPECT_EQ(count(text, "class=\"charm-chiplet\""), m.chiplets.size());
    EXPECT_EQ(count(text, "class=\"charm-busy\""), 2U);
    EXPECT_TRUE(contains(text, ", worker 0<"));
    EXPECT_TRUE(contains(text, ", worker 1<"));
    EXPECT_FALSE(contains(text, "worker 2<"));
    EXPECT_EQ(count(text, "<g>"), count(text, "</g>"));
    EXPECT_EQ(count(text, "<text"), count(text, "</text>"));
  }
}

TEST(Svg, MarksCoresThatWorkersShare) {
  Machine m = Machine::from("pack:1 l3:1 core:2 pu:1");
  std::vector<WorkerCore> worker_cores(2);
  worker_cores[0].core = worker_cores[1].core = 1;
  EXPECT_EQ(count(svg(m, worker_cores), "class=\"charm-shared\""), 1U);
  EXPECT_TRUE(contains(svg(m, worker_cores), "workers 0 1"));
}

TEST(Svg, EscapesNames) {
  Machine m = Machine::from("pack:1 l3:1 core:1 pu:1");
  m.name = "<script>&\"";
  EXPECT_TRUE(contains(svg(m), "&lt;script&gt;&amp;&quot;"));
  EXPECT_FALSE(contains(svg(m), "<script>"));
}

TEST(Svg, NumbersCoresByTheirFirstCpusAndWorkersWhereTheyAre) {
  Machine m = Machine::from("pack:1 l3:2 core:2 pu:2");
  const auto square = [](int number) { return ">" + std::to_string(number) + "</text>\n</g>"; };
  for (const Core& core : m.cores) EXPECT_TRUE(contains(svg(m), square(core.siblings.front()))) << core.id;
  EXPECT_TRUE(contains(svg(m), "prefers-color-scheme: dark"));
  const std::vector<WorkerCore> workers = {{.core = 3, .cpu = m.cores[3].cpu}};
  EXPECT_TRUE(contains(svg(m, workers), ">0</text>\n</g>"));
  EXPECT_FALSE(contains(svg(m, workers), square(m.cores[3].siblings.front())));
}

TEST(TopoCommand, PrintsTheFormThatIsAskedFor) {
  std::ostringstream text, json, picture;
  const std::string file = topology_file("AMD-19h-Zen3-2xEpyc-7763.xml");
  EXPECT_EQ(cli::topo_command({.from = file, .ascii = true}, text), 0);
  EXPECT_TRUE(contains(text.str(), "16 chiplets - 128 cores"));
  EXPECT_EQ(cli::topo_command({.from = file, .json = true}, json), 0);
  EXPECT_EQ(nlohmann::json::parse(json.str())["chiplets"].size(), 16U);
  EXPECT_EQ(cli::topo_command({.from = file, .svg = true}, picture), 0);
  EXPECT_EQ(picture.str().rfind("<svg", 0), 0U);
}

TEST(TopoCommand, RefusesWhatItCannotDoWithoutPrintingAnything) {
  std::ostringstream out;
  EXPECT_THROW(cli::topo_command({.from = "/nowhere.xml"}, out), Error);
  EXPECT_THROW(cli::topo_command({.json = true, .svg = true}, out), Error);
  EXPECT_EQ(out.str(), "");
}

TEST(TopoCommand, ShowsThisMachine) {
  std::ostringstream out;
  EXPECT_EQ(cli::topo_command({}, out), 0);
  EXPECT_TRUE(contains(out.str(), "socket 0"));
}

}  // namespace
