#include <charm/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "os/memory/memory.hpp"
#include "tools/probe/measuring/measure_steps.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"
#include "tools/probe/measuring/stream.hpp"
#include "tools/probe/measuring/working_set.hpp"
#include "tools/probe/structure/load_latency.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// One thread on every core of each group; a process per group.
std::vector<std::vector<int>> by(const Machine& machine, int Core::* group) {
  std::map<int, std::vector<int>> groups;
  for (const Core& core : machine.cores) groups[group == nullptr ? 0 : core.*group].push_back(core.cpu);
  std::vector<std::vector<int>> cpus;
  for (auto& [id, some] : groups) cpus.push_back(std::move(some));
  return cpus;
}

/// Beyond the caches where memory and time allow; the plan of a short probe does not wait for gigabytes.
std::size_t largest_working_set(const Machine& machine, const MeasureOptions& options) {
  if (options.largest_bytes > 0) return options.largest_bytes;
  const std::uint64_t wanted = 4 * last_level_bytes(machine);
  const std::uint64_t patience = static_cast<std::uint64_t>(std::max(1.0, options.budget_s / 15)) * 256 * mib;
  const std::uint64_t free = os::available_bytes().value_or(1024 * mib);
  return static_cast<std::size_t>(std::max<std::uint64_t>(4 * mib, std::min({wanted, patience, free / 4})));
}

/// Several arrays that all last-level caches of these cores together do not hold.
struct StreamArrays {
  std::size_t bytes = 0;
  bool in_memory = false;  // else memory or patience did not suffice, and what they are read from are caches
};
StreamArrays stream_arrays(const Machine& machine, const MeasureOptions& options, const std::vector<int>& cpus) {
  std::set<int> chiplets;
  for (const int cpu : cpus) chiplets.insert(machine.core_of_cpu(cpu)->chiplet);
  double caches = 0;
  for (const int chiplet : chiplets) {
    const auto bytes = machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes;
    caches += static_cast<double>(bytes > 0 ? bytes : last_level_bytes(machine));
  }
  const auto least = static_cast<double>(largest_working_set(machine, options));
  const double patience = std::max(1.0, options.budget_s / 15) * 64 * mib * static_cast<double>(cpus.size());
  const auto free = static_cast<double>(os::available_bytes().value_or(1024 * mib));
  double bytes = least;
  if (options.largest_bytes == 0) bytes = std::max(least, std::min({4 * caches, patience, free / 4}));
  return {static_cast<std::size_t>(bytes), bytes >= 2 * caches};
}

std::vector<int> all_of(const std::vector<std::vector<int>>& groups) {
  std::vector<int> cpus;
  for (const auto& group : groups) cpus.insert(cpus.end(), group.begin(), group.end());
  return cpus;
}

std::vector<std::size_t> sizes_up_to(std::size_t smallest, std::size_t largest, double factor) {
  std::vector<std::size_t> sizes;
  for (double size = static_cast<double>(smallest); size < static_cast<double>(largest) * 0.999; size *= factor)
    sizes.push_back(static_cast<std::size_t>(size));
  sizes.push_back(largest);
  return sizes;
}

/// As many cores as the smallest group of two or more chiplets has, once on one chiplet and once over all of them.
struct LocalAndSpread {
  std::vector<int> local, spread;
};
LocalAndSpread local_and_spread(const Machine& machine) {
  const auto chiplets = by(machine, &Core::chiplet);
  const auto largest =
      std::max_element(chiplets.begin(), chiplets.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
  LocalAndSpread worker_cores;
  worker_cores.local = *largest;
  if (chiplets.size() < 2) return worker_cores;
  for (std::size_t depth = 0; worker_cores.spread.size() < worker_cores.local.size(); ++depth) {
    for (const auto& chiplet : chiplets) {
      if (depth < chiplet.size() && worker_cores.spread.size() < worker_cores.local.size())
        worker_cores.spread.push_back(chiplet[depth]);
    }
  }
  return worker_cores;
}

}  // namespace

