// Prints the table of docs/design/controller.md: every controller on every workload of the model, against what the best
// level of each phase would do (the levels of the family that fills one socket after the other; a controller that uses
// other cores, Algorithm 2's or sockets in balance, can be faster than 1). --explain prints every decision with it.
#include <charm/error.hpp>

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "controller/model/trial.hpp"
#include "placement/restrict.hpp"

using namespace charm::controller::model;

namespace {

struct Column {
  const char* title;
  std::string controller;
  int start;
  bool counters;
  double noise;
  charm::placement::SocketOrder sockets = charm::placement::SocketOrder::fill;
};

std::vector<Model::Step> alternating(double seconds) { return {{private_sweep(24), seconds}, {all_to_all(), seconds}}; }

std::vector<std::pair<std::string, std::vector<Model::Step>>> programs() {
  std::vector<std::pair<std::string, std::vector<Model::Step>>> rows;
  for (const Workload& w :
       {private_sweep(8), private_sweep(24), pairs(), all_to_all(), pairs_and_private(12), compute_bound()}) {
    rows.push_back({w.name, {{w}}});
  }
  for (double s : {10.0, 2.0, 1.0, 0.7, 0.5, 0.2, 0.1, 0.05}) {
    char name[32];
    std::snprintf(name, sizeof name, "phases of %g s", s);
    rows.push_back({name, alternating(s)});
  }
  return rows;
}

void print_table(const char* title, const charm::Machine& machine, int workers, bool explain) {
  const std::vector<Column> columns = {
      {"alg1", "charm-alg1", 1, true, 0},
      {"alg1 any fill", "charm-alg1:events=any", 1, true, 0},
      {"group from 1", "charm-alg1-group", 1, true, 0},
      {"group from all", "charm-alg1-group", 99, true, 0},
      {"group + DRAM", "charm-alg1-group:events=remote-chiplet+dram", 1, true, 0},
      {"group any fill", "charm-alg1-group:events=any", 1, true, 0},
      {"adaptive", "adaptive", 1, true, 0},
      {"from all", "adaptive", 99, true, 0},
      {"no counters", "adaptive", 1, false, 0},
      {"noise 5 %", "adaptive", 1, true, .05},
      {"noise 10 %", "adaptive", 1, true, .10},
      {"noise 20 %", "adaptive", 1, true, .20},
      {"none, 20 %", "adaptive", 1, false, .20},
      {"balanced", "adaptive", 1, true, 0, charm::placement::SocketOrder::balance},
      {"static all", "static:spread=99", 99, true, 0},
  };
  std::printf("%s, %d workers: speed against the best level of each phase (moves per minute)\n%-24s", title, workers,
              "");
  for (const Column& c : columns) std::printf(" %14s", c.title);
  std::printf("  best static\n");
  for (const auto& [name, program] : programs()) {
    std::printf("%-24s", name.c_str());
    double best = 0;
    for (const Column& c : columns) {
      Trial trial;
      trial.controller = c.controller;
      trial.start = c.start;
      trial.sockets = c.sockets;
      trial.options = {c.noise, c.counters, 1};
      try {
        Outcome o = run(machine, workers, program, trial);
        best = o.best_static;
        std::printf("   %.2f (%5.1f)", o.efficiency, o.moves_per_minute);
        if (explain) std::printf("\n");
        for (const auto& d : o.decisions) {
          if (explain) std::printf("    %s\n", to_string(d).c_str());
        }
      } catch (const charm::Error&) {
        std::printf(" %14s", "refused");
      }
    }
    std::printf("   %10.2f\n", best);
  }
  std::printf("\n");
}

/// Chiplets that differ in cores and caches: some cores are forbidden, some caches larger.
charm::Machine unequal() {
  charm::Machine machine = charm::Machine::from("pack:1 l3:6(size=33554432) core:8 pu:1");
  charm::CpuSet cpus;
  const int cores[] = {6, 8, 3, 8, 8, 5};
  for (int chiplet = 0; chiplet < 6; ++chiplet) {
    for (int core = 0; core < cores[chiplet]; ++core) cpus.insert(8 * chiplet + core);
  }
  machine = charm::placement::restricted(machine, cpus);
  machine.chiplets[3].l3_bytes = 96U << 20;
  machine.chiplets[5].l3_bytes = 16U << 20;
  return machine;
}

}  // namespace

int main(int argc, char** argv) {
  const bool explain = argc > 1 && std::strcmp(argv[1], "--explain") == 0;
  using charm::Machine;
  print_table("8 chiplets of 8 cores, 32 MiB each", Machine::from("pack:1 l3:8(size=33554432) core:8 pu:1"), 8,
              explain);
  print_table("6 unequal chiplets", unequal(), 8, explain);
  print_table("2 sockets of 8 chiplets of 8 cores", Machine::from("pack:2 l3:8(size=33554432) core:8 pu:1"), 24,
              explain);
  return 0;
}
