// The parts of the controllers one by one: parameters, registry, samples, scatter, phases.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "controller/controller.hpp"
#include "controller/noise.hpp"
#include "controller/pace.hpp"
#include "controller/phases.hpp"
#include "controller/sample.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"

using namespace charm::controller;

namespace {

std::string error_of(const std::string& spec) {
  try {
    make_controller(spec, Setup{});
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_config);
    return error.what();
  }
  return "";
}

TEST(Registry, AnUnknownControllerIsAnErrorThatNamesThoseThereAre) {
  std::string text = error_of("adaptiv");
  for (const ControllerType& each : policies()) EXPECT_NE(text.find(each.name), std::string::npos) << text;
}

TEST(Parameters, AreTakenByNameAndRefusedWithWhatIsAccepted) {
  EXPECT_EQ(error_of("adaptive:tick=0.1,expand=0.05"), "");
  EXPECT_NE(error_of("adaptive:tik=0.1").find("tick"), std::string::npos);
  for (const char* wrong : {"tick=", "tick=-1", "tick=fast", "tick=nan", "tick=inf", "tick=1e99", "tick", ",", "=1"}) {
    EXPECT_NE(error_of("adaptive:" + std::string(wrong)), "") << wrong;
  }
  EXPECT_NE(error_of("charm-alg1:events=all").find("remote-chiplet|remote-chiplet+dram|any"), std::string::npos);
}

TEST(Parameters, EveryDefaultIsAcceptedAsItStands) {
  for (const ControllerType& each : policies()) {
    std::string text;
    for (const Parameter& p : each.parameters) {
      text += text.empty() ? "" : ",";
      text += p.name;
      text += "=";
      text += p.default_value;
      EXPECT_FALSE(p.doc.empty()) << p.name;
    }
    EXPECT_EQ(error_of(std::string(each.name).append(":").append(text)), "");
  }
}

TEST(ControllerProperty, AnswersWithOneOfItsLevelsWhateverItIsTold) {
  EXPECT_TRUE(rc::check([] {
    charm::controller::Setup setup;
    setup.levels = *rc::gen::element(std::vector<int>{1}, std::vector<int>{1, 2, 4, 8}, std::vector<int>{3, 4, 8, 12});
    setup.initial = *rc::gen::inRange(0, static_cast<int>(setup.levels.size()));
    const ControllerType& each = policies()[*rc::gen::inRange<std::size_t>(0, policies().size())];
    auto controller = make_controller(each.name, setup);
    auto number = [] { return *rc::gen::element(0.0, 1e-9, 1.0, 3.0, 1e6, 1e15); };
    Signals s;
    for (int i = 0; i < 50; ++i) {
      s.elapsed = *rc::gen::element(0.0, 0.05, 5.0);
      s.time += s.elapsed;
      s.workers = 8;
      s.busy = number();
      s.tasks = number();
      s.user_work = number();
      s.task_work = number();
      s.counters = *rc::gen::arbitrary<bool>();
      s.instructions = number();
      for (double& fills : s.fills) fills = number();
      int spread = controller->tick(s);
      RC_ASSERT(std::count(setup.levels.begin(), setup.levels.end(), spread) == 1);
      RC_ASSERT(spread == controller->spread());
    }
  }));
}

Signals tick(double work) {
  Signals s;
  s.elapsed = 0.05;
  s.workers = 8;
  s.busy = 0.4;
  s.task_work = work;
  return s;
}

TEST(Sampler, CountsInTheBestUnitEverGivenAndSaysWhenItChanges) {
  Sampler sampler{Traits{}};
  Signals s = tick(0);
  s.counters = true;
  s.instructions = 5e6;
  EXPECT_DOUBLE_EQ(sampler.sample(s)->throughput, 1e8);
  EXPECT_FALSE(sampler.unit_changed());
  s.user_work = 10;
  EXPECT_DOUBLE_EQ(sampler.sample(s)->throughput, 200);
  EXPECT_TRUE(sampler.unit_changed());
  EXPECT_FALSE(sampler.unit_changed());
  s.user_work = 0;
  EXPECT_FALSE(sampler.sample(s)) << "no work this time, not work in another unit";
}

