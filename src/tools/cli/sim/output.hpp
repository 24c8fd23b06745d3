// The results of `charm sim` as JSON, as text and as a page.
#pragma once

#include <string>
#include <vector>

#include "tools/evaluate/reproduction.hpp"
#include "tools/sim/compare.hpp"
#include "tools/sim/regret.hpp"
#include "tools/sim/run.hpp"
#include "tools/sim/tasks.hpp"
#include "tools/sim/width.hpp"

namespace charm::cli {

std::string sim_json(const std::vector<sim::RunResult>& results);
std::string sim_table(const std::vector<sim::RunResult>& results, bool colour);
std::string sim_page(const std::vector<sim::RunResult>& results, const std::string& command);

std::string reproduce_json(const std::vector<evaluate::Reproduction>& all);
std::string reproduce_table(const std::vector<evaluate::Reproduction>& all, bool colour);

/// Comparisons of the controller with the best level, the worst first; text shows ten of them.
std::string compare_json(const std::vector<sim::Comparison>& comparisons);
std::string compare_table(const std::vector<sim::Comparison>& comparisons, bool colour);

/// What the model assumes: each number with its source and what the figures say when it moves by 30 %, the numbers
/// fitted to some figures only, and how many points rest on what.
std::string assumptions_json(int jobs);
std::string assumptions_table(int jobs, bool colour);

/// How much slower standing levels are than the best static policy.
std::string regret_json(const std::vector<sim::Regret>& all);
std::string regret_table(const std::vector<sim::Regret>& all, bool colour);

/// How many workers are best, and what the controller that chooses their number finds.
std::string widths_json(const std::vector<sim::WidthResult>& all);
std::string widths_table(const std::vector<sim::WidthResult>& all, bool colour);

/// A recorded task graph, run under one policy.
struct Replay {
  std::string machine, policy;
  int workers = 1;
  std::size_t tasks = 0;
  sim::TaskRun run;
};
std::string replay_json(const std::string& trace, const std::vector<Replay>& replays);
std::string replay_table(const std::vector<Replay>& replays, bool colour);

/// "1.2 G" with the prefix of thousands.
std::string in_thousands(double value);

}  // namespace charm::cli