void measure_node_memory(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                         Profile& profile) {
  const std::size_t n = machine.nodes.size();
  auto& table = profile.summary.node_gb_per_s;
  table.assign(n, std::vector<double>(n, 0));
  const std::size_t bytes = std::min<std::size_t>(largest_working_set(machine, options), n > 4 ? 32 * mib : 128 * mib);
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(n * n), 5.0, 100.0);
  for (std::size_t a = 0; a < n; ++a) {
    if (machine.nodes[a].cpus.empty()) continue;
    for (std::size_t b = 0; b < n && !plan.over(); ++b) {
      try {
        table[a][b] =
            read_rate(machine.nodes[a].cpus.front(), machine.nodes[b].os_index, bytes, ms, plan.until()).median;
      } catch (const Error& error) {
        profile.notes.push_back("The memory of node " + std::to_string(machine.nodes[b].os_index) +
                                " was left out: " + error.what());
      }
    }
  }
}

namespace {

/// What 1, 2, 4 ... chiplets of a node get from its memory, with all their cores: where more add nothing, the memory is
/// saturated.
void measure_chiplets_of_a_node(const Machine& machine, const MeasureOptions& options, ProgressPlan& plan,
                                Profile& profile) {
  std::vector<std::vector<int>> chiplets;
  for (const Chiplet& chiplet : machine.chiplets) {
    if (chiplet.node != machine.cores.front().node) continue;
    chiplets.emplace_back();
    for (const int core : chiplet.cores) chiplets.back().push_back(machine.cores[static_cast<std::size_t>(core)].cpu);
  }
  std::vector<std::size_t> counts{1};  // the two that decide come first
  if (chiplets.size() > 1) counts.push_back(chiplets.size());
  for (std::size_t count = 2; count < chiplets.size(); count *= 2) counts.push_back(count);
  std::map<std::size_t, StreamResult> results;
  for (const std::size_t count : counts) {
    if (plan.over()) break;
    const auto end = chiplets.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<int> cpus = all_of({chiplets.begin(), end});
    const StreamArrays arrays = stream_arrays(machine, options, cpus);
    if (arrays.in_memory) results[count] = stream({cpus}, arrays.bytes, 5, plan.until());
  }
  Curve curve{"STREAM by chiplets", "chiplets of a node", "", "bandwidth", "GB/s", {}};
  for (std::size_t k = 0; k < stream_kernels.size(); ++k) {
    curve.series.push_back({std::string(stream_kernels[k]), {}});
    for (const auto& [count, result] : results) {
      if (result.best_gb_per_s[k] <= 0) continue;
      curve.series[k].points.push_back(
          {static_cast<double>(count), result.best_gb_per_s[k], result.gb_per_s[k].spread});
    }
  }
  profile.curves.push_back(std::move(curve));
  if (results.contains(1)) profile.summary.chiplet_memory_gb_per_s = results[1].best_gb_per_s[0];
  if (results.contains(chiplets.size()))
    profile.summary.node_memory_gb_per_s = results[chiplets.size()].best_gb_per_s[0];
}

}  // namespace

void measure_stream(const Machine& machine, const MeasureOptions& options, ProgressPlan& plan, Profile& profile) {
  Curve curve{"STREAM by processes", "processes", "", "bandwidth", "GB/s", {}};
  for (const auto kernel : stream_kernels) curve.series.push_back({std::string(kernel), {}});
  std::map<std::size_t, std::vector<std::vector<int>>> groupings;
  for (int Core::* group : {static_cast<int Core::*>(nullptr), &Core::node, &Core::chiplet, &Core::id}) {
    auto groups = by(machine, group);
    groupings.emplace(groups.size(), std::move(groups));
  }
  const StreamArrays arrays = stream_arrays(machine, options, all_of(groupings.begin()->second));
  if (!arrays.in_memory)
    profile.notes.push_back(
        "STREAM's arrays fit into the caches of all cores together, so that its rates are none of memory's.");
  std::size_t done = 0;
  for (const auto& [processes, groups] : groupings) {
    if (plan.over()) break;
    plan.report(static_cast<double>(done++) / static_cast<double>(groupings.size()));
    const StreamResult result = stream(groups, arrays.bytes, 5, plan.until());
    if (arrays.in_memory)
      profile.summary.memory_gb_per_s = std::max(profile.summary.memory_gb_per_s, result.best_gb_per_s[3]);
    for (std::size_t k = 0; k < stream_kernels.size(); ++k) {
      if (result.best_gb_per_s[k] <= 0) continue;
      curve.series[k].points.push_back(
          {static_cast<double>(processes), result.best_gb_per_s[k], result.gb_per_s[k].spread});
    }
  }
  profile.curves.push_back(std::move(curve));

  measure_chiplets_of_a_node(machine, options, plan, profile);

  const LocalAndSpread worker_cores = local_and_spread(machine);
  if (worker_cores.spread.empty()) {
    profile.notes.push_back("One chiplet: STREAM and writes have nothing to compare local with.");
    return;
  }
  Curve mixed{"STREAM copy, local and mixed", "array bytes", "B", "bandwidth", "GB/s", {{"local", {}}, {"mixed", {}}}};
  for (const std::size_t size : sizes_up_to(800000, largest_working_set(machine, options), 4)) {
    for (std::size_t s = 0; s < 2 && !plan.over(); ++s) {
      const StreamResult result = stream({s == 0 ? worker_cores.local : worker_cores.spread}, size, 9, plan.until());
      if (result.gb_per_s[2].median <= 0) continue;
      mixed.series[s].points.push_back(
          {static_cast<double>(size), result.gb_per_s[2].median, result.gb_per_s[2].spread});
    }
  }
  profile.curves.push_back(std::move(mixed));
}

