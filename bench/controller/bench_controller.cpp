// Prints the table of docs/controller.md: every controller on every workload of the model, as a share of what the best
// level of each phase would do.
#include <cstdio>
#include <cstring>

#include "controller/trial.hpp"
#include "placement/machines.hpp"

using namespace charm::test;

namespace {

struct Column {
  const char* title;
  std::string controller;
  int start;
  bool counters;
  double noise;
};

std::vector<Model::Step> alternating(double seconds) { return {{private_sweep(24), seconds}, {all_to_all(), seconds}}; }

}  // namespace

int main(int argc, char** argv) {
  const bool explain = argc > 1 && std::strcmp(argv[1], "--explain") == 0;
  charm::Machine machine = uniform(1, 8, 8);
  const int workers = 8;

  std::vector<std::pair<std::string, std::vector<Model::Step>>> rows;
  for (const Workload& w :
       {private_sweep(8), private_sweep(24), pairs(), all_to_all(), pairs_and_private(12), compute_bound()}) {
    rows.push_back({w.name, {{w}}});
  }
  for (double s : {10.0, 2.0, 1.0, 0.7, 0.5, 0.33, 0.2, 0.1, 0.05, 0.02}) {
    char name[32];
    std::snprintf(name, sizeof name, "phases of %g s", s);
    rows.push_back({name, alternating(s)});
  }
  const std::vector<Column> columns = {
      {"alg1 s=1", "charm-alg1", 1, true, 0},
      {"alg1 s=8", "charm-alg1", 8, true, 0},
      {"+DRAM", "charm-alg1:events=remote-chiplet+dram", 1, true, 0},
      {"any", "charm-alg1:events=any", 1, true, 0},
      {"adaptive", "adaptive", 1, true, 0},
      {"from 8", "adaptive", 8, true, 0},
      {"no PMU", "adaptive", 1, false, 0},
      {"noise 5", "adaptive", 1, true, .05},
      {"noise 20", "adaptive", 1, true, .20},
      {"20 noPMU", "adaptive", 1, false, .20},
      {"static 8", "static:spread=8", 8, true, 0},
  };
  std::printf("8 workers, 8 chiplets of 8 cores; share of the best level of each phase (moves per minute)\n%-26s",
              "workload");
  for (const Column& c : columns) std::printf(" %13s", c.title);
  std::printf(" %11s\n", "best static");
  for (const auto& [name, program] : rows) {
    std::printf("%-26s", name.c_str());
    double best = 0;
    for (const Column& c : columns) {
      Trial trial;
      trial.controller = c.controller;
      trial.start = c.start;
      trial.options = {c.noise, c.counters, 1};
      Outcome o = run(machine, workers, program, trial);
      best = o.best_static;
      std::printf("   %.2f (%5.1f)", o.efficiency, o.moves_per_minute);
      if (explain) {
        std::printf("\n");
        for (const auto& d : o.decisions) std::printf("    %s\n", to_string(d).c_str());
      }
    }
    std::printf(" %11.2f\n", best);
  }
  return 0;
}
