// bench_controller_sweep [SEED] [RUNS] [BAR]: random machines, workloads, phases and scatter against the bars of
// docs/design/controller.md. Prints how many runs fall short of each and the worst of them. A single run (its seed, 1
// and the number of its bar) prints all that was decided in it.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "controller/model/trial.hpp"
#include "placement/restrict.hpp"

using namespace charm::controller::model;

namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
double log_uniform(Random& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}
int pick(Random& random, int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); }

charm::Machine random_machine(Random& random, std::string& text) {
  const char* shapes[] = {"pack:1 l3:8(size=33554432) core:8 pu:1", "pack:1 l3:4(size=67108864) core:32 pu:1",
                          "pack:2 l3:12(size=33554432) core:8 pu:1", "pack:1 l3:12(size=16777216) core:4 pu:1"};
  text = shapes[pick(random, 4)];
  charm::Machine machine = charm::Machine::from(text);
  if (pick(random, 2) == 0) return machine;
  text += " with holes";
  charm::CpuSet cpus;
  for (int cpu : machine.allowed_cpus) {
    if (pick(random, 4) != 0) cpus.insert(cpu);
  }
  machine = charm::placement::restricted(machine, cpus);
  for (auto& chiplet : machine.chiplets) {
    if (pick(random, 4) == 0) chiplet.l3_bytes *= 3;
  }
  return machine;
}

Workload random_workload(Random& random) {
  switch (pick(random, 5)) {
    case 0:
      return private_sweep(log_uniform(random, 1, 64));
    case 1:
      return pairs();
    case 2:
      return all_to_all();
    case 3:
      return pairs_and_private(log_uniform(random, 2, 32));
    default:
      return compute_bound();
  }
}

struct Bar {
  const char* name;
  double least;  // efficiency, or share of the best single level
  bool against_static;
  double least_seconds, most_seconds;  // of a phase; 0: steady
  bool counters;
  double noise;
};

struct Miss {
  unsigned long seed;
  double value, moves;
  std::string text;
};

void sweep(const Bar& bar, unsigned long first_seed, int runs) {
  std::vector<Miss> slow, restless;
  double worst = 1e9;
  for (int i = 0; i < runs; ++i) {
    const unsigned long seed = first_seed + static_cast<unsigned long>(i);
    Random random(seed);
    std::string text;
    const charm::Machine machine = random_machine(random, text);
    std::vector<Model::Step> program = {{random_workload(random)}};
    if (bar.most_seconds > 0) {
      program[0].seconds = log_uniform(random, bar.least_seconds, bar.most_seconds);
      const double second =
          pick(random, 2) == 0 ? program[0].seconds : log_uniform(random, bar.least_seconds, bar.most_seconds);
      program.push_back({random_workload(random), second});
    }
    Trial trial;
    trial.start = pick(random, 2) == 0 ? 1 : 99;
    trial.options = {bar.noise, bar.counters, static_cast<unsigned>(seed)};
    const int workers = std::min(8 << pick(random, 2), static_cast<int>(machine.cores.size()));
    const Outcome outcome = run(machine, workers, program, trial);
    const double value = bar.against_static ? outcome.efficiency / outcome.best_static : outcome.efficiency;
    worst = std::min(worst, value);
    if (runs == 1) {
      for (const auto& decision : outcome.decisions) std::printf("%s\n", to_string(decision).c_str());
    }
    for (const auto& step : program) {
      text += "; " + step.workload.name;
      if (bar.most_seconds > 0) text += " " + std::to_string(step.seconds) + " s";
    }
    text += ", " + std::to_string(workers) + " workers from " + std::to_string(trial.start);
    if (value < bar.least) slow.push_back({seed, value, outcome.moves_per_minute, text});
    if (bar.most_seconds == 0 && outcome.moves_per_minute > 2)
      restless.push_back({seed, value, outcome.moves_per_minute, text});
  }
  std::printf("%-44s %5d runs, %3zu below %.2f (worst %.2f)", bar.name, runs, slow.size(), bar.least, worst);
  if (bar.most_seconds == 0) std::printf(", %3zu with more than 2 moves a minute", restless.size());
  std::printf("\n");
  auto show = [](std::vector<Miss>& misses, const char* what) {
    std::sort(misses.begin(), misses.end(), [](const Miss& a, const Miss& b) { return a.value < b.value; });
    for (std::size_t i = 0; i < std::min<std::size_t>(3, misses.size()); ++i) {
      std::printf("    %s: seed %lu, %.2f, %.1f moves/min: %s\n", what, misses[i].seed, misses[i].value,
                  misses[i].moves, misses[i].text.c_str());
    }
  };
  show(slow, "slow");
  show(restless, "restless");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long seed = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000;
  const int runs = argc > 2 ? std::atoi(argv[2]) : 100;
  const Bar bars[] = {
      {"steady", .95, false, 0, 0, true, 0},
      {"steady, noise 5 %", .90, false, 0, 0, true, .05},
      {"steady, noise 10 %", .90, false, 0, 0, true, .10},
      {"steady, noise 20 %", .90, false, 0, 0, true, .20},
      {"steady, no counters", .90, false, 0, 0, false, 0},
      {"steady, no counters, noise 20 %", .90, false, 0, 0, false, .20},
      {"phases of 1 s to 20 s", .90, false, 1, 20, true, 0},
      {"phases of 0.02 s to 1 s, against one level", .95, true, 0.02, 1, true, 0},
      {"the same without counters", .95, true, 0.02, 1, false, 0},
      {"phases of 1 s to 20 s without counters", .95, true, 1, 20, false, 0},
  };
  const int only = argc > 3 ? std::atoi(argv[3]) : -1;
  for (int number = 0; const Bar& bar : bars) {
    if (only >= 0 && number++ != only) continue;
    try {
      sweep(bar, seed, runs);
    } catch (const charm::Error& error) {
      std::printf("%s: %s\n", bar.name, error.what());
    }
  }
  return 0;
}
