// Every machine under every workload and policy: finite numbers, and no fills from places that the machine has not got.
#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/base/parallel.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/run.hpp"

using namespace charm::sim;

namespace {

struct Piece {
  const Model* machine;
  std::string workload, policy;
  int workers;
};

/// Every seventh combination, so that every two of machine, workload and policy meet; with all cores or a part of them.
/// All combinations take a minute: charm sim --machine all --workload all --policy all.
std::vector<Piece> a_seventh_of_all() {
  std::vector<Piece> pieces;
  for (std::size_t m = 0; m < models().size(); ++m) {
    for (std::size_t g = 0; g < generators().size(); ++g) {
      for (std::size_t p = 0; p < policies().size(); ++p) {
        if ((m + g + p) % 7 != 0) continue;
        const int cores = static_cast<int>(models()[m].machine.cores.size()), part = pieces.size() % 8 == 0 ? 1 : 4;
        pieces.push_back({&models()[m], std::string(generators()[g]->name), std::string(policies()[p].name),
                          std::max(1, cores / part)});
      }
    }
  }
  return pieces;
}

/// What is wrong with a result; nothing if all is well.
std::string nonsense(const Piece& piece, const RunResult& r) {
  const auto& machine = piece.machine->machine;
  if (!std::isfinite(r.throughput) || r.throughput <= 0) return "throughput " + std::to_string(r.throughput);
  if (!(r.efficiency > 0 && r.efficiency <= 1 + 1e-9)) return "efficiency " + std::to_string(r.efficiency);
  double all = 0;
  for (const double f : r.fills) {
    if (!std::isfinite(f) || f < 0) return "fills " + std::to_string(f);
    all += f;
  }
  if (all <= 0) return "no fills";
  if (machine.chiplets.size() == 1 && r.fills[2] > 0) return "fills from another chiplet";
  if (machine.nodes.size() == 1 && r.fills[3] + r.fills[5] > 0) return "fills from another node";
  double memory = 0;
  for (const auto& node : machine.nodes) memory += node.cpus.empty() ? 0 : piece.machine->costs.memory_read.value;
  if ((r.fills[4] + r.fills[5]) * 64 / r.seconds / 1e9 > memory * 1.02) return "more from memory than it has bandwidth";
  std::vector<int> cores;
  for (const auto& worker_core : r.worker_cores) cores.push_back(worker_core.core);
  std::sort(cores.begin(), cores.end());
  if (std::adjacent_find(cores.begin(), cores.end()) != cores.end()) return "two workers on a core";
  double time = 0;
  for (const double share : r.level_share) time += share;
  return std::abs(time - 1) < 1e-6 ? "" : "the shares of the levels do not sum to 1";
}

std::vector<RunResult> run_all(const std::vector<Piece>& pieces, int jobs, double seconds) {
  std::vector<RunResult> results(pieces.size());
  charm::base::for_each_piece(pieces.size(), jobs, [&](std::size_t i) {
    RunOptions options;
    options.seconds = seconds;
    options.noise = 0.02;
    results[i] = run(*pieces[i].machine, pieces[i].workload, pieces[i].policy, pieces[i].workers, options);
  });
  return results;
}

TEST(Sense, IsInEveryMachineWorkloadAndPolicy) {
  const auto pieces = a_seventh_of_all();
  const auto results = run_all(pieces, 0, 0.5);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(nonsense(pieces[i], results[i]), "") << pieces[i].workload << " on " << pieces[i].machine->name << ", "
                                                   << pieces[i].policy << ", " << pieces[i].workers << " workers";
  }
}

TEST(Sense, DoesNotDependOnHowManyRunAtATime) {
  std::vector<Piece> pieces;
  for (const char* workload : {"bfs", "sweep:mb=24@1+pairs@1", "zipf"}) {
    for (const char* policy : {"charm", "ring", "os"}) pieces.push_back({&models().front(), workload, policy, 16});
  }
  const auto one = run_all(pieces, 1, 5), many = run_all(pieces, 7, 5);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(one[i].throughput, many[i].throughput);
    EXPECT_EQ(one[i].fills, many[i].fills);
    EXPECT_EQ(one[i].moves.size(), many[i].moves.size());
  }
}

}  // namespace