void measure_working_sets(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                          Profile& profile) {
  Curve latency{"Latency by working set", "working set", "B", "latency", "ns", {}};
  Curve bandwidth{"Read bandwidth by working set", "working set", "B", "bandwidth", "GB/s", {}};
  const auto sizes = sizes_up_to(4096, largest_working_set(machine, options), 2);
  std::vector<const Node*> nodes;
  for (const Node& node : machine.nodes) nodes.push_back(&node);
  const std::size_t steps = sizes.size() * std::max<std::size_t>(1, nodes.size());
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(steps) / 4, 2.0, 50.0);
  const Core& core = machine.cores.front();
  std::size_t done = 0;
  for (std::size_t n = 0; n < std::max<std::size_t>(1, nodes.size()); ++n) {
    const std::string label = nodes.empty() ? "own memory" : memory_label(*nodes[n], nodes[n]->id == core.node);
    latency.series.push_back({label, {}});
    bandwidth.series.push_back({label, {}});
    double last_ms = 0;
    for (const std::size_t size : sizes) {
      // The next one takes twice as long as the last. One that would be cut off is not begun.
      if (plan.over() || (last_ms > 4 * ms && 2 * last_ms > plan.until().left_ms())) break;
      plan.report(static_cast<double>(done++) / static_cast<double>(steps));
      try {
        const double begin = now_ns();
        const WorkingSet set = working_set(core.cpu, nodes.empty() ? -1 : nodes[n]->os_index, size, ms, plan.until());
        last_ms = (now_ns() - begin) / 1e6;
        if (set.latency_ns.median <= 0 || set.gb_per_s.median <= 0) break;
        const auto x = static_cast<double>(size);
        latency.series.back().points.push_back({x, set.latency_ns.median, set.latency_ns.spread});
        bandwidth.series.back().points.push_back({x, set.gb_per_s.median, set.gb_per_s.spread});
      } catch (const Error& error) {
        profile.notes.push_back(std::string("Working sets beyond ") + std::to_string(size) +
                                " B were left out: " + error.what());
        break;
      }
    }
  }
  profile.curves.push_back(std::move(latency));
  profile.curves.push_back(std::move(bandwidth));
}

void measure_writes(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                    Profile& profile) {
  const LocalAndSpread worker_cores = local_and_spread(machine);
  Curve curve{"Writing, local and distributed", "bytes written", "B", "time", "ns", {{"local", {}}}};
  if (!worker_cores.spread.empty()) curve.series.push_back({"distributed", {}});
  const auto sizes = sizes_up_to(38, largest_working_set(machine, options), 10);
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(sizes.size() * curve.series.size()) / 2, 5.0, 200.0);
  std::size_t done = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t s = 0; s < curve.series.size(); ++s) {
      if (plan.over()) break;
      plan.report(static_cast<double>(done++) / static_cast<double>(sizes.size() * curve.series.size()));
      const Summary took = write_once(s == 0 ? worker_cores.local : worker_cores.spread, size, ms, plan.until());
      if (took.median <= 0) break;
      curve.series[s].points.push_back({static_cast<double>(size), took.median, took.spread});
    }
  }
  profile.curves.push_back(std::move(curve));
}

}  // namespace charm::probe
