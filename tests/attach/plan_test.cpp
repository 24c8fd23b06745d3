// From what was asked for to cpus, policy and pools; and what is refused.
#include "tools/attach/plan.hpp"

#include <charm/error.hpp>

#include <map>
#include <string_view>

#include <gtest/gtest.h>

#include "placement/machines.hpp"
#include "tools/attach/pools.hpp"
#include "topology/kind_machines.hpp"

namespace {

using namespace charm::attach;

charm::base::Settings defaults() {
  return charm::base::resolve({}, [](const char*) { return nullptr; });
}

AttachPlan plan(const charm::Machine& machine, const PlanRequest& request) {
  return make_plan(machine, request, defaults());
}

std::string error_of(const charm::Machine& machine, const PlanRequest& request) {
  try {
    plan(machine, request);
  } catch (const charm::Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunPlan, LeavesSecondThreadsOfCoresOutUnlessTheyAreAskedFor) {
  const auto machine = charm::test::uniform(1, 2, 2, 2);  // cpus 0-3, and 4-7 their second threads
  EXPECT_EQ(plan(machine, {}).cpus, (charm::CpuSet{0, 1, 2, 3}));
  EXPECT_EQ(plan(machine, {}).cores, 4);
  PlanRequest smt;
  smt.smt = true;
  EXPECT_EQ(plan(machine, smt).cpus, machine.allowed_cpus);
  EXPECT_EQ(plan(machine, smt).cores, 8);
  PlanRequest unsized;
  unsized.size = false;
  EXPECT_EQ(plan(machine, unsized).cpus, machine.allowed_cpus);
  PlanRequest free;
  free.policy = "os";
  EXPECT_EQ(plan(machine, free).cpus, machine.allowed_cpus);
}

TEST(RunPlan, ChipletsAreTheLargest) {
  charm::test::Shape shape;
  shape.sockets = {{{{2, 1 << 20}, {4, 1 << 20}, {3, 1 << 20}}}};
  const auto machine = charm::test::build(shape);
  PlanRequest request;
  request.chiplets = 1;
  EXPECT_EQ(plan(machine, request).cpus, (charm::CpuSet{2, 3, 4, 5}));
  request.chiplets = 2;
  EXPECT_EQ(plan(machine, request).cpus, (charm::CpuSet{2, 3, 4, 5, 6, 7, 8}));
}

charm::CpuSet cpus_of(const charm::Machine& machine, int chiplets, ChipletOrder order) {
  PlanRequest request;
  request.chiplets = chiplets;
  request.chiplet_order = order;
  return plan(machine, request).cpus;
}

TEST(RunPlan, ChipletsOfStrixPointAreTheFastOrTheLargeOnesAsAskedFor) {
  const auto strix = charm::Machine::from(CHARM_TEST_DATA "/topologies/AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml");
  EXPECT_EQ(cpus_of(strix, 1, ChipletOrder::usual).to_text(), "0-3");
  EXPECT_EQ(cpus_of(strix, 1, ChipletOrder::cache).to_text(), "0-3");
  EXPECT_EQ(cpus_of(strix, 1, ChipletOrder::fast).to_text(), "0-3");
  EXPECT_EQ(cpus_of(strix, 1, ChipletOrder::cores).to_text(), "4-11");
}

TEST(RunPlan, ChipletsWithAStackedCacheAreForThoseWhoAskForTheCache) {
  const auto x3d = charm::test::ryzen_7950x3d();
  EXPECT_EQ(cpus_of(x3d, 1, ChipletOrder::cache).to_text(), "0-7");
  EXPECT_EQ(cpus_of(x3d, 1, ChipletOrder::fast).to_text(), "8-15");
}

TEST(RunPlan, LeavesLowPowerCoresOutUnlessTheyAreAskedFor) {
  const auto machine = charm::test::core_ultra_288v();
  EXPECT_EQ(plan(machine, {}).cpus.to_text(), "0-3");
  EXPECT_EQ(plan(machine, {}).cores, 4);
  PlanRequest all;
  all.cpus = machine.allowed_cpus;
  EXPECT_EQ(plan(machine, all).cores, 8);
}

TEST(RunPlan, RefusesWhatCannotBeAndSaysWhatCan) {
  const auto machine = charm::test::uniform(1, 2, 2);
  PlanRequest request;
  request.cpus = {2, 3, 4, 9};
  EXPECT_EQ(error_of(machine, request), "--cpus: cpu 4,9 may not be used here; choose among 0-3");
  request = {};
  request.chiplets = 3;
  EXPECT_EQ(error_of(machine, request),
            "--chiplets 3: there are 2 chiplets to use; ask for at most 2; 'charm topo' shows them");
  request = {};
  request.policy = "fastest";
  EXPECT_NE(error_of(machine, request).find("unknown policy 'fastest'; choose one of adaptive"), std::string::npos);
}

TEST(RunPlan, AdaptiveLooksLessOftenFromOutsideUnlessSomebodySaysHowOften) {
  auto settings = defaults();
  EXPECT_EQ(spec_for({}, settings), "adaptive:tick=0.2");
  settings.policy = "adaptive:tick=0.1";
  EXPECT_EQ(spec_for({}, settings), "adaptive:tick=0.1");
  settings.policy = "adaptive:expand=0.05";
  EXPECT_EQ(spec_for({}, settings), "adaptive:tick=0.2,expand=0.05");
  PlanRequest request;
  request.policy = "local";
  EXPECT_EQ(spec_for(request, settings), "local");
}

std::map<std::string, std::string> sizes(const AttachPlan& plan,
                                         const std::map<std::string, std::string>& environment = {},
                                         const std::vector<std::string>& left_out = {}, const Words& program = {}) {
  std::map<std::string, std::string> found;
  for (const auto& pool : pool_sizes(plan, program, left_out, [&](const char* name) -> const char* {
         const auto value = environment.find(name);
         return value == environment.end() ? nullptr : value->second.c_str();
       })) {
    found[(pool.argument ? "argument " : "") + pool.name] = pool.value;
  }
  return found;
}

TEST(PoolSizes, AreTheCoresOfThePlan) {
  PlanRequest request;
  request.policy = "distributed";
  auto asked = plan(charm::test::uniform(1, 2, 2), request);
  EXPECT_EQ(sizes(asked), (std::map<std::string, std::string>{{"OMP_NUM_THREADS", "4"},
                                                              {"OMP_PLACES", "{0},{2},{1},{3}"},
                                                              {"OMP_PROC_BIND", "true"},
                                                              {"GOMAXPROCS", "4"},
                                                              {"RAYON_NUM_THREADS", "4"},
                                                              {"TOKIO_WORKER_THREADS", "4"},
                                                              {"POLARS_MAX_THREADS", "4"},
                                                              {"PYTHON_CPU_COUNT", "4"}}));
  asked.machine.cpu_quota = 1.5;
  EXPECT_EQ(sizes(asked).at("GOMAXPROCS"), "2");
}

TEST(PoolSizes, PlacesAreToldOnlyWhereTheyStandStill) {
  EXPECT_FALSE(sizes(plan(charm::test::uniform(1, 2, 2), {})).contains("OMP_PLACES")) << "adaptive";
}

std::string places_of(const charm::Machine& machine, const char* policy, int workers) {
  PlanRequest request;
  request.policy = policy;
  request.workers = workers;
  return sizes(plan(machine, request))["OMP_PLACES"];
}

charm::ChipletSet chiplets_of(const charm::Machine& machine, const charm::CpuSet& cpus) {
  charm::ChipletSet chiplets;
  for (const int cpu : cpus) chiplets.insert(machine.core_of_cpu(cpu)->chiplet);
  return chiplets;
}

TEST(PoolSizes, PlacesServeATeamOfAnySize) {
  const auto machine = charm::test::uniform(1, 4, 4);
  EXPECT_EQ(places_of(machine, "distributed", 8), "{0},{4},{8},{12},{1},{5},{9},{13}");
  EXPECT_EQ(places_of(machine, "local", 6), "{0},{1},{2},{4},{5},{6}") << "two chiplets";
  const auto wide = charm::test::uniform(2, 8, 8);
  for (const char* policy : {"local", "distributed", "numa"}) {
    PlanRequest request;
    request.policy = policy;
    const AttachPlan asked = plan(wide, request);
    const auto whole = team_order(asked, 128);
    ASSERT_EQ(whole.size(), 128U);
    for (const int team : {1, 3, 8, 20, 64}) {
      charm::CpuSet first, placed;
      for (int w = 0; w < team; ++w) first.insert(whole[static_cast<std::size_t>(w)].cpu);
      for (const auto& each : team_order(asked, team)) placed.insert(each.cpu);
      // `local` divides a team evenly over the chiplets that it needs, which no order has for all teams.
      if (policy == std::string_view("local")) {
        EXPECT_EQ(chiplets_of(wide, first), chiplets_of(wide, placed)) << team;
      } else {
        EXPECT_EQ(first, placed) << policy << ' ' << team;
      }
    }
  }
}

TEST(PoolSizes, PlacesAreThoseOfTheTeamThatTheUserHasSet) {
  PlanRequest request;
  request.policy = "distributed";
  const auto asked = plan(charm::test::uniform(1, 2, 4), request);
  const auto told = sizes(asked, {{"OMP_NUM_THREADS", "2,1"}});
  EXPECT_FALSE(told.contains("OMP_NUM_THREADS"));
  EXPECT_EQ(told.at("OMP_PLACES"), "{0},{4}");
  EXPECT_FALSE(sizes(asked, {{"OMP_NUM_THREADS", "9"}}).contains("OMP_PLACES")) << "they share cores";
  EXPECT_FALSE(sizes(asked, {{"OMP_NUM_THREADS", "many"}}).contains("OMP_PLACES"));
  EXPECT_FALSE(sizes(asked, {{"OMP_NUM_THREADS", "2"}, {"OMP_PROC_BIND", "close"}}).contains("OMP_PLACES"));
}

TEST(PoolSizes, AJavaProgramIsToldByAnArgument) {
  const auto asked = plan(charm::test::uniform(1, 2, 2), {});
  const auto told = [&](const Words& program) {
    return sizes(asked, {{"OMP_NUM_THREADS", ""}}, {"go", "rust", "python"}, program);
  };
  using Told = std::map<std::string, std::string>;
  const Told argument = {{"argument -XX:ActiveProcessorCount", "4"}};
  const Told variable = {{"JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=4"}};
  EXPECT_EQ(told({{"java", "-jar", "a.jar"}}), argument);
  EXPECT_EQ(told({{"/usr/lib/jvm/bin/java", "Main"}}), argument);
  EXPECT_EQ(told({{"java", "Main"}, true}), variable) << "its children shall know, too";
  EXPECT_EQ(told({{"./mvnw", "java"}}), Told()) << "a Java machine prints a line about every variable";
  EXPECT_EQ(told({{"./mvnw", "java"}, true}), variable);
  EXPECT_EQ(told({{"java", "-XX:ActiveProcessorCount=1", "Main"}}), Told());
}

TEST(PoolSizes, NothingThatTheUserHasSetIsTouched) {
  const auto asked = plan(charm::test::uniform(1, 2, 2), {});
  const auto set = sizes(
      asked,
      {{"OMP_NUM_THREADS", "3"}, {"GOMAXPROCS", ""}, {"POLARS_MAX_THREADS", "3"}, {"JAVA_TOOL_OPTIONS", "-Xmx1g"}},
      {"python"}, {{"./mvnw"}, true});
  EXPECT_EQ(set, (std::map<std::string, std::string>{{"RAYON_NUM_THREADS", "4"},
                                                     {"TOKIO_WORKER_THREADS", "4"},
                                                     {"JAVA_TOOL_OPTIONS", "-Xmx1g -XX:ActiveProcessorCount=4"}}));
  EXPECT_TRUE(sizes(asked, {}, pool_kinds()).empty());
  PlanRequest free;
  free.policy = "os";
  EXPECT_TRUE(sizes(plan(charm::test::uniform(1, 2, 2), free)).empty());
}

/// A node with memory that is twice as fast, and one that differs as measurements do.
TEST(Plan, OfFewChipletsTakesThoseWhoseMemoryWasMeasuredToBeFaster) {
  charm::Machine machine = charm::test::uniform(3, 2, 4);
  EXPECT_EQ(first_chiplets(machine, 2, ChipletOrder::usual).nodes[0].cpus.size(), 8U) << "nothing is known: the first";
  machine.measured.node_gb_per_s = {{10, 1, 1}, {1, 20, 1}, {1, 1, 10.2}};
  const charm::Machine two = first_chiplets(machine, 2, ChipletOrder::usual);
  EXPECT_EQ(two.nodes[1].cpus.size(), 8U);
  const charm::Machine four = first_chiplets(machine, 4, ChipletOrder::usual);
  EXPECT_EQ(four.nodes[0].cpus.size(), 8U) << "the third is not known to be faster than the first";
  machine.measured.doubts = {"another program ran"};
  EXPECT_EQ(first_chiplets(machine, 2, ChipletOrder::usual).nodes[0].cpus.size(), 8U)
      << "a doubtful profile decides nothing";
}

}  // namespace
