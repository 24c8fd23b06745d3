// Machine models: each number has a source, the shapes are those of the machines, and what is not a model is refused.
#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "sim/model.hpp"

using namespace charm::sim;

namespace {

TEST(Machines, AreTheOnesThatWereAskedFor) {
  for (const char* name : {"7742", "7713", "2x7713", "7773X", "9654", "9274F", "9355P", "8375C", "8488C", "Max 9460",
                           "kunpeng-920-64", "kunpeng-920-128", "graviton 3", "Graviton4", "7950X3D", "cxl"}) {
    EXPECT_NO_THROW(model(name)) << name;
  }
}

TEST(Machines, GiveASourceForEachNumber) {
  for (const Model& m : models()) {
    EXPECT_FALSE(m.shape_source.empty()) << m.name;
    for (const auto& field : cost_fields())
      EXPECT_FALSE((m.costs.*field.member).source.empty()) << m.name << field.name;
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
    EXPECT_NE(std::string(error.what()).find("epyc-7713"), std::string::npos);
  }
  std::string text = model_json(model("7713"));
  text.replace(text.find("dram_ns"), 4, "tram");
  EXPECT_THROW(parse_model(text, "broken"), charm::Error);
  EXPECT_THROW(parse_model("{", "broken"), charm::Error);
}

}  // namespace
