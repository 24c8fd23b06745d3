// Rates: nobody gets more bandwidth than there is, and farther is slower.
#include "tools/sim/timing.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sched/api/capacity_shares.hpp"
#include "sched/api/loop_speeds.hpp"
#include "tools/sim/backend.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/simulated_policy.hpp"

using namespace charm::sim;

namespace {

Rates rates(const std::string& machine_name, const std::string& spec, const std::string& policy, int workers) {
  const Model machine = model(machine_name);
  const Workload work = workload(spec, workers);
  const SimulationPlan plan = plan_for(policy, machine, work, workers);
  const Job job{&machine, plan.placement.start(), &work.phases.front(), plan.habits};
  return rates_of(job, analytic_mixes(job));
}

TEST(Rates, OfASweepFromMemoryAreThoseOfTheLinkAndOfTheControllers) {
  // One chiplet reads 45 GB/s, eight of them read what the socket's memory gives.
  EXPECT_NEAR(rates("7713", "sweep:mb=1024,writes=0", "local", 8).operations_per_s * 64 / 1e9, 45, 2);
  EXPECT_NEAR(rates("7713", "sweep:mb=1024,writes=0", "local", 64).operations_per_s * 64 / 1e9, 155, 6);
}

TEST(Rates, NeverExceedTheMemoryOfAnyMachine) {
  for (const Model& m : models()) {
    const int workers = static_cast<int>(m.machine.cores.size());
    const Rates r = rates(m.name, "sweep:mb=4096,writes=0", "distributed", workers);
    double nodes = 0;
    for (const auto& node : m.machine.nodes) nodes += node.cpus.empty() ? 0 : 1;
    EXPECT_LE((r.fills_per_s[4] + r.fills_per_s[5]) * 64 / 1e9, m.costs.memory_read.value * nodes * 1.01) << m.name;
  }
}

TEST(Rates, BarriersCostMoreAcrossChiplets) {
  const Model m = model("7713");
  const Workload work = workload("copy", 8);
  const auto near = plan_for("local", m, work, 8), far = plan_for("distributed", m, work, 8);
  const Phase& phase = work.phases.front();
  EXPECT_NEAR(barrier_ns(m, near.placement.start(), phase, false), m.costs.barrier_ns.value + 8 * 24, 1);
  EXPECT_NEAR(barrier_ns(m, far.placement.start(), phase, false), m.costs.barrier_ns.value + 8 * 106, 1);
  const auto all = plan_for("local", m, work, 64);
  EXPECT_LT(barrier_ns(m, all.placement.start(), phase, true),
            0.5 * barrier_ns(m, all.placement.start(), phase, false));
}

TEST(Policies, TakeSettingsOfCharmBenchBehindTheirNames) {
  const Model m = model("2x7713");
  const Workload work = workload("compute", 64);
  const auto sockets = [&](std::string_view policy, int workers) {
    std::map<int, int> used;
    const SimulationPlan plan = plan_for(policy, m, work, workers);
    for (const charm::WorkerCore& core : plan.placement.start()) ++used[core.socket];
    return used;
  };
  EXPECT_EQ(sockets("distributed", 64), (std::map<int, int>{{0, 64}}));
  EXPECT_EQ(sockets("distributed/sockets=balance", 64), (std::map<int, int>{{0, 32}, {1, 32}}));
  EXPECT_EQ(sockets("distributed/sockets=balance/stealing=random", 8), (std::map<int, int>{{0, 4}, {1, 4}}));
  EXPECT_EQ(sockets("distributed/stealing=random/sockets=balance", 8), (std::map<int, int>{{0, 4}, {1, 4}}));
  EXPECT_EQ(sockets("charm/sockets=balance", 8), (std::map<int, int>{{0, 4}, {1, 4}}));
  const auto refused = [&](std::string_view policy) {
    try {
      (void)plan_for(policy, m, work, 8);
    } catch (const charm::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("local/sockets=all").find("'all' is no order of sockets; take widen, fill or balance"),
            std::string::npos);
  EXPECT_NE(refused("ring/sockets=fill").find("'ring' has its own order of sockets"), std::string::npos);
  EXPECT_NE(refused("local/stack_kb=4").find("take /stealing=near"), std::string::npos);
}

TEST(Rates, SlowerKindsOfCoresComputeLongerAndReadAsFast) {
  const std::string hybrid = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  const Model m = model(hybrid);
  const Rates computed = rates(hybrid, "compute", "local", 14),
              read = rates(hybrid, "sweep:mb=1024,writes=0", "local", 14);
  const auto ratio = [&](const Rates& r) { return r.workers[13].ns_per_operation / r.workers[0].ns_per_operation; };
  const int slow =
      m.machine
          .cores[static_cast<std::size_t>(plan_for("local", m, workload("compute", 14), 14).placement.start()[13].core)]
          .capacity;
  EXPECT_NEAR(ratio(computed), 1024.0 / slow, .02);
  EXPECT_LT(ratio(read), 1 + .5 * (1024.0 / slow - 1));
}

/// How much slower a step is whose parts the runtime's own learner divides (sched/api/loop_speeds.hpp), after `runs` of
/// them, than one in which nobody waits for anybody; what an operation takes on each core is the model's.
double loss_of_learned_parts(const std::string& machine_name, const std::string& spec, int workers, int runs) {
  const Model machine = model(machine_name);
  const Workload work = workload(spec, workers);
  const SimulationPlan plan = plan_for("local", machine, work, workers);
  const Job job{&machine, plan.placement.start(), &work.phases.front(), plan.habits};
  const Rates r = rates_of(job, analytic_mixes(job));
  std::vector<int> cores;
  for (const auto& place : job.worker_cores) cores.push_back(place.core);
  charm::detail::LoopSpeeds speeds;
  constexpr std::int64_t operations = 10'000'000;
  double longest = 0, per_ns = 0;
  for (const WorkerRate& worker : r.workers) per_ns += 1 / worker.ns_per_operation;
  for (int run = 0; run <= runs; ++run) {
    const auto begins = charm::detail::capacity_shares(operations, speeds.weights(&work, machine.machine, cores));
    charm::detail::KindTimes times;
    longest = 0;
    for (std::size_t w = 0; w < cores.size(); ++w) {
      const double ns = static_cast<double>(begins[w + 1] - begins[w]) * r.workers[w].ns_per_operation;
      longest = std::max(longest, ns);
      auto& of = times[static_cast<std::size_t>(machine.machine.cores[static_cast<std::size_t>(cores[w])].kind)];
      of.iterations += begins[w + 1] - begins[w];
      of.ns += static_cast<std::int64_t>(ns);
      ++of.parts;
    }
    speeds.learn(&work, times);
  }
  return 1 - operations / per_ns / longest;
}

// The bar of the static schedule on unequal cores: no more than 5 % behind.
TEST(Rates, LearnedPartsLoseLittleOnUnequalCores) {
  for (const std::string file : {"Intel-MeteorLake-CoreUltra155H.xml", "AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"}) {
    const std::string machine = CHARM_TEST_DATA "/topologies/" + file;
    const int cores = static_cast<int>(model(machine).machine.cores.size());
    for (const int workers : {cores, cores - 2, cores / 2 + 1}) {
      for (const std::string work :
           {"compute", "compute:compute_ns=20", "triad:total_mb=384", "triad:total_mb=8", "triad:total_mb=48"})
        EXPECT_LE(loss_of_learned_parts(machine, work, workers, 4), .05) << file << ' ' << work << ' ' << workers;
    }
  }
  const std::string hybrid = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  EXPECT_GT(loss_of_learned_parts(hybrid, "triad:total_mb=384", 14, 0), .10) << "the first run is by capacity";
  const auto loss = [&](const std::string& work, int parts) {
    return 1 - rates(hybrid, work + ",parts=" + std::to_string(parts), "local", 14).operations_per_s /
                   rates(hybrid, work + ",parts=0", "local", 14).operations_per_s;
  };
  EXPECT_GT(loss("compute:barriers=1", 1), .15) << "equal parts";
  EXPECT_LT(loss("compute:barriers=1", 2), .01);
  EXPECT_GT(loss("triad:total_mb=384", 2), .10) << "by capacity, where memory is what all wait for";
}

TEST(Rates, DataOnMemoryOnlyNodesIsSlower) {
  const Model m = model("cxl");
  const Workload work = workload("gups", 24);
  const SimulationPlan plan = plan_for("local", m, work, 24);
  Job job{&m, plan.placement.start(), &work.phases.front(), plan.habits};
  const double near = rates_of(job, analytic_mixes(job)).operations_per_s;
  job.habits.far_share = 0.5;
  EXPECT_LT(rates_of(job, analytic_mixes(job)).operations_per_s, 0.8 * near);
}

}  // namespace
