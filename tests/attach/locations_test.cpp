// Cpus by number and by what they belong to, on machines of several shapes.
#include "tools/attach/locations.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "placement/machines.hpp"

namespace {

using namespace charm::attach;
using Cpus = std::vector<int>;

/// Two sockets of two chiplets of two cores, each with two hardware threads: cpus 0-7, and 8-15 their second ones.
charm::Machine machine() { return charm::test::uniform(2, 2, 2, 2); }

Cpus at(const std::string& text) { return cpus_at(machine(), text, "--cpus"); }

std::string refusal(const std::string& text, const charm::Machine& of = machine()) {
  try {
    cpus_at(of, text, "--cpus");
  } catch (const charm::Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Locations, AreCpusByNumberInTheOrderInWhichTheyAreNamed) {
  EXPECT_EQ(at("3"), (Cpus{3}));
  EXPECT_EQ(at("8,0-2"), (Cpus{8, 0, 1, 2}));
  EXPECT_EQ(at("0-6:3,8"), (Cpus{0, 3, 6, 8})) << "a stride, as taskset has it";
  EXPECT_EQ(at("1,1-2,1"), (Cpus{1, 1, 2, 1})) << "a cpu that is named twice takes two threads";
}

TEST(Locations, AreKindsOfCores) {
  charm::Machine two = machine();
  for (const std::size_t core : {0U, 1U, 4U}) two.cores[core].kind = charm::CoreKind::efficiency;
  EXPECT_EQ(cpus_at(two, "kind:efficiency", "--cpus"), (Cpus{0, 1, 4, 8, 9, 12}));
  EXPECT_EQ(cpus_at(two, "kind:performance.pu:0-1", "--cpus"), (Cpus{2, 10}));
  EXPECT_EQ(cpus_at(two, "socket:1.kind:efficiency", "--cpus"), (Cpus{4, 12}));
  EXPECT_EQ(refusal("kind:low-power", two),
            "--cpus: 'kind:low-power': there is no core of that kind that may be used; choose performance or "
            "efficiency; 'charm topo' shows them");
  EXPECT_EQ(refusal("kind:fast", two),
            "--cpus: 'fast' in 'kind:fast' is no kind of cores; write performance, middle, efficiency or low-power");
}

TEST(Locations, ArePartsOfTheMachine) {
  EXPECT_EQ(at("socket:1"), (Cpus{4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(at("package:1"), at("socket:1"));
  EXPECT_EQ(at("l3:2-3"), (Cpus{4, 5, 12, 13, 6, 7, 14, 15})) << "chiplet by chiplet";
  EXPECT_EQ(at("chiplet:1"), (Cpus{2, 3, 10, 11}));
  EXPECT_EQ(at("L3:1"), at("chiplet:1"));
  EXPECT_EQ(at("core:0-3"), (Cpus{0, 8, 1, 9, 2, 10, 3, 11}));
  EXPECT_EQ(at("pu:0-3"), (Cpus{0, 8, 1, 9})) << "hwloc's numbers: a core's threads are neighbours";
  EXPECT_EQ(at("node:0"), at("numa:0"));
  EXPECT_EQ(at("core:1,chiplet:3,0"), (Cpus{1, 9, 6, 7, 14, 15, 0}));
}

TEST(Locations, HaveTheIndexesOfHwloc) {
  EXPECT_EQ(at("l3:2-"), at("l3:2-3"));
  EXPECT_EQ(at("l3:1:2"), at("l3:1-2"));
  EXPECT_EQ(at("socket:all").size(), 16U);
  EXPECT_EQ(at("core:even"), at("core:0,core:2,core:4,core:6"));
  EXPECT_EQ(at("l3:odd").size(), 8U);
  EXPECT_EQ(at("l3:odd").front(), 2);
}

TEST(Locations, NestFromTheOutsideToTheInside) {
  EXPECT_EQ(at("socket:1.core:0"), (Cpus{4, 12}));
  EXPECT_EQ(at("socket:1.l3:1.core:1.pu:0"), (Cpus{7}));
  EXPECT_EQ(at("core:all.pu:0"), (Cpus{0, 1, 2, 3, 4, 5, 6, 7})) << "the first hardware thread of each core";
  EXPECT_EQ(at("socket:all.core:1"), (Cpus{1, 9, 5, 13}));
}

TEST(Locations, ThatAreNotThereAreRefusedWithWhatIsThere) {
  EXPECT_NE(refusal("l3:4").find("indexes 0 to 3 of the chiplets"), std::string::npos) << refusal("l3:4");
  EXPECT_NE(refusal("socket:1.l3:2").find("0 to 1"), std::string::npos);
  EXPECT_NE(refusal("16").find("cpu 16 may not be used here; choose among 0-15"), std::string::npos) << refusal("16");
  EXPECT_NE(refusal("die:0").find("called 'die'"), std::string::npos);
  const charm::Machine small = charm::test::uniform(1, 1, 2);
  EXPECT_NE(refusal("node:1", small).find("only index 0"), std::string::npos);
  for (const char* text : {"",     ",",      "0,",      "x",         "1-",         "3-1",       "-1",  "l3:",
                           "l3:x", "l3:2-1", "l3:1:0",  "l3:0.core", "l3",         "0-99999",   "0:2", "0-3:0",
                           "0-3:", "0-3:x",  "0-1:2:1", "l3:0.",     "core:0-3:2", "socket:-1", " 1"}) {
    const std::string said = refusal(text);
    EXPECT_NE(said, "nothing") << text;
    EXPECT_NE(said.find("; "), std::string::npos) << text << ": the remedy is missing in " << said;
  }
}

TEST(Locations, CountOnlyWhatMayBeUsed) {
  charm::test::Shape shape;
  shape.sockets = {{{{2, 1 << 20}, {2, 1 << 20}}}};
  shape.forbidden = {0, 1};
  EXPECT_EQ(cpus_at(charm::test::build(shape), "l3:0", "--cpus"), (Cpus{2, 3})) << "as charm topo numbers it";
  EXPECT_NE(refusal("0", charm::test::build(shape)).find("choose among 2-3"), std::string::npos);
}

TEST(Locations, WhateverTheTextNoCpuIsNamedThatMayNotBeUsed) {
  EXPECT_TRUE(rc::check([] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789-,:.lcorepunsktaden")));
    const auto of = machine();
    try {
      for (const int cpu : cpus_at(of, text, "--cpus")) RC_ASSERT(of.allowed_cpus.contains(cpu));
    } catch (const charm::Error&) {
    }
  }));
}

}  // namespace
