// Every decision of the controllers on modelled programs, against the files of golden/: whoever changes a threshold
// sees what it changes. With CHARM_WRITE_GOLDEN set the files are written instead, to be read before they are kept.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controller/control_group.hpp"
#include "controller/known_machines.hpp"
#include "controller/model/trial.hpp"
#include "controller/model/width_model.hpp"
#include "controller/width_levels.hpp"
#include "placement/bins.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"

namespace {

using namespace charm::controller::model;
using charm::placement::SocketOrder;
using charm::test::uniform;

void expect_golden(const std::string& name, const std::string& text) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the files were written on x86-64; elsewhere sums are rounded otherwise, and samples scatter";
#endif
  const std::string path = std::string(CHARM_CONTROLLER_GOLDEN) + "/" + name + ".txt";
  if (std::getenv("CHARM_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {})) << "see the head of this file";
}

/// The first and the last of them, and how many there are between.
template <class Decisions>
std::string lines_of(const Decisions& decisions) {
  constexpr std::size_t first = 8, last = 4;
  std::string text;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (i >= first && i + last < decisions.size()) {
      if (i == first) text += "  and " + std::to_string(decisions.size() - first - last) + " more\n";
      continue;
    }
    text += "  " + to_string(decisions[i]) + "\n";
  }
  return text;
}

struct Scenario {
  std::vector<Model::Step> program;
  Trial trial;
  int sockets = 1, workers = 8;
};

std::string told(const Scenario& scenario) {
  Trial trial = scenario.trial;
  trial.warm_up_s = 60;
  trial.measured_s = 60;
  const Outcome outcome = run(uniform(scenario.sockets, 8, 8), scenario.workers, scenario.program, trial);
  std::string text;
  for (const auto& step : scenario.program) {
    text += (text.empty() ? "" : ", then ") + step.workload.name;
    if (step.seconds < 1e6) text += " for " + std::to_string(step.seconds).substr(0, 5) + " s";
  }
  char rest[160];
  std::snprintf(rest, sizeof rest, ": %d workers, from %d, scatter %.2f%s; %.3f of the best, %.2f moves a minute\n",
                scenario.workers, trial.start, trial.options.noise, trial.options.counters ? "" : ", no counters",
                outcome.efficiency, outcome.moves_per_minute);
  return text + rest + lines_of(outcome.decisions);
}

TEST(ControllerGolden, AdaptiveOnOneKindOfWork) {
  std::string text;
  for (const Workload& workload :
       {private_sweep(8), private_sweep(24), pairs(), all_to_all(), pairs_and_private(12), compute_bound()}) {
    for (const auto& [noise, counters] : {std::pair{0.0, true}, std::pair{0.0, false}, std::pair{0.05, true}}) {
      for (const int start : {1, 99}) {
        Trial trial;
        trial.start = start;
        trial.options = {noise, counters, 1};
        text += told({.program = {{workload}}, .trial = trial});
      }
    }
    Trial wide;
    wide.sockets = SocketOrder::widen;
    text += told({.program = {{workload}}, .trial = wide, .sockets = 2, .workers = 64});
  }
  expect_golden("adaptive_steady", text);
}

TEST(ControllerGolden, AdaptiveOnPhases) {
  std::string text;
  for (const double seconds : {0.1, 0.5, 1.37, 5.0, 20.0}) {
    for (const auto& [one, other] :
         {std::pair{private_sweep(24), all_to_all()}, std::pair{pairs_and_private(12), all_to_all()},
          std::pair{private_sweep(24), private_sweep(8)}}) {
      for (const double noise : {0.0, 0.05}) {
        Trial trial;
        trial.options.noise = noise;
        text += told({.program = {{one, seconds}, {other, seconds}}, .trial = trial});
      }
    }
  }
  text += told({.program = {{pairs_and_private(12), 2}, {all_to_all(), 0.15}}, .trial = {}});
  text += told({.program = {{private_sweep(24), 3}, {all_to_all(), 3}, {pairs_and_private(12), 3}}, .trial = {}});
  expect_golden("adaptive_phases", text);
}

/// A line of each run: how well it went, and where it stood in the end.
TEST(ControllerGolden, AdaptiveOnRandomPrograms) {
  const std::vector<Workload> all = {private_sweep(1), private_sweep(8), private_sweep(24),     private_sweep(60),
                                     pairs(),          all_to_all(),     pairs_and_private(12), compute_bound()};
  const charm::Machine machines[] = {uniform(1, 8, 8), uniform(2, 6, 4), uniform(1, 3, 16),
                                     charm::Machine::from("pack:2 numa:2 l3:2(size=16777216) core:8 pu:1")};
  std::mt19937 random(7);
  const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::string text;
  for (int program = 0; program < 120; ++program) {
    std::vector<Model::Step> steps;
    for (unsigned more = 1 + draw(3); more > 0; --more) {
      const double lengths[] = {0.06, 0.4, 1.1, 3, 9, 25};
      steps.push_back({all[draw(8)], lengths[draw(6)]});
    }
    Trial trial;
    trial.start = draw(2) == 0 ? 1 : 99;
    trial.options = {draw(3) * 0.04, draw(4) != 0, draw(100)};
    trial.sockets = draw(2) == 0 ? SocketOrder::widen : SocketOrder::fill;
    trial.warm_up_s = 40;
    trial.measured_s = 40;
    const charm::Machine& machine = machines[draw(4)];
    const int workers = 2 * static_cast<int>(1 + draw(8));
    const Outcome outcome = run(machine, workers, steps, trial);
    char line[160];
    std::snprintf(line, sizeof line, "%3d: %.5f, then %.5f of the best; %.2f moves a minute, %zu decisions; ticks at",
                  program, outcome.learning, outcome.efficiency, outcome.moves_per_minute, outcome.decisions.size());
    text += line;
    for (const int ticks : outcome.visits) text += " " + std::to_string(ticks);
    text += "\n";
  }
  expect_golden("adaptive_random", text);
}

TEST(ControllerGolden, Algorithm1) {
  std::string text;
  for (const std::string name : {"charm-alg1-group", "charm-alg1-group:events=any,per=kiloinstruction,threshold=2"}) {
    for (const Workload& workload : {private_sweep(24), all_to_all(), pairs_and_private(12)}) {
      Trial trial;
      trial.controller = name;
      text += name + ", " + told({.program = {{workload}}, .trial = trial});
    }
  }
  expect_golden("algorithm_1", text);
}

/// Kinds of work in turn, for so many seconds each.
std::string told(const WidthProgram& program, const std::vector<std::size_t>& turns, double seconds) {
  WidthRun run(program);
  const auto all = work_kinds(program.setup);
  char head[160];
  std::string text;
  for (const std::size_t turn : turns) {
    const double speed = run.seconds(seconds, all[turn]);
    std::snprintf(head, sizeof head, "; %s: %.5f of full width, %d workers", all[turn].name.c_str(), speed,
                  run.running());
    text += head;
  }
  std::snprintf(head, sizeof head, "%d workers, %.0f s each, scatter %.2f%s", program.setup.workers, seconds,
                program.noise, program.counters ? "" : ", no counters");
  return head + text + "\n" + lines_of(run.width().log().entries());
}

TEST(ControllerGolden, Width) {
  std::string text;
  for (const auto& [workers, each] : {std::pair{2, 2}, std::pair{64, 8}}) {
    const WidthSetup setup = setup_of(workers, each);
    for (std::size_t kind = 0; kind < work_kinds(setup).size(); ++kind) {
      for (const auto& [noise, counters] : {std::pair{0.0, true}, std::pair{0.05, true}, std::pair{0.05, false}})
        text += told({.setup = setup, .noise = noise, .counters = counters}, {kind}, 90);
    }
  }
  const WidthSetup setup = setup_of(64, 8);
  for (const double seconds : {2.0, 10.0, 30.0}) {
    for (const bool counters : {true, false}) {
      for (const bool user_work : {false, true}) {
        text += told({.setup = setup, .noise = 0.02, .counters = counters, .user_work = user_work},
                     {2, 0, 2, 0, 5, 4, 5, 2}, seconds);
      }
    }
  }
  // A region that is entered again and again, and work that becomes slower by little and little.
  WidthRun run({.setup = setup, .noise = 0.02});
  auto all = work_kinds(setup);
  for (int times = 0; times < 12; ++times) {
    run.seconds(times < 3 ? 12 : 4, all[times % 4 == 3 ? 0 : 2]);
    run.enter_again();
  }
  for (int step = 0; step < 40; ++step) {
    const WorkKind drifting{"drifting", [&](double w, double c) { return all[2].speed(w, c) * (1 - 0.01 * step); }, 40};
    run.seconds(2, drifting);
  }
  text += "entered again, then drifting\n" + lines_of(run.width().log().entries());
  text += told({.setup = setup, .noise = 0.01, .bound = 0.9}, {2}, 60);
  text += told({.setup = setup, .noise = 0.01, .waited = 0.5}, {2}, 10);
  text += told({.setup = setup, .noise = 0.01, .covered = 0.6}, {2}, 10);
  expect_golden("width", text);
}

TEST(ControllerGolden, WidthOnRandomPrograms) {
  std::mt19937 random(11);
  const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::string text;
  for (int program = 0; program < 120; ++program) {
    const int each[] = {2, 8, 16, 32};
    const int workers = 2 + static_cast<int>(draw(120));
    const WidthSetup setup = setup_of(workers, each[draw(4)]);
    WidthRun run({.setup = setup,
                  .noise = draw(4) * 0.025,
                  .counters = draw(3) != 0,
                  .seed = draw(100),
                  .waited = draw(8) == 0 ? 0.2 : 0,
                  .covered = draw(8) == 0 ? 0.7 : 1,
                  .user_work = draw(3) == 0,
                  .bound = draw(8) == 0 ? 0.15 : 0});
    const auto all = work_kinds(setup);
    std::string speeds;
    for (unsigned more = 2 + draw(5); more > 0; --more) {
      const double lengths[] = {0.3, 1, 4, 15, 70};
      if (draw(6) == 0) run.enter_again();
      const double length = lengths[draw(5)];
      char one[48];
      std::snprintf(one, sizeof one, " %.5f", run.seconds(length, all[draw(7)]));
      speeds += one + ("/" + std::to_string(run.running()));
    }
    text += std::to_string(program) + ", " + std::to_string(setup.workers) + " workers:" + speeds + "; " +
            std::to_string(run.width().log().total()) + " decisions\n";
  }
  expect_golden("width_random", text);
}

/// A mark by worker: # runs, . rests.
std::string running(std::span<const char> rests, int workers) {
  std::string marks(static_cast<std::size_t>(workers), '#');
  for (std::size_t w = 0; w < rests.size(); ++w) marks[w] = rests[w] != 0 ? '.' : '#';
  return marks;
}

TEST(ControllerGolden, WhoRestsAtEachWidth) {
  std::string text;
  for (const char* machine : {"pack:1 l3:4 core:4 pu:2", "pack:2 l3:3 core:5 pu:1", "pack:1 l3:1 core:6 pu:2"}) {
    const charm::Machine made = charm::Machine::from(machine);
    const int workers = charm::placement::capacity(made, true);
    const auto placement = charm::placement::policy("local").place(made, {.workers = workers, .smt = true});
    const WidthSetup setup = setup_for(made, placement, charm::controller::Traits{});
    text += std::string(machine) + "\n";
    const auto add = [&](const char* from, const std::vector<charm::controller::WidthLevel>& levels) {
      for (const auto& level : levels) {
        text += std::string("  ") + from + std::to_string(level.workers) +
                (level.shape == charm::controller::WidthShape::packed ? " packed: " : " thin: ") +
                running(resting_at(setup, level, setup.levels.back()), workers) + "\n";
      }
    };
    add("from all to ", from_full(setup));
    for (const int best : {1, 3, workers / 2})
      add(("from " + std::to_string(best) + " to ").c_str(),
          from_gain(setup, {best, charm::controller::WidthShape::thin}));
    add("from 4 packed to ", from_gain(setup, {4, charm::controller::WidthShape::packed}));
  }
  expect_golden("resting", text);
}

std::string numbers(const auto& values) {
  std::string text;
  char one[32];
  for (const auto& value : values) {
    std::snprintf(one, sizeof one, "%s%.6g", text.empty() ? "" : " ", static_cast<double>(value));
    text += one;
  }
  return text;
}

TEST(ControllerGolden, Setups) {
  std::string text;
  for (const auto& known : charm::controller::known_machines()) {
    text += std::string(known.name) + ": " + std::to_string(known.sockets) + " sockets, " +
            std::to_string(known.nodes) + " nodes, " + std::to_string(known.chiplets) + " chiplets, " +
            std::to_string(known.cores) + " cores; " + numbers(known.latency_ns) + " ns; " +
            numbers(std::vector<double>{known.mlp, known.link_gb_per_s, known.socket_gb_per_s}) + "\n";
  }
  for (const char* name :
       {"AMD 7900", "an EPYC", "Ryzen", "MI300", "Intel(R) Core(TM) i9", "core ultra 7", "core-ultra", "Intel(R) 8488C",
        "a Xeon", "Graviton", "Kunpeng", "Neoverse-N1", "Ampere", "Grace", "NVIDIA", "GB10", "Snapdragon", "another"})
    text += std::string(name) + ": " + std::string(charm::controller::maker_of(name)) + "\n";
  std::vector<std::pair<std::string, charm::Machine>> machines;
  for (const char* one : {"pack:1 l3:8 core:8 pu:1", "pack:2 l3:12 core:8 pu:2", "pack:2 numa:2 l3:2 core:4 pu:1",
                          "pack:1 l3:1 core:2 pu:1", "pack:1 l3:2(size=100000000) core:6 pu:1", "epyc-9654", "grace"})
    machines.emplace_back(one, charm::Machine::from(one));
  for (const char* file :
       {"AMD-19h-Zen3-2xEpyc-7763.xml", "AMD-19h-Zen4-2xEpyc-9654.xml", "Intel-KnightsLanding-XeonPhi-7210.xml",
        "Intel-MeteorLake-CoreUltra155H.xml", "Intel-SapphireRapids-2xXeonMax9460.xml", "128arm-2pa2n8cluster4co.xml"})
    machines.emplace_back(file, charm::Machine::from(std::string(CHARM_TEST_DATA "/topologies/") + file));
  for (const auto& [name, machine] : machines) {
    const int workers = std::min(8, charm::placement::capacity(machine, false));
    const auto placement = charm::controller::placement_for("adaptive", machine, {.workers = workers});
    const WidthSetup setup = setup_for(machine, placement, charm::controller::traits_for(machine));
    text += name + ": levels " + numbers(setup.levels) + " from " + std::to_string(setup.initial) + ", sockets " +
            numbers(setup.sockets) + ", " + std::to_string(setup.chiplets) + " chiplets of " +
            std::to_string(setup.cores_per_chiplet) + "\n  " + numbers(setup.traits.latency_ns) + " ns, " +
            numbers(std::vector<double>{setup.traits.mlp, setup.traits.link_gb_per_s, setup.traits.node_gb_per_s,
                                        setup.traits.core_gb_per_s}) +
            "; " + setup.traits.rates_source + "; " + setup.traits.source + "\n  memory " +
            numbers(setup.memory_gb_per_s) + "\n";
    for (std::size_t level = 0; level < setup.levels.size(); ++level)
      text += "  chiplets " + numbers(setup.chiplet_of[level]) + "; turns " + numbers(setup.turn_of[level]) +
              "; refill " + numbers(setup.refill_s[level]) + "\n";
  }
  expect_golden("setups", text);
}

/// A control group of eight workers that fork, wait, lose their counters, and enter regions.
TEST(ControllerGolden, ControlGroup) {
  using namespace charm::controller;
  const charm::Machine machine = uniform(1, 8, 8);
  const auto placement = placement_for("adaptive", machine, {.workers = 8});
  const auto make = [&] {
    const WidthSetup setup = setup_for(machine, placement, {});
    return std::make_unique<Width>(setup, make_controller("adaptive", setup));
  };
  std::string text;
  for (const bool only_regions : {false, true}) {
    Model model(machine, placement, placement, {{private_sweep(24), 20}, {all_to_all(), 20}}, {});
    ControlGroup group(8, make, 0, Traits{}, only_regions);
    std::string told;
    group.listen([&](const Decision& decision) { told += "  told " + to_string(decision) + "\n"; });
    group.on_rest([&](std::span<const char> rests) { told += "  now run " + running(rests, 8) + "\n"; });
    std::vector<WorkerTotals> totals(8);
    long outer = 0, inner = 0;
    double now = 0;
    for (int tick = 0; tick < 1600; ++tick) {
      if (tick == 300) outer = group.enter("outer");
      if (tick == 500) inner = group.enter("inner");
      if (tick == 700) group.leave(inner);
      if (tick == 900) group.leave(outer);
      if (tick == 1100) outer = group.enter("outer");
      const Signals all = model.run(0.05);
      now += 0.05;
      for (std::size_t w = 0; w < 8; ++w) {
        WorkerTotals& mine = totals[w];
        for_each_count([&](double& to, const double& from) { to += from / 8; }, mine, static_cast<const Counts&>(all));
        mine.counters = tick < 1300 || w < 5;
        mine.hides_chiplets = tick >= 1400;
        mine.waited += tick % 200 == 199 ? 0.04 : 0;
        mine.running_since = w == 3 && tick % 10 != 0 ? now - 0.02 : 0;
        group.poll(static_cast<int>(w), mine, now - 0.0001 * static_cast<double>(7 - w));
      }
      model.move_to(group.spread());
    }
    text += std::string(only_regions ? "regions alone" : "everywhere") + ": " + std::to_string(group.changes()) +
            " changes\n" + told + lines_of(group.decisions()) + "pending\n" + lines_of(group.pending());
    const auto points = group.timeline();
    for (std::size_t i = 0; i < points.size(); i += 40) {
      const auto& p = points[i];
      text +=
          "  " +
          numbers(std::vector<double>{p.time, p.seconds, static_cast<double>(p.spread), p.throughput,
                                      p.stall_other_chiplet, p.stall_dram, p.idle, static_cast<double>(p.workers)}) +
          "\n";
    }
  }
  expect_golden("control_group", text);
}

}  // namespace
