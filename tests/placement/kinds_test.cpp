// Kinds of cores in placement: which cores workers get on machines that have several.
#include "placement/kinds.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "binding/request.hpp"
#include "placement/bins.hpp"
#include "placement/machines.hpp"
#include "placement/properties.hpp"
#include "topology/kind_machines.hpp"

using namespace charm;
using namespace charm::placement;
using namespace charm::test;

namespace {

Machine stored(const std::string& file) { return Machine::from(CHARM_TEST_DATA "/topologies/" + file); }

CpuSet placed(const char* name, const Machine& machine, int workers) {
  CpuSet cpus;
  const Placement placement = policy(name).place(machine, {.workers = workers});
  for (const WorkerCore& worker_core : placement.start()) cpus.insert(worker_core.cpu);
  return cpus;
}

TEST(KindsOfCores, Gb10FillsItsFastCoresFirst) {
  const Machine m = gb10();
  EXPECT_EQ(placed("local", m, 5).to_text(), "5-9");
  EXPECT_EQ(placed("local", m, 10).to_text(), "5-9,15-19");
  EXPECT_EQ(placed("local", m, 12).to_text(), "0,5-10,15-19") << "both chiplets are in use anyway";
  EXPECT_EQ(placed("distributed", m, 4).to_text(), "5-7,15") << "by their caches of 16 and 8 MiB";
  EXPECT_EQ(binding::worker_count(m, {}), 20);
}

TEST(KindsOfCores, CoreUltra155hLeavesItsLowPowerCoresOut) {
  const Machine m = stored("Intel-MeteorLake-CoreUltra155H.xml");
  EXPECT_EQ(placed("local", m, 6).to_text(), "0,10,12,14,16,18");
  EXPECT_EQ(placed("distributed", m, 4).to_text(), "0,10,12,14");
  EXPECT_EQ(placed("distributed", m, 8).to_text(), "0,2-3,10,12,14,16,18");
  EXPECT_EQ(binding::worker_count(m, {}), 14);
  EXPECT_EQ(placed("local", m, 16).size(), 16U) << "asked for by their number";
}

TEST(KindsOfCores, CoreUltra288vLeavesItsLowPowerCoresOut) {
  const Machine m = core_ultra_288v();
  EXPECT_EQ(placed("distributed", m, 4).to_text(), "0-3");
  EXPECT_EQ(binding::worker_count(m, {}), 4);
  EXPECT_EQ(without_low_power(m).allowed_cpus.to_text(), "0-3");
}

TEST(KindsOfCores, OnlyThoseThatAreWantedGetWorkers) {
  const Machine m = stored("Intel-MeteorLake-CoreUltra155H.xml");
  EXPECT_EQ(binding::worker_count(of_kinds(m, "performance"), {}), 6);
  EXPECT_EQ(binding::worker_count(of_kinds(m, "efficiency"), {}), 8);
  EXPECT_EQ(binding::worker_count(of_kinds(m, "performance,efficiency"), {}), 14);
  EXPECT_EQ(binding::worker_count(of_kinds(m, "low-power"), {}), 2);
  EXPECT_EQ(of_kinds(m, "efficiency,low-power").cores.size(), 10U);
  for (const char* any : {"", "auto"}) EXPECT_EQ(of_kinds(m, any).cores.size(), m.cores.size());
  const auto problem = [&](const Machine& of, const char* kinds) -> std::string {
    try {
      of_kinds(of, kinds);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(problem(m, "middle").find("no cores of kind middle"), std::string::npos);
  EXPECT_NE(problem(m, "middle").find("6 performance"), std::string::npos);
  EXPECT_NE(problem(of_kinds(m, "efficiency"), "performance").find("all of its cores are of one kind, efficiency"),
            std::string::npos);
  for (const char* wrong : {"fast", "performance,", ",", "performance;efficiency", "Performance"})
    EXPECT_NE(problem(m, wrong).find("kinds"), std::string::npos) << wrong;
}

TEST(KindsOfCores, M1UltraDoesNotBeginWithItsEfficiencyCores) {
  const Machine m = m1_ultra();
  EXPECT_EQ(placed("local", m, 4).to_text(), "2-5");
  EXPECT_EQ(placed("local", m, 17).to_text(), "0,2-9,12-19");
  EXPECT_EQ(placed("distributed", m, 4).to_text(), "2,6,12,16");
}

TEST(KindsOfCores, StrixPointBeginsWithItsLargeCores) {
  const Machine m = stored("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml");
  EXPECT_EQ(placed("local", m, 4).to_text(), "0-3");
  EXPECT_EQ(placed("distributed", m, 4).to_text(), "0-3");
  EXPECT_EQ(placed("local", m, 6).to_text(), "0-5");
}

TEST(KindsOfCores, FavouredCoresChangeNoPlacement) {
  const Machine m = ryzen_7950x3d();
  EXPECT_EQ(placed("local", m, 8).to_text(), "0-7");
}

TEST(KindsOfCores, AreSaidWhereThereAreSeveral) {
  EXPECT_EQ(kinds_text(core_ultra_288v()), "4 performance (cpus 0-3), 4 low-power (cpus 4-7)");
  EXPECT_EQ(kinds_text(ryzen_7950x3d()), "");
}

TEST(KindsOfCores, NoSlowCoreIsTakenBeforeAFastOne) {
  EXPECT_TRUE(rc::check([] {
    const Machine m = *any_machine_with_kinds();
    const bool smt = *rc::gen::arbitrary<bool>();
    Request request{.workers = *rc::gen::inRange(1, capacity(m, smt) + 1), .smt = smt};
    request.sockets = *rc::gen::element(SocketOrder::widen, SocketOrder::fill, SocketOrder::balance);
    for (const std::string name : {"local", "distributed", "numa"}) {
      const Placement p = policy(name).place(m, request);
      RC_ASSERT(slow_before_fast(m, p, smt) == "");
      RC_ASSERT(ranges_overlap(p) == "");
      RC_ASSERT(wrong_core(m, p, smt) == "");
      RC_ASSERT(name == "numa" || wrong_width(p) == "");
    }
  }));
}

TEST(KindsOfCores, NoWorkerIsOnALowPowerCoreByDefault) {
  EXPECT_TRUE(rc::check([] {
    const Machine m = *any_machine_with_kinds();
    const bool others =
        std::any_of(m.cores.begin(), m.cores.end(), [](const Core& core) { return core.kind != CoreKind::low_power; });
    RC_PRE(others);
    for (const char* name : {"local", "distributed", "numa"}) {
      const Placement p = policy(name).place(m, {.workers = binding::worker_count(m, {})});
      for (const auto& row : p.worker_cores) {
        for (const WorkerCore& worker_core : row) RC_ASSERT(m.cores[at(worker_core.core)].kind != CoreKind::low_power);
      }
    }
  }));
}

}  // namespace
