// Machine models: each number has a source, the shapes are those of the machines, and what is not a model is refused.
#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "controller/known_machines.hpp"
#include "tools/sim/model.hpp"
#include "topology/domains.hpp"

using namespace charm::sim;

namespace {

TEST(Machines, AreTheOnesThatWereAskedFor) {
  for (const char* name :
       {"7742",  "7713",        "2x7713",         "7773X",           "9654",       "9274F",     "9355P",      "8375C",
        "8488C", "Max 9460",    "kunpeng-920-64", "kunpeng-920-128", "graviton 3", "Graviton4", "7950X3D",    "cxl",
        "turin", "turin-dense", "6980P",          "MI300A",          "Grace",      "155H",      "strix-halo", "GB10"}) {
    EXPECT_NO_THROW(model(name)) << name;
  }
}

/// The names in the first column of the page's table of sources.
std::vector<std::string> sources_of_the_page() {
  std::ifstream page(CHARM_DOCS "/design/simulator.md");
  std::vector<std::string> names;
  bool there = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) there = line == "## Sources";
    if (there && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(Machines, GiveASourceThatThePageNamesOrTheWordEstimateForEachNumber) {
  const auto known = sources_of_the_page();
  ASSERT_GT(known.size(), 5U);
  const auto has_source = [&](const std::string& source) {
    return source.find("estimate") != std::string::npos ||
           std::any_of(known.begin(), known.end(), [&](const auto& name) { return source.starts_with(name); });
  };
  for (const Model& m : models()) {
    EXPECT_TRUE(has_source(m.shape_source)) << m.name << ": " << m.shape_source;
    const Costs& c = m.costs;
    for (const auto& distance_table : cost_fields()) {
      const Number& number = c.*distance_table.member;
      SCOPED_TRACE(m.name + ", " + std::string(distance_table.name) + ": " + number.source);
      EXPECT_EQ(number.source.starts_with("none"), number.value == 0);
      if (number.source.starts_with("as nearer: ")) {
        const Number& nearer = distance_table.name == "other_chiplet_ns" ? c.same_chiplet_ns
                               : distance_table.name == "other_node_ns"  ? c.other_chiplet_ns
                                                                         : c.dram_ns;
        EXPECT_EQ(number.value, nearer.value);
      } else if (number.value != 0) {
        EXPECT_TRUE(has_source(number.source));
      }
    }
  }
}

TEST(Machines, HaveTheirCoresAndCaches) {
  const auto& milan = model("2x7713").machine;
  EXPECT_EQ(milan.cores.size(), 128U);
  EXPECT_EQ(milan.chiplets.size(), 16U);
  EXPECT_EQ(milan.sockets.size(), 2U);
  EXPECT_EQ(milan.chiplets[3].l3_bytes, 32U << 20);
  EXPECT_EQ(milan.distance(0, 7), 1);
  EXPECT_EQ(milan.distance(0, 8), 2);
  EXPECT_EQ(milan.distance(0, 64), 4);
  const auto& desktop = model("7950x3d").machine;
  EXPECT_NE(desktop.chiplets[0].l3_bytes, desktop.chiplets[1].l3_bytes);
  EXPECT_TRUE(model("cxl").machine.nodes.back().cpus.empty());
  EXPECT_EQ(model("kunpeng-920-128").machine.distance(0, 32), 3);
}

TEST(Machines, FartherIsNeverCheaper) {
  for (const Model& m : models()) {
    const Costs& c = m.costs;
    EXPECT_LE(c.l2_ns.value, c.l3_ns.value) << m.name;
    EXPECT_LE(c.same_chiplet_ns.value, c.other_chiplet_ns.value) << m.name;
    EXPECT_LE(c.other_chiplet_ns.value, c.other_socket_ns.value) << m.name;
    EXPECT_LE(c.dram_ns.value, c.remote_dram_ns.value) << m.name;
    EXPECT_LE(c.memory_mixed.value, c.memory_read.value) << m.name;
  }
}

TEST(Machines, ComeBackFromTheirOwnText) {
  for (const Model& m : models()) {
    const Model again = parse_model(model_json(m), "again");
    EXPECT_EQ(model_json(again), model_json(m)) << m.name;
  }
}

/// Any product may be given with any number of sockets: what is between them is of a machine that has several.
TEST(Machines, HaveAsManySocketsAsAreAskedFor) {
  const Model one = model("9755"), two = model("2x9755");
  EXPECT_EQ(two.machine.cores.size(), 256U);
  EXPECT_EQ(two.machine.sockets.size(), 2U);
  EXPECT_EQ(two.costs.dram_ns.value, one.costs.dram_ns.value);
  EXPECT_EQ(one.costs.socket_link.value, 0);
  EXPECT_GT(two.costs.socket_link.value, 0);
  EXPECT_NE(two.costs.socket_link.source.find("estimate, as on"), std::string::npos);
  EXPECT_EQ(model("2x7713").name, "epyc-7713-2s");
  EXPECT_EQ(model("1x7742").costs.socket_link.value, 0);
  EXPECT_EQ(model("1x7742").machine.cores.size(), 64U);
  // A product without costs of its own has those of a similar one.
  EXPECT_EQ(model("2x9684x").machine.chiplets.size(), 24U);
  EXPECT_NE(model("2x9684x").costs.l3_ns.source.find("estimate"), std::string::npos);
}

/// Tiles behind one L3 have the whole of it: advice must not depend on how a user names its parts.
TEST(Machines, TakeTheDomainsOfACacheForOneChiplet) {
  const charm::Machine whole = charm::Machine::from("2x8480");
  const Model plain = estimated_model(whole), cut = estimated_model(charm::topology::with_domains(whole, "4"));
  EXPECT_EQ(cut.machine.chiplets.size(), 2U);
  EXPECT_EQ(cut.machine.chiplets[0].l3_bytes, plain.machine.chiplets[0].l3_bytes);
  EXPECT_NE(cut.machine.notes.back().find("domains"), std::string::npos);
  EXPECT_EQ(plain.machine.notes.back().find("domains"), std::string::npos);
}

/// A chiplet of two kinds of cores, and one of a third, as a file of one's own describes them.
TEST(Machines, MayHaveSeveralKindsOfCores) {
  std::string text = model_json(model("7713"));
  const auto from = text.find("\"nodes_per_socket\""), to = text.find("\"smt\"");
  text.replace(from, to - from, R"("nodes_per_socket": [{"memory_gb": 16, "chiplets": [
      {"count": 2, "l3_mib": 8, "cores": [{"count": 2, "smt": 2, "l2_kib": 1024}, {"count": 4, "capacity": 600, "smt": 1}]},
      {"count": 1, "l3_mib": 0, "cores": [{"count": 1, "capacity": 300, "smt": 1}]}]}], )");
  const Model mixed = parse_model(text, "mixed");
  ASSERT_EQ(mixed.machine.chiplets.size(), 3U);
  EXPECT_EQ(mixed.machine.chiplets[1].cores.size(), 6U);
  EXPECT_EQ(mixed.machine.cores[6].siblings.size(), 2U);
  EXPECT_EQ(mixed.machine.cores[6].l2_bytes, 1U << 20U);
  EXPECT_EQ(mixed.machine.cores[8].kind, charm::CoreKind::efficiency);
  EXPECT_EQ(mixed.machine.cores[8].l2_bytes, 512U << 10U);
  EXPECT_EQ(mixed.machine.cores[12].kind, charm::CoreKind::low_power);
  EXPECT_EQ(model_json(parse_model(model_json(mixed), "again")), model_json(mixed));
  for (const char* wrong :
       {R"("cores": [])", R"("cores": [{"count": 0}])", R"("cores": [{"count": 2, "capacity": 1025}])",
        R"("cores": [{"capacity": 1000}])", R"("cores": [{"count": 1, "smt": 9}])"}) {
    std::string broken = text;
    const auto at = broken.find("\"cores\": [{\"count\": 1, \"capacity\": 300");
    broken.replace(at, broken.find(']', at) + 1 - at, wrong);
    EXPECT_THROW(parse_model(broken, "broken"), charm::Error) << wrong;
  }
}

