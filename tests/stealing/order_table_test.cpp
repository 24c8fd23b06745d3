// The table of the ways to steal: 64 workers on 8 chiplets, a probe 25 ns within a chiplet and 106 ns across, 4,096
// flat tasks of 1 us that one worker has. A small model of time, not of the runtime: it drives the real orders and
// compares what they lead to. What it leaves out (contention on lines, lost races) makes its numbers better than real
// ones.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stealing/victim_selection.hpp"

namespace {

using namespace charm::stealing;

struct Outcome {
  double efficiency;  // of 64 workers until the last task is done
  double last_start;  // when the last worker had its first task, us
};

Outcome simulate(const StealPolicy& policy, std::uint64_t seed) {
  constexpr int chiplets = 8;
  constexpr int cores = 8;
  constexpr int workers = chiplets * cores;
  constexpr double near = 0.025;
  constexpr double far = 0.106;
  constexpr double task = 1;
  std::vector<std::vector<double>> distances(chiplets, std::vector<double>(chiplets, 2));
  const DistanceTable distance_table(distances);
  WorkFlags work_flags(chiplets, cores);
  std::mt19937_64 random(seed);
  struct Worker {
    Place place;
    long tasks = 0;  // that others may take
    long taken = 0;  // stolen; the first is run before the others are shown, else they would go round for ever
    bool worked = false;
  };
  std::vector<Worker> all(workers);
  std::map<std::pair<int, int>, int> by_place;
  for (int w = 0; w < workers; ++w) {
    all[static_cast<std::size_t>(w)].place = work_flags.join(w / cores);
    by_place[{all[static_cast<std::size_t>(w)].place.group, all[static_cast<std::size_t>(w)].place.slot}] = w;
  }
  constexpr long total = 4096;
  all[0].tasks = total;
  work_flags.set(Flag::work, all[0].place);
  std::vector<VictimSelection> looks;
  for (auto& w : all) looks.emplace_back(distance_table, policy, w.place);

  // An event: a worker becomes free. A victim's queue serves one thief at a time.
  using Event = std::pair<double, int>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (int w = 0; w < workers; ++w) events.emplace(0.0, w);
  std::vector<double> served(workers, 0.0);
  long done = 0;
  double end = 0;
  double last_start = 0;
  int started = 0;
  while (done < total) {
    auto [now, w] = events.top();
    events.pop();
    auto& me = all[static_cast<std::size_t>(w)];
    if (me.tasks > 0 || me.taken > 0) {
      me.tasks += std::exchange(me.taken, 0) - 1;
      if (me.tasks == 0) {
        work_flags.clear(Flag::work, me.place);
      } else {
        work_flags.set(Flag::work, me.place);
      }
      if (!me.worked) {
        me.worked = true;
        ++started;
        last_start = now;
      }
      ++done;
      end = now + task;
      events.emplace(end, w);
      continue;
    }
    VictimSelection& look = looks[static_cast<std::size_t>(w)];
    const Place victim = look.next(work_flags, random());
    if (!victim) {
      look = VictimSelection(distance_table, policy, me.place);
      events.emplace(now + near, w);
      continue;
    }
    const auto v = static_cast<std::size_t>(by_place[{victim.group, victim.slot}]);
    const double cost = victim.group == me.place.group ? near : far;
    double at = now + cost;
    if (all[v].tasks > 0) {
      at = std::max(at, served[v] + cost);  // thieves of one victim queue up
      served[v] = at;
      const long take = policy.share(all[v].tasks);
      all[v].tasks -= take;
      if (all[v].tasks == 0) work_flags.clear(Flag::work, all[v].place);
      me.taken = take;
      look = VictimSelection(distance_table, policy, me.place);
    }
    events.emplace(at, w);
  }
  EXPECT_EQ(started, workers) << policy.name;
  return {static_cast<double>(total) * task / (end * workers), last_start};
}

TEST(Orders, HalvesBeatSingleTasksAndBoundedTriesBeatTheStrictlyNearest) {
  std::map<std::string, Outcome> mean;
  constexpr int seeds = 2;
  for (const StealPolicy& policy : policies()) {
    Outcome sum{0, 0};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Outcome one = simulate(policy, seed);
      sum.efficiency += one.efficiency / seeds;
      sum.last_start += one.last_start / seeds;
    }
    mean[std::string(policy.name)] = sum;
    std::printf("%-14s efficiency %.2f, last worker's first task after %.1f us\n", std::string(policy.name).c_str(),
                sum.efficiency, sum.last_start);
  }
  for (const char* single : {"random", "nearest", "weighted"}) {
    EXPECT_LT(mean[single].efficiency, 0.5 * mean["nearest-half"].efficiency) << single;
    EXPECT_GT(mean[single].last_start, mean["bitmap"].last_start) << single;
  }
  EXPECT_GT(mean["bounded"].efficiency, 0.95 * mean["nearest-half"].efficiency);
  EXPECT_GT(mean["bitmap"].efficiency, 0.98 * mean["bounded"].efficiency);
  EXPECT_GT(mean["bitmap"].efficiency, 0.85);
  EXPECT_LT(mean["bitmap"].last_start, mean["nearest-half"].last_start);
}

}  // namespace
