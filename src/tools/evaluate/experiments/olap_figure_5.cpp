// OLAP on chiplets Fig. 5 (§2.5): STREAM's copy by all cores, as one process for each chiplet or one for each NUMA
// node, by the size of the arrays; and the control, a processor with a single last-level cache, on which the division
// makes no difference.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/evaluate/experiments/olap.hpp"

namespace charm::evaluate {
namespace {

std::vector<std::vector<int>> grouped(const Machine& machine, int Core::* group) {
  std::map<int, std::vector<int>> cpus;
  for (const Core& core : machine.cores) cpus[core.*group].push_back(core.cpu);
  std::vector<std::vector<int>> all;
  for (auto& [id, list] : cpus) all.push_back(std::move(list));
  return all;
}

constexpr double little_difference = 0.1;

Plan plan_olap_figure_5(const Context& context) {
  const Machine& machine = context.machine();
  Plan out{.x = "MiB", .y = "a process a chiplet over one a node"};
  const Copying chiplets{"a process a chiplet", by_chiplet(machine), "local"};
  const Copying nodes{"a process a node", by_node(machine), "local"};
  const std::size_t caches = chiplet_cache(machine) * machine.chiplets.size();
  std::vector<std::size_t> sizes = {caches / 16, caches / 4, caches * 4};
  if (context.paper()) sizes = {8 * mib, 16 * mib, 32 * mib, 64 * mib, 128 * mib, 256 * mib, 4 * gib, 16 * gib};
  for (const std::size_t bytes : sizes) {
    const bool cached = bytes <= caches;
    if (!fits(context, bytes * 3 / 2)) {
      out.notes.push_back(at_size("Not measured for want of memory or time: arrays", bytes) + ".");
      continue;
    }
    Point point{.series = cached ? "within the caches" : "from memory",
                .expect = cached ? Expect::ahead : Expect::equal,
                .bound = cached ? 1 : little_difference,
                .source = "§2.5, text"};
    // At which size the text's factor of two was seen it does not say.
    if (!context.paper() || bytes == 16 * mib) point.published = cached ? 2 : 1;
    add_copies(out, context, bytes, chiplets, nodes, std::move(point));
  }
  if (context.paper())
    out.notes = {"At which size the text's factor of two was seen; at 128 and 256 MiB the model's is small.",
                 "Pages that the threads of a process a node touched first on the other node."};
  return out;
}

Plan monolithic_plan(const Context& context) {
  const Machine& machine = context.machine();
  Plan out{.x = "MiB", .y = "a process a core over one process"};
  const auto cores = by_core(machine);
  std::vector<int> all;
  for (const Core& core : machine.cores) all.push_back(core.cpu);
  const std::size_t cache = chiplet_cache(machine) > 0 ? chiplet_cache(machine) : 32 * mib;
  // Beside the share of the cache that the cores have, not all of what a guest is shown.
  const std::size_t within = std::min(cache / 4, machine.cores.size() * 2 * mib);
  for (const std::size_t bytes : {within, std::max(4 * cache, std::size_t{256} * mib)}) {
    if (!fits(context, bytes * 3 / 2)) {
      out.notes.push_back(at_size("Not measured for want of memory or time: arrays", bytes) + ".");
      continue;
    }
    Point point{.series = bytes == within ? "within the cache" : "from memory",
                .expect = Expect::equal,
                .bound = little_difference,
                .published = 1,
                .source = "§2.5, text"};
    add_copies(out, context, bytes, {"a process a core", cores, "local"}, {"one process", {all}, "local"},
               std::move(point));
  }
  return out;
}

}  // namespace

std::vector<std::vector<int>> by_chiplet(const Machine& machine) { return grouped(machine, &Core::chiplet); }
std::vector<std::vector<int>> by_node(const Machine& machine) { return grouped(machine, &Core::node); }
std::vector<std::vector<int>> by_core(const Machine& machine) { return grouped(machine, &Core::id); }

void add_copies(Plan& plan, const Context& context, std::size_t bytes, const Copying& first, const Copying& second,
                Point point) {
  Job job{.title = at_size("copying arrays", bytes)};
  point.first = at_size(first.name, bytes);
  point.second = at_size(second.name, bytes);
  for (const Copying* each : {&first, &second}) {
    const std::string name = at_size(each->name, bytes);
    job.variants.push_back({name, StreamRun{each->processes, Stream::copy, bytes}});
    std::size_t workers = 0;
    for (const auto& cpus : each->processes) workers += cpus.size();
    add_subject(plan, plain_rate(name,
                                 fmt::format("copy:total_mb={:.6g},processes={}", static_cast<double>(bytes) / mib,
                                             each->processes.size()),
                                 each->policy, static_cast<int>(workers)));
  }
  job.rounds = context.quick() ? 12 : 25;
  job.seconds = (context.quick() ? 2 : 5) + 40 * static_cast<double>(bytes) / static_cast<double>(4 * gib);
  point.x = static_cast<double>(bytes) / mib;
  plan.jobs.push_back(std::move(job));
  plan.points.push_back(std::move(point));
}

constinit const Experiment olap_figure_5{
    .name = "olap-fig5",
    .title = "STREAM by processes",
    .claim =
        "In the caches a process for each chiplet copies faster than one for each NUMA node; from memory there is no "
        "difference.",
    .paper = "OLAP on chiplets Fig. 5, §2.5",
    .published = "twice as fast in the caches, no difference from memory",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 4, .chiplets = 2, .cache_sizes = true},
    .plan = plan_olap_figure_5};

constinit const Experiment olap_monolithic{
    .name = "olap-fig5-monolithic",
    .title = "STREAM by processes, one cache",
    .claim =
        "On a processor with a single last-level cache it makes no difference (within 10 %) in how many processes "
        "the cores copy.",
    .paper = "OLAP on chiplets Fig. 5, §2.5",
    .published = "no variation (Intel Xeon Gold)",
    .needs = {.cores = 2, .most_chiplets = 1},
    .plan = monolithic_plan};

}  // namespace charm::evaluate