/// Costs of one's own for a product.
TEST(Machines, MayNameAProductForTheirShape) {
  std::string text = model_json(model("7713"));
  const auto costs = text.find("\"costs\"");
  const Model own = parse_model("{\"machine\": \"2x9654\", " + text.substr(costs), "own");
  EXPECT_EQ(own.machine.cores.size(), 192U);
  EXPECT_EQ(own.costs.dram_ns.value, model("7713").costs.dram_ns.value);
  EXPECT_THROW(parse_model("{\"machine\": \"2x0815\", " + text.substr(costs), "own"), charm::Error);
}

TEST(Machines, OfATopologyAloneAreEstimates) {
  const Model m = model("pack:2 l3:8 core:8 pu:2");
  EXPECT_EQ(m.machine.cores.size(), 128U);
  EXPECT_NE(m.costs.dram_ns.source.find("estimate"), std::string::npos);
  EXPECT_GT(m.machine.chiplets.front().l3_bytes, 0U);
}

TEST(Machines, ThatAreNoneAreRefusedWithTheNamesOfThoseThereAre) {
  try {
    model("epyc-0815");
    FAIL();
  } catch (const charm::Error& error) {
    EXPECT_NE(std::string(error.what()).find("charm topo --products"), std::string::npos);
  }
  std::string text = model_json(model("7713"));
  text.replace(text.find("dram_ns"), 4, "tram");
  EXPECT_THROW(parse_model(text, "broken"), charm::Error);
  EXPECT_THROW(parse_model("{", "broken"), charm::Error);
}

