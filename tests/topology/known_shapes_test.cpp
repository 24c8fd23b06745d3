// Products whose shape is known by name: each is found by all that it is called, is a machine like any other, and has
// the numbers that its source tells.
#include "topology/known_shapes.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;
using topology::known_shapes;
using topology::KnownShape;
using topology::named_machine;

namespace {

std::string name_of(std::string_view text) {
  const auto found = named_machine(text);
  return found ? std::to_string(found->sockets) + " " + std::string(found->shape->name) : "";
}

int cores_of(const KnownShape& shape) {
  int cores = 0;
  for (const topology::Cores& group : shape.cores) cores += group.cores * std::max(1, group.chiplets);
  return cores;
}

TEST(KnownShapes, AreFoundByEachOfTheirNamesAndByNoOther) {
  std::set<std::string> seen;
  for (const KnownShape& shape : known_shapes()) {
    const std::string itself = std::to_string(shape.sockets) + " " + std::string(shape.name);
    EXPECT_EQ(name_of(shape.name), itself);
    EXPECT_TRUE(seen.insert(std::string(shape.name)).second) << shape.name;
    std::istringstream aliases{std::string(shape.aliases)};
    for (std::string alias; aliases >> alias;) {
      EXPECT_EQ(name_of(alias), itself) << alias;
      EXPECT_TRUE(seen.insert(alias).second) << alias;
    }
  }
}

TEST(KnownShapes, TakeANumberOfSockets) {
  EXPECT_EQ(name_of("9654"), "1 epyc-9654");
  for (const char* two : {"2x9654", "2xEPYC-9654", "2 x epyc 9654", "2×9654", "2X AMD EPYC 9654"})
    EXPECT_EQ(name_of(two), "2 epyc-9654") << two;
  EXPECT_EQ(name_of("16x9654"), "16 epyc-9654");
  // Where a machine of so many sockets has an entry of its own, it is that one.
  EXPECT_EQ(name_of("2x7713"), "2 epyc-7713-2s");
  EXPECT_EQ(name_of("1xkunpeng"), "1 kunpeng-920-64");
  EXPECT_EQ(name_of("1x7742"), "1 epyc-7742");
  for (const char* none : {"", " ", "x", "2x", "x9654", "0x9654", "17x9654", "-1x9654", "2x2x9654", "9654x2",
                           "2xpack:2", "gb:10", "./9654", "99999999999x9654", "epyc", "a/9654"})
    EXPECT_EQ(name_of(none), "") << none;
}

TEST(KnownShapes, AreMachines) {
  for (const KnownShape& shape : known_shapes()) {
    for (const int sockets : {1, shape.sockets, 4}) {
      const Machine machine = Machine::from(std::to_string(sockets) + "x" + std::string(shape.name));
      SCOPED_TRACE(machine.name);
      EXPECT_EQ(structure_error(machine), "");
      EXPECT_EQ(static_cast<int>(machine.sockets.size()), sockets);
      EXPECT_EQ(static_cast<int>(machine.cores.size()), cores_of(shape) * sockets);
      EXPECT_EQ(machine.total.cores, cores_of(shape) * sockets);
      EXPECT_NE(machine.name.find(shape.product), std::string::npos);
      EXPECT_TRUE(has_note(machine, "published shape"));
      EXPECT_TRUE(machine.doubts.empty()) << machine.doubts.front();
      EXPECT_FALSE(machine.is_live());
    }
  }
}

TEST(KnownShapes, HaveTheirCoresAndCaches) {
  const Machine turin = Machine::from("2x9755");
  EXPECT_EQ(turin.chiplets.size(), 32U);
  EXPECT_EQ(turin.cores[1].siblings, (CpuSet{1, 257}));
  EXPECT_EQ(turin.name, "2 × AMD EPYC 9755");
  EXPECT_EQ(turin.origin, "name:epyc-9755");
  EXPECT_EQ(Machine::from("turin-dense").chiplets[11].cores.size(), 16U);

  const Machine granite = Machine::from("6980p");
  EXPECT_EQ(granite.nodes.size(), 3U);
  EXPECT_EQ(granite.chiplets[2].cores.size(), 42U);
  EXPECT_EQ(granite.distance(0, 43), 3);

  const Machine meteor = Machine::from("155h");
  ASSERT_EQ(meteor.chiplets.size(), 2U);
  EXPECT_EQ(meteor.cores[0].siblings.size(), 2U);
  EXPECT_EQ(meteor.cores[6].kind, CoreKind::efficiency);
  EXPECT_EQ(meteor.cores[6].cpu, 12) << "a core's threads are neighbours";
  EXPECT_EQ(meteor.cores[14].kind, CoreKind::low_power);
  EXPECT_EQ(meteor.chiplets[1].l3_bytes, 0U) << "as its CPUID tells it";
  EXPECT_EQ(meteor.cores[6].cluster, meteor.cores[9].cluster);
  EXPECT_NE(meteor.cores[6].cluster, meteor.cores[10].cluster);

  const Machine spark = Machine::from("gb10");
  EXPECT_EQ(spark.chiplets[0].l3_bytes, 8U << 20U);
  EXPECT_EQ(spark.cores[0].kind, CoreKind::efficiency);
  EXPECT_EQ(spark.cores[5].kind, CoreKind::performance);

  const Machine snapdragon = Machine::from("snapdragon-x-elite");
  ASSERT_EQ(snapdragon.chiplets.size(), 3U);
  EXPECT_EQ(snapdragon.chiplets[1].cache_level, 2);
  EXPECT_EQ(snapdragon.chiplets[1].l3_bytes, 12U << 20U);

  EXPECT_EQ(Machine::from("cxl").nodes.back().cpus, CpuSet{});
}

/// A file of that name is meant where there is one.
TEST(KnownShapes, GiveWayToFiles) {
  const Folder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::ofstream("2x9654") << "no machine";
  EXPECT_THROW((void)Machine::from("2x9654"), Error);
  std::filesystem::current_path(before);
  EXPECT_EQ(Machine::from("2x9654").cores.size(), 192U);
}

TEST(KnownShapes, AreToldToWhoeverNamesAnother) {
  try {
    (void)Machine::from("epyc-0815");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'epyc-0815'"), std::string::npos);
    EXPECT_NE(error.remedy().find("2xepyc-9654"), std::string::npos);
  }
}

}  // namespace