TEST(Sampler, StallsAreFillsTimesLatencyOverWhatRunsInParallel) {
  Traits traits;
  Sampler sampler(traits);
  Signals s = tick(1);
  s.counters = true;
  s.instructions = 1e9;
  s.fills[index_beyond_l2(FillSource::local_dram)] = 1e6;
  s.fills[index_beyond_l2(FillSource::other_chiplet)] = 2e6;
  auto sample = sampler.sample(s);
  EXPECT_NEAR(sample->stall_dram, 1e6 * 105e-9 / (8 * 0.4), 1e-9);
  EXPECT_NEAR(sample->stall_remote, 2e6 * 106e-9 / (8 * 0.4), 1e-9);
  EXPECT_NEAR(sample->intensity, 3, 1e-9);
  s.busy = 0;  // fills of whoever waits for work
  sample = sampler.sample(s);
  EXPECT_EQ(sample->stall_dram, 0);
  EXPECT_EQ(sample->stall_remote, 0);
  EXPECT_EQ(sample->idle, 1);
}

TEST(Sampler, CountersThatCountNoInstructionsTellNothing) {
  Sampler sampler{Traits{}};
  Signals s = tick(1);
  s.counters = true;
  s.fills[0] = 1e6;
  EXPECT_FALSE(sampler.sample(s)->counters);
  s.instructions = 1e9;
  EXPECT_TRUE(sampler.sample(s)->counters);
  s.counters = false;  // what was read before they were lost
  EXPECT_FALSE(sampler.sample(s)->counters);
}

TEST(NoiseMeter, FindsTheScatterOfANormalAlsoThroughSteps) {
  for (double sigma : {0.02, 0.1, 0.2}) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(1, sigma);
    NoiseMeter meter;
    for (int i = 0; i < 400; ++i) meter.add(normal(random) * (i / 20 % 2 ? 1 : 3));
    EXPECT_NEAR(meter.sigma(), sigma, 0.35 * sigma);
  }
}

TEST(NoiseMeter, StepsThatComeEveryOtherSampleAreScatterToOneMeasureAndNoneToTheOther) {
  NoiseMeter meter;
  for (int i = 0; i < 100; ++i) meter.add(i / 2 % 2 ? 1.0 : 3.0);
  EXPECT_LT(meter.sigma_between_steps(), 0.01);
}

Sample sample(double throughput, double intensity = 0) {
  Sample s;
  s.throughput = throughput;
  s.counters = intensity > 0;
  s.intensity = intensity;
  return s;
}

TEST(PhaseMemory, RecognisesAPhaseByIntensityAtALevelWhereItWasNeverSeen) {
  PhaseMemory memory(4);
  int a = memory.create(0, sample(1, 100), 0), b = memory.create(0, sample(5, 10), 1);
  EXPECT_EQ(memory.match(a, 3, sample(2, 10.2), {}), b);
  EXPECT_EQ(memory.match(b, 3, sample(2, 101), {}), a);
  EXPECT_EQ(memory.match(a, 3, sample(2, 50), {}), PhaseMemory::no_phase);
}

TEST(PhaseMemory, WithoutCountersRecognisesAPhaseOnlyWhereItsThroughputIsKnown) {
  PhaseMemory memory(4);
  int a = memory.create(0, sample(1), 0), b = memory.create(0, sample(5), 1);
  EXPECT_EQ(memory.match(a, 0, sample(5.1), {}), b);
  EXPECT_EQ(memory.match(a, 1, sample(5.1), {}), PhaseMemory::no_phase);
}

TEST(PhaseMemory, ForgetsThePhaseNotSeenForLongest) {
  PhaseMemory memory(2);
  for (int p = 0; p < 40; ++p) memory.create(0, sample(std::pow(2.0, p)), p);
  EXPECT_EQ(memory.match(PhaseMemory::no_phase, 0, sample(1), {}), PhaseMemory::no_phase);
  EXPECT_NE(memory.match(PhaseMemory::no_phase, 0, sample(std::pow(2.0, 39)), {}), PhaseMemory::no_phase);
}

TEST(Pace, AveragesPhasesOfFewTicksAndFollowsLongOnes) {
  for (int length : {4, 40}) {
    Pace pace(0.1, 8);
    bool ever = false;
    int last = -1;
    for (long now = 0; now < 2000; ++now) {
      int phase = static_cast<int>(now / length % 2);
      if (phase != last) pace.note_change(now);
      last = phase;
      pace.feed(sample(phase ? 1 : 3), now);
      ever = ever || pace.averaging();
    }
    EXPECT_EQ(ever, length == 4) << length;
  }
}