TEST(Machines, ThatCannotBeAreRefused) {
  const std::string good = model_json(model("7713"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_NO_THROW(parse_model(good, "good"));
  EXPECT_THROW(parse_model(with("\"sockets\": 1", "\"sockets\": 0"), "x"), charm::Error);
  EXPECT_THROW(parse_model(with("\"l2_kib\": 512", "\"l2_kib\": -512"), "x"), charm::Error);
  EXPECT_THROW(parse_model(with("\"l3_mib\": 32", "\"l3_mib\": -1"), "x"), charm::Error);
  EXPECT_THROW(parse_model(with("\"cores\": 8", "\"cores\": \"8\""), "x"), charm::Error);
  EXPECT_THROW(parse_model(with("\"smt\": 2", "\"smt\": 2, \"memory_only_nodes_gb\": [64]"), "x"), charm::Error);
  EXPECT_THROW(parse_model(with("\"sockets\": 1", "\"sockets\": 1e99"), "x"), charm::Error);
}

/// What the controllers know of machines is what the models say with their sources.
TEST(KnownMachines, AreTheModels) {
  std::size_t found = 0;
  for (const auto& known : charm::controller::known_machines()) {
    const Model& model =
        *std::find_if(models().begin(), models().end(), [&](const Model& m) { return m.name == known.name; });
    ++found;
    const Costs& costs = model.costs;
    EXPECT_EQ(known.sockets, static_cast<int>(model.machine.sockets.size())) << known.name;
    EXPECT_EQ(known.nodes, static_cast<int>(model.machine.nodes.size())) << known.name;
    EXPECT_EQ(known.chiplets, static_cast<int>(model.machine.chiplets.size())) << known.name;
    EXPECT_EQ(known.cores, static_cast<int>(model.machine.cores.size())) << known.name;
    EXPECT_EQ(known.latency_ns,
              (std::array{costs.l3_ns.value, costs.other_chiplet_ns.value, costs.other_socket_ns.value,
                          costs.dram_ns.value, costs.remote_dram_ns.value}))
        << known.name;
    EXPECT_EQ(known.mlp, costs.mlp.value) << known.name;
    EXPECT_EQ(known.link_gb_per_s, costs.link_read.value) << known.name;
    const auto nodes = std::count_if(model.machine.nodes.begin(), model.machine.nodes.end(),
                                     [](const charm::Node& node) { return !node.cpus.empty(); });
    EXPECT_EQ(known.socket_gb_per_s * known.sockets, costs.memory_read.value * static_cast<double>(nodes))
        << known.name;
    const auto& similar = charm::controller::most_similar(model.machine);  // or one of the same shape
    EXPECT_EQ(std::tie(similar.sockets, similar.nodes, similar.chiplets, similar.cores),
              std::tie(known.sockets, known.nodes, known.chiplets, known.cores))
        << known.name;
  }
  EXPECT_EQ(found, models().size());
}

}  // namespace
