#include "sched/api/loop_speeds.hpp"

#include <algorithm>
#include <cmath>

#include "sched/api/capacity_shares.hpp"

namespace charm::detail {
namespace {

constexpr std::size_t most_loops = 1024;
constexpr std::int64_t shortest_part_ns = 20'000;
constexpr double same_time = 1.04;   // kinds whose parts end so near to each other keep them
constexpr double most_change = 1.5;  // of a speed in one run: a part may have been preempted
constexpr double most_apart = 16;    // speeds of two kinds

std::size_t index(charm::CoreKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

bool has_several_kinds(const Machine& machine) {
  return std::any_of(machine.cores.begin(), machine.cores.end(),
                     [&](const Core& core) { return core.kind != machine.cores.front().kind; });
}

std::vector<int> LoopSpeeds::weights(const void* loop, const Machine& machine, const std::vector<int>& cores) const {
  std::vector<int> by_capacity = capacities_of(machine, cores);
  Speeds speeds{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(loop);
    if (found == known_.end()) return by_capacity;
    speeds = found->second;
  }
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  std::vector<int> weights;
  for (const int core : cores) {
    const bool known = core >= 0 && static_cast<std::size_t>(core) < machine.cores.size();
    const double speed = known ? speeds[index(machine.cores[static_cast<std::size_t>(core)].kind)] : 0;
    if (speed <= 0) return by_capacity;  // of a kind that has not run this loop yet
    constexpr double scale = 1 << 16;
    weights.push_back(static_cast<int>(std::lround(scale * std::max(speed / fastest, 1 / most_apart))));
  }
  return weights;
}

void LoopSpeeds::learn(const void* loop, const KindTimes& times) {
  double shortest = 0, longest = 0;
  int kinds = 0;
  for (const PartTimes& of : times) {
    if (of.parts == 0) continue;
    if (of.iterations <= 0 || of.ns < shortest_part_ns * of.parts) return;
    const double each = static_cast<double>(of.ns) / of.parts;
    shortest = kinds == 0 ? each : std::min(shortest, each);
    longest = std::max(longest, each);
    ++kinds;
  }
  if (kinds < 2) return;
  const std::lock_guard lock(mutex_);
  auto known = known_.find(loop);
  if (known == known_.end()) {
    if (known_.size() >= most_loops) return;
    known = known_.emplace(loop, Speeds{}).first;
  } else if (longest <= shortest * same_time) {
    return;
  }
  for (std::size_t k = 0; k < core_kinds; ++k) {
    if (times[k].parts == 0) continue;
    const double seen = static_cast<double>(times[k].iterations) / static_cast<double>(times[k].ns);
    double& speed = known->second[k];
    speed = speed > 0 ? std::clamp((speed + seen) / 2, speed / most_change, speed * most_change) : seen;
  }
}

}  // namespace charm::detail
