// Experiments on described machines: what is planned and predicted, what is measured, what the verdicts are; and what
// happens if a run is stopped, goes on, fails or has no time.
#include "tools/evaluate/evaluate.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "evaluate/pretended.hpp"
#include "thorough.hpp"
#include "tools/evaluate/json.hpp"

namespace charm::evaluate {
namespace {

using charm::test::has;
using namespace test;

const char* const milan = "AMD-19h-Zen3-2xEpyc-7763.xml";

Finding finding(const Evaluation& evaluation, const std::string& name) {
  for (const Result& result : evaluation.results) {
    if (result.name == name) return result.verdict.finding;
  }
  ADD_FAILURE() << "no result of " << name;
  return Finding::cannot_tell;
}

std::string why(const Evaluation& evaluation, const std::string& name) {
  for (const Result& result : evaluation.results) {
    if (result.name == name) return result.verdict.why;
  }
  return "";
}

// Those that predict by formulas alone, which takes no time.
const std::vector<std::string> quick_ones = {"charm-fig5", "moves", "olap-fig5", "olap-fig10"};

TEST(Experiments, HaveNamesClaimsAndPlaces) {
  std::set<std::string_view> names;
  for (const Experiment& each : experiments()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(each.claim.ends_with(".")) << each.name;
    EXPECT_FALSE(each.paper.empty() || each.published.empty() || each.title.empty()) << each.name;
    EXPECT_NE(each.plan, nullptr) << each.name;
  }
  EXPECT_THROW(chosen({"charm-fig5", "charm-fig55"}), Error);
  EXPECT_EQ(chosen({"olap-fig10", "charm-fig5"}).front()->name, "charm-fig5") << "in the registry's order";
}

TEST(Experiments, MeasureWhatTheirPointsCompareOnEveryStoredMachine) {
  for (const char* file : {milan, "AMD-19h-Zen4-2xEpyc-9654.xml", "AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml",
                           "Intel-KnightsLanding-XeonPhi-7210.xml", "Intel-SapphireRapids-2xXeonMax9460.xml",
                           "AMD-17h-Zen-2xEpyc-7451.xml", "128arm-2pa2n8cluster4co.xml"}) {
    const Machine machine = stored(file);
    const Context context = context_of(machine);
    Pretended measuring(machine, Nature::as_published);
    for (const Result& result : evaluated(context, measuring, quick_ones).results) {
      if (result.state == State::unmet) {
        EXPECT_NE(result.verdict.why, "") << file << " " << result.name;
        continue;
      }
      EXPECT_EQ(result.problems, std::vector<std::string>{}) << file << " " << result.name;
      for (const Point& point : result.plan.points) {
        EXPECT_NE(point.outcome, Outcome::not_measured) << file << " " << result.name << " " << point.first;
        EXPECT_TRUE(point.predicted) << file << " " << result.name << " " << point.series;
      }
    }
  }
}

TEST(Verdicts, FollowTheMachineAndNotThePaper) {
  const Machine machine = stored(milan);
  const Context context = context_of(machine);
  Pretended published(machine, Nature::as_published), alike(machine, Nature::alike),
      reversed(machine, Nature::reversed), noisy(machine, Nature::as_published, 1.5);
  const auto as_published = evaluated(context, published, quick_ones);
  for (const std::string& name : quick_ones)
    EXPECT_EQ(finding(as_published, name), Finding::confirmed) << name << ": " << why(as_published, name);
  Pretended less(machine, Nature::smaller);
  const auto smaller = evaluated(context, less, quick_ones);
  for (const char* name : {"charm-fig5", "olap-fig5"}) {
    EXPECT_EQ(finding(smaller, name), Finding::smaller) << name << ": " << why(smaller, name);
    EXPECT_TRUE(has(why(smaller, name), "less than three quarters of the published gain")) << why(smaller, name);
  }
  EXPECT_EQ(finding(smaller, "olap-fig10"), Finding::confirmed) << "no gain is published";
  const auto same = evaluated(context, alike, {"charm-fig5", "olap-fig10"});
  const auto wrong = evaluated(context, reversed, {"charm-fig5", "olap-fig10", "moves"});
  const auto vague = evaluated(context, noisy, {"charm-fig5", "olap-fig10"});
  for (const char* name : {"charm-fig5", "olap-fig10"}) {
    EXPECT_EQ(finding(same, name), Finding::not_confirmed) << why(same, name);
    EXPECT_TRUE(has(why(same, name), "there is no difference")) << why(same, name);
    EXPECT_EQ(finding(wrong, name), Finding::not_confirmed) << why(wrong, name);
    EXPECT_EQ(finding(vague, name), Finding::cannot_tell) << why(vague, name);
    EXPECT_TRUE(has(why(vague, name), "too wide")) << why(vague, name);
  }
  EXPECT_EQ(finding(wrong, "moves"), Finding::not_confirmed);
}

TEST(NoTool, PredictsByTheKernelThatRuns) {
  Context context = context_of(Machine::from("pack:1 l3:4(size=33554432) core:8 pu:1"));
  const auto predicted = [&](bool gathers) {
    context.facts.kernel_gathers = gathers;
    const auto results = planned(chosen({"no-tool"}), context);
    EXPECT_EQ(results.front().plan.points.size(), 2U);
    EXPECT_TRUE(has(results.front().plan.notes.front(), gathers ? "7.2, which gathers" : "before 7.2")) << gathers;
    return results.front().plan.points.front().predicted.value_or(0);
  };
  EXPECT_GE(predicted(false), .95);
  EXPECT_GE(predicted(true), .95);
}

TEST(Verdicts, OfKernelsAndFillsNeedTheRuntimeAndTheCounters) {
  // Small, so that the simulator's predictions are quick.
  const Machine machine = Machine::from("pack:2 numa:1 l3:2(size=33554432) core:4 pu:1");
  const std::vector<std::string> names = {"charm-fig7", "charm-tab1",  "counting-cost", "charm-fig10",
                                          "adaptive",   "charm-fig11", "no-tool"};
  Pretended published(machine, Nature::as_published), alike(machine, Nature::alike);
  const auto as_published = evaluated(context_of(machine), published, names);
  for (const std::string& name : names)
    EXPECT_EQ(finding(as_published, name), Finding::confirmed) << name << ": " << why(as_published, name);
  const auto same = evaluated(context_of(machine, false), alike, {"charm-fig7", "charm-tab1"});
  EXPECT_EQ(finding(same, "charm-fig7"), Finding::not_confirmed) << why(same, "charm-fig7");
  EXPECT_EQ(finding(same, "charm-tab1"), Finding::cannot_tell);
  EXPECT_TRUE(has(why(same, "charm-tab1"), "the kernel refuses perf_event_open")) << why(same, "charm-tab1");
}

TEST(Verdicts, AboutTheControllerNeedItsDecisions) {
  const Machine machine = Machine::from("pack:2 numa:1 l3:2(size=33554432) core:4 pu:1");
  Pretended idle(machine, Nature::as_published);
  idle.decisions = 0;
  const auto evaluation = evaluated(context_of(machine), idle, {"counting-cost", "adaptive", "charm-fig7"});
  for (const char* name : {"counting-cost", "adaptive"}) {
    EXPECT_EQ(finding(evaluation, name), Finding::cannot_tell) << name;
    EXPECT_TRUE(has(why(evaluation, name), "the controller made no decision")) << why(evaluation, name);
  }
  EXPECT_EQ(finding(evaluation, "charm-fig7"), Finding::confirmed) << "that is about where the workers stand";
  Pretended deciding(machine, Nature::as_published);
  const std::string text = to_json(evaluated(context_of(machine), deciding, {"counting-cost"}));
  EXPECT_TRUE(has(text, "\"decisions\": 4"));
  EXPECT_EQ(to_json(from_json(text, "file")), text);
}

/// The machine of this experiment is a described one, for which counters are not read unless they are asked for.
TEST(CostOfCounting, IsThatOfTheHardwaresCountersWhereThereAreSome) {
  for (const bool counters : {true, false}) {
    Context context = context_of(Machine::from("l3:1(size=33554432) core:2 pu:1"), false);
    context.facts.counters = counters;
    const auto results = planned(chosen({"counting-cost"}), context);
    for (const Job& job : results.front().plan.jobs) {
      if (job.bench.empty()) continue;
      const auto& variables = job.variables;
      EXPECT_EQ(std::count(variables.begin(), variables.end(), "CHARM_COUNTERS=hardware"), counters ? 1 : 0);
    }
  }
}

TEST(Verdicts, OfQueriesAndFactorisationsAreThatCharmIsAheadOfTheOtherRuntimes) {
  const Machine machine = Machine::from("pack:1 l3:2(size=33554432) core:4 pu:1");
  const Context context = context_of(machine, false);
  const std::vector<std::string> names = {"charm-fig13", "abss-fig13"};
  Pretended published(machine, Nature::as_published), alike(machine, Nature::alike);
  const auto as_published = evaluated(context, published, names);
  const auto same = evaluated(context, alike, names);
  for (const std::string& name : names) {
    EXPECT_EQ(finding(as_published, name), Finding::confirmed) << why(as_published, name);
    EXPECT_EQ(finding(same, name), Finding::not_confirmed) << why(same, name);
  }
  for (const Result& result : as_published.results) {
    EXPECT_EQ(result.problems, std::vector<std::string>{});
    for (const Point& point : result.plan.points) {
      EXPECT_NE(point.outcome, Outcome::not_measured) << point.series;
      EXPECT_GT(point.predicted.value_or(0), 0) << point.series;
    }
  }
}

TEST(Verdicts, OfTransactionsAreThatThePlacementMakesNoDifference) {
  const Machine machine = Machine::from("pack:1 l3:2(size=33554432) core:4 pu:1");
  const Context context = context_of(machine, false);
  Pretended published(machine, Nature::as_published), reversed(machine, Nature::reversed);
  const auto as_published = evaluated(context, published, {"charm-fig14"});
  EXPECT_EQ(finding(as_published, "charm-fig14"), Finding::confirmed) << why(as_published, "charm-fig14");
  for (const Point& point : as_published.results.front().plan.points) {
    EXPECT_EQ(point.outcome == Outcome::reported, point.expect == Expect::nothing) << point.series;
    if (point.expect != Expect::nothing) {
      EXPECT_TRUE(point.predicted) << point.series;
    }
  }
  const auto wrong = evaluated(context, reversed, {"charm-fig14"});
  EXPECT_EQ(finding(wrong, "charm-fig14"), Finding::not_confirmed) << why(wrong, "charm-fig14");
}

TEST(Verdicts, OnTwoCoresOfOneCacheTellWhatIsMissing) {
  const Machine machine = Machine::from("l3:1(size=33554432) core:2 pu:1");
  Context context = context_of(machine, false);
  context.facts.benchmarks = {"graph", "gups", "sgd"};
  Pretended measuring(machine, Nature::as_published);
  const auto evaluation = evaluated(context, measuring, {});
  for (const char* name :
       {"charm-fig5", "charm-fig7", "charm-fig9", "charm-tab1", "charm-tab2", "adaptive", "olap-fig5", "olap-fig10"}) {
    EXPECT_EQ(finding(evaluation, name), Finding::cannot_tell) << name;
    EXPECT_TRUE(has(why(evaluation, name), "one last-level cache")) << name << ": " << why(evaluation, name);
  }
  EXPECT_EQ(finding(evaluation, "charm-fig7-scaling"), Finding::cannot_tell) << "two workers are no scaling";
  EXPECT_TRUE(has(why(evaluation, "charm-fig7-scaling"), "bfs 2")) << why(evaluation, "charm-fig7-scaling");
  EXPECT_EQ(finding(evaluation, "olap-fig5-monolithic"), Finding::confirmed) << why(evaluation, "olap-fig5-monolithic");
  EXPECT_EQ(finding(evaluation, "moves"), Finding::confirmed);
  EXPECT_EQ(finding(evaluation, "counting-cost"), Finding::confirmed) << why(evaluation, "counting-cost");
}

TEST(Evaluation, StoresPredictionsBeforeItMeasures) {
  const Machine machine = stored(milan);
  const Context context = context_of(machine);
  Pretended measuring(machine, Nature::as_published);
  Evaluation evaluation;
  const auto experiments = chosen(quick_ones);
  evaluation.results = planned(experiments, context);
  std::vector<std::string> files;
  std::vector<int> measured;
  Callbacks callbacks;
  callbacks.now = [&] { return measuring.clock; };
  callbacks.store = [&](const Evaluation& now) {
    files.push_back(to_json(now));
    measured.push_back(measuring.measured);
  };
  measure(evaluation, experiments, context, measuring, callbacks, 1e9);
  ASSERT_EQ(files.size(), 1 + quick_ones.size()) << "once before, and after each";
  EXPECT_EQ(measured.front(), 0);
  const Evaluation before = from_json(files.front(), "first");
  for (std::size_t i = 0; i < before.results.size(); ++i) {
    EXPECT_EQ(before.results[i].state, State::planned);
    for (std::size_t p = 0; p < before.results[i].plan.points.size(); ++p) {
      EXPECT_TRUE(before.results[i].plan.points[p].predicted);
      EXPECT_EQ(before.results[i].plan.points[p].predicted, evaluation.results[i].plan.points[p].predicted);
    }
  }
}

TEST(Evaluation, GoesOnWhereItWasStopped) {
  const Machine machine = stored(milan);
  const Context context = context_of(machine);
  Pretended all(machine, Nature::as_published);
  evaluated(context, all, quick_ones);

  Pretended first(machine, Nature::as_published);
  first.stop_after = all.measured / 2;
  const Evaluation stopped = evaluated(context, first, quick_ones);
  std::size_t done = 0;
  for (const Result& result : stopped.results) done += result.state == State::measured ? 1 : 0;
  ASSERT_GT(done, 0U);
  ASSERT_LT(done, quick_ones.size());

  const auto experiments = chosen(quick_ones);
  Evaluation resumed;
  resumed.machine = stopped.machine;
  resumed.only = quick_ones;
  resumed.results = planned(experiments, context);
  take_over(resumed, from_json(to_json(stopped), "file"));
  Pretended second(machine, Nature::as_published);
  Callbacks callbacks;
  callbacks.now = [&] { return second.clock; };
  callbacks.store = [](const Evaluation&) {};
  EXPECT_TRUE(measure(resumed, experiments, context, second, callbacks, 1e9));
  EXPECT_LT(second.measured, all.measured) << "what is finished is not run again";
  for (std::size_t i = 0; i < resumed.results.size(); ++i) {
    EXPECT_EQ(resumed.results[i].state, State::measured);
    if (stopped.results[i].state != State::measured) continue;
    EXPECT_EQ(resumed.results[i].samples.front().values, stopped.results[i].samples.front().values);
  }
}

TEST(Evaluation, GoesOnOnlyOnTheSameMachineWithTheSameOptions) {
  Evaluation before, now;
  before.machine.key = now.machine.key = "EPYC, 128 cores";
  EXPECT_NO_THROW(take_over(now, before));
  before.machine.key = "EPYC, 64 cores";
  EXPECT_THROW(take_over(now, before), Error);
  before.machine.key = now.machine.key;
  before.extent = Extent::full;
  EXPECT_THROW(take_over(now, before), Error);
  before.extent = now.extent;
  before.only = {"moves"};
  EXPECT_THROW(take_over(now, before), Error);
}

TEST(Evaluation, KeepsWhatItCouldMeasureIfAJobFails) {
  const Machine machine = Machine::from("l3:1(size=33554432) core:2 pu:1");
  Pretended measuring(machine, Nature::as_published);
  measuring.failing = "random access with and without the controller";
  const auto evaluation = evaluated(context_of(machine), measuring, {"counting-cost", "moves"});
  const Result& cost = evaluation.results.front();
  EXPECT_EQ(cost.verdict.finding, Finding::cannot_tell);
  EXPECT_TRUE(has(cost.verdict.why, "it broke")) << cost.verdict.why;
  EXPECT_EQ(cost.plan.points.front().outcome, Outcome::holds) << "PageRank was measured";
  EXPECT_EQ(finding(evaluation, "moves"), Finding::confirmed) << "the next experiment runs";
}

TEST(Evaluation, TellsNothingOfAMachineThatOthersUse) {
  const Machine machine = Machine::from("l3:1(size=33554432) core:2 pu:1");
  const Context context = context_of(machine);
  for (const bool busy : {false, true}) {
    Pretended measuring(machine, Nature::reversed);
    const auto experiments = chosen({"moves"});
    Evaluation evaluation;
    evaluation.results = planned(experiments, context);
    Callbacks callbacks;
    callbacks.now = [&] { return measuring.clock; };
    callbacks.store = [](const Evaluation&) {};
    callbacks.watch = [&] { return [&] { return Meanwhile{{"cc1plus took 1.2 cpus"}, busy}; }; };
    measure(evaluation, experiments, context, measuring, callbacks, 1e9);
    EXPECT_EQ(finding(evaluation, "moves"), busy ? Finding::cannot_tell : Finding::not_confirmed);
    EXPECT_EQ(has(why(evaluation, "moves"), "other programs used the machine"), busy);
    EXPECT_EQ(evaluation.results.front().disturbances.size(), 1U);
  }
}

TEST(Evaluation, BeginsWithWhatTakesLeastIfItIsQuick) {
  const Machine machine = stored(milan);
  const Context context = context_of(machine);
  for (const Extent extent : {Extent::quick, Extent::full}) {
    Evaluation evaluation;
    evaluation.extent = extent;
    const auto experiments = chosen(quick_ones);
    evaluation.results = planned(experiments, context);
    Pretended measuring(machine, Nature::as_published);
    Callbacks callbacks;
    callbacks.now = [&] { return measuring.clock; };
    std::vector<std::string> order;
    callbacks.store = [&](const Evaluation& now) {
      for (const Result& result : now.results) {
        const bool is_new = std::find(order.begin(), order.end(), result.name) == order.end();
        if (result.state == State::measured && is_new) order.push_back(result.name);
      }
    };
    measure(evaluation, experiments, context, measuring, callbacks, 1e9);
    ASSERT_EQ(order.size(), quick_ones.size());
    EXPECT_EQ(order.front(), extent == Extent::quick ? "moves" : "charm-fig5");
  }
}

TEST(Evaluation, EndsInTimeAndSaysWhatWasLeftOut) {
  const Machine machine = stored(milan);
  Pretended measuring(machine, Nature::as_published);
  const auto evaluation = evaluated(context_of(machine), measuring, quick_ones, 3.0);
  EXPECT_LT(measuring.clock, 30);
  const Result& last = evaluation.results.back();
  EXPECT_EQ(last.state, State::planned) << "so that --resume runs it";
  EXPECT_EQ(last.verdict.finding, Finding::cannot_tell);
  EXPECT_TRUE(has(last.verdict.why, "no time was left")) << last.verdict.why;
}

}  // namespace
}  // namespace charm::evaluate