TEST(Setup, RefillTakesAsLongAsTheLargestShareOfACacheThatMoves) {
  charm::Machine machine = charm::test::uniform(1, 8, 8);
  auto placement = charm::placement::policy("local").place(machine, {.workers = 8});
  auto setup = setup_for(machine, placement, Traits{});
  EXPECT_EQ(setup.levels, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(setup.refill_s[1][1], 0);
  EXPECT_NEAR(setup.refill_s[0][1], (32 << 20) / 45e9, 1e-6);
}

TEST(Traits, AreThoseOfTheMostSimilarMachine) {
  const auto like = [](int sockets, int chiplets, int cores) {
    return traits_for(charm::test::uniform(sockets, chiplets, cores)).source;
  };
  EXPECT_EQ(like(2, 16, 4), "estimated, as on epyc-7742");
  EXPECT_EQ(like(2, 8, 8), "estimated, as on epyc-7713-2s");
  EXPECT_EQ(like(1, 12, 8), "estimated, as on epyc-9654");
  EXPECT_EQ(like(1, 1, 64), "estimated, as on graviton-3");
  EXPECT_EQ(like(2, 1, 40), "estimated, as on xeon-max-9460");
  const auto named = [&](const char* name, int sockets, int chiplets, int cores) {
    charm::Machine machine = charm::test::uniform(sockets, chiplets, cores);
    machine.name = name;
    return traits_for(machine).source;
  };
  EXPECT_EQ(named("AMD EPYC", 1, 1, 2), "estimated, as on ryzen-7950x3d") << "a guest, and not of Arm's cores";
  EXPECT_EQ(named("Intel(R) Xeon(R) Processor @ 2.50GHz", 1, 1, 2), "estimated, as on xeon-8375c");
  EXPECT_EQ(named("Intel(R) Xeon(R) CPU Max 9460", 2, 4, 10), "estimated, as on xeon-max-9460");
  EXPECT_EQ(named("Neoverse-V2", 1, 1, 72), "estimated, as on grace");
  EXPECT_EQ(named("Neoverse-V1", 1, 1, 60), "estimated, as on graviton-3");
  EXPECT_EQ(named("Intel(R) Core(TM) Ultra 9 185H", 1, 2, 8), "estimated, as on core-ultra-155h");
  EXPECT_EQ(named("AMD EPYC 9655", 1, 12, 8), "estimated, as on epyc-9654");
  EXPECT_EQ(named("AMD EPYC 9755 128-Core Processor", 2, 16, 8), "estimated, as on epyc-9755") << "by its number";
  EXPECT_EQ(named("AMD EPYC 7000 Processor", 2, 16, 8), "estimated, as on epyc-7742");
  EXPECT_EQ(named("QEMU Virtual CPU", 1, 1, 64), "estimated, as on graviton-3") << "the name tells no maker";
  EXPECT_EQ(traits_for(charm::test::uniform(2, 16, 4)).latency_ns[1], 132);
  EXPECT_EQ(traits_for(charm::test::uniform(2, 16, 4)).link_gb_per_s, 30);
  EXPECT_EQ(like(1, 1, 1).substr(0, 9), "estimated");
  // A socket's memory is divided over its nodes.
  const charm::Machine nodes = charm::Machine::from("pack:2 numa:2 l3:4 core:8 pu:1");
  ASSERT_EQ(traits_for(nodes).like, "epyc-7713-2s");
  EXPECT_EQ(traits_for(nodes).node_gb_per_s, 155. / 2);
  EXPECT_EQ(traits_for(nodes).link_gb_per_s, 45);
  EXPECT_EQ(traits_for(charm::test::uniform(1, 1, 64)).link_gb_per_s, 250) << "one die: its memory is the limit";
}

TEST(Traits, OfAMeasuredMachineAreItsOwn) {
  charm::Machine machine = charm::test::uniform(2, 8, 8);
  machine.measured.profile = "a file";
  machine.measured.date = "2026-02-01T00:00:00Z";
  machine.measured.chiplet_latency_ns = 88;
  machine.measured.node_latency_ns = {{20, 222}, {224, 20}};
  const Traits traits = traits_for(machine);
  EXPECT_EQ(traits.latency_ns[1], 88);
  EXPECT_EQ(traits.latency_ns[2], 223);
  EXPECT_EQ(traits.latency_ns[3], 105) << "memory's latency was not measured";
  EXPECT_NE(traits.source.find("measured on 2026-02-01"), std::string::npos) << traits.source;
  machine.measured.doubts = {"the machine was busy"};
  EXPECT_EQ(traits_for(machine).latency_ns[1], 106);
  EXPECT_NE(traits_for(machine).source.find("doubtful"), std::string::npos);
}

TEST(DecisionLog, KeepsABoundedNumberAndCountsTheRest) {
  DecisionLog log;
  for (int i = 0; i < 10000; ++i) log.record({static_cast<double>(i), 0, 1, 2, 1, 0, 0, "r", ""});
  EXPECT_EQ(log.total(), 10000U);
  EXPECT_EQ(log.entries().size(), DecisionLog::kept_entries);
  EXPECT_EQ(log.entries().back().time, 9999);
}

}  // namespace
