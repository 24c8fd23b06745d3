#include "tools/sim/advise.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "placement/kinds.hpp"
#include "placement/placement_policy.hpp"
#include "tools/sim/backend.hpp"

namespace charm::sim {
namespace {

constexpr double bytes_a_mib = 1048576;
constexpr double as_good = 0.97;  // of the best; below that fewer chiplets or larger instances are not worth it

void check(const Question& q) {
  const auto refuse = [](const std::string& what, const char* remedy) { throw Error(Errc::bad_config, what, remedy); };
  if (!(q.working_set_mb > 0)) refuse("advice needs the size of the working set", "give --working-set MIB");
  if (!(q.sharing >= 0 && q.sharing <= 1)) refuse("sharing is not a share", "give a number from 0 to 1");
  if (!(q.writes >= 0 && q.writes <= 1)) refuse("writes is not a share", "give a number from 0 to 1");
  if (!(q.bandwidth_gb_per_s >= 0)) refuse("the bandwidth is negative", "give GB/s from 0 up");
}

Phase phase_of(const Question& q, int workers, double compute_ns) {
  Phase phase;
  const double own = q.working_set_mb * bytes_a_mib * (1 - q.sharing) / workers,
               shared = q.working_set_mb * bytes_a_mib * q.sharing;
  if (q.sharing < 1) {
    phase.components.push_back({"own",
                                Component::Order::sweep,
                                Component::Reach::own,
                                std::max(own, line_bytes),
                                1 - q.sharing,
                                q.writes,
                                1,
                                {},
                                false});
  }
  if (q.sharing > 0) {
    phase.components.push_back({"shared",
                                Component::Order::random,
                                Component::Reach::shared,
                                std::max(shared, line_bytes),
                                q.sharing,
                                q.writes,
                                1,
                                {},
                                true});
  }
  phase.compute_ns = compute_ns;
  return phase;
}

Choice choice(const Model& model, const std::vector<WorkerCore>& worker_cores, const Phase& phase, Domain instances,
              double& rate) {
  Job job{&model, worker_cores, &phase, {}};
  job.habits.replicas = instances;
  job.habits.roam = Domain::worker;
  const Rates rates = rates_of(job, analytic_mixes(job));
  Choice out;
  rate = rates.operations_per_s;
  double all = 0;
  for (const double f : rates.fills_per_s) all += f;
  for (std::size_t s = 0; s < sources; ++s) out.fills[s] = rates.fills_per_s[s] / all;
  return out;
}

/// Every number of workers on the level of the policy that suits it best. Each worker asks for as much as one of
/// `phase`; the data stay the same, so that fewer workers have larger parts.
std::vector<Choice> widths_up_to(const Model& model, const Question& q, int most, double compute_ns,
                                 std::vector<double>& rates) {
  std::vector<Choice> widths;
  for (int workers = 1; workers <= most; workers = workers < most ? std::min(2 * workers, most) : most + 1) {
    const auto placement = placement::policy("local").place(model.machine, {.workers = workers});
    const Phase phase = phase_of(q, workers, compute_ns);
    double best = 0;
    widths.emplace_back();
    for (const auto& worker_cores : placement.worker_cores) {
      double rate = 0;
      const Choice here = choice(model, worker_cores, phase, Domain::machine, rate);
      if (rate > best) widths.back() = here;
      best = std::max(best, rate);
    }
    widths.back().count = workers;
    widths.back().name = std::to_string(workers);
    rates.push_back(best);
  }
  return widths;
}

/// Sets each throughput against the best and gives the first that is as good.
std::size_t first_as_good(std::vector<Choice>& choices, const std::vector<double>& rates) {
  const double best = *std::max_element(rates.begin(), rates.end());
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i].throughput = rates[i] / best;
  return static_cast<std::size_t>(
      std::find_if(choices.begin(), choices.end(), [](const Choice& c) { return c.throughput >= as_good; }) -
      choices.begin());
}

int instances_of(const std::vector<WorkerCore>& worker_cores, Domain domain) {
  std::set<int> keys;
  for (std::size_t w = 0; w < worker_cores.size(); ++w) {
    keys.insert(domain == Domain::machine   ? 0
                : domain == Domain::node    ? worker_cores[w].node
                : domain == Domain::chiplet ? worker_cores[w].chiplet
                                            : static_cast<int>(w));
  }
  return static_cast<int>(keys.size());
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void explain(const Model& model, const Question& q, Advice& advice, std::size_t level, std::size_t division) {
  const double l3 = static_cast<double>(model.machine.chiplets.front().l3_bytes) / bytes_a_mib;
  const Choice &first = advice.levels.front(), &chosen = advice.levels[level];
  const double memory = first.fills[4] + first.fills[5],
               others = advice.levels.back().fills[2] + advice.levels.back().fills[3];
  if (advice.levels.size() == 1) {
    advice.reasons.push_back(fmt::format("{} workers need {} of the machine's {} chiplets: there is nothing to choose.",
                                         advice.workers, chosen.count, model.machine.chiplets.size()));
  } else if (advice.placement == "local") {
    advice.reasons.push_back(
        fmt::format("On {} a working set of {:.0f} MiB over caches of {:.0f} MiB leaves {} of the accesses to memory; "
                    "spread over {} "
                    "chiplets the throughput is {} of that, with {} of the accesses to other chiplets' caches.",
                    first.name, q.working_set_mb, l3, percent(memory), advice.levels.back().count,
                    percent(advice.levels.back().throughput / first.throughput), percent(others)));
  } else {
    advice.reasons.push_back(
        fmt::format("On {} {} of the accesses go to memory, since {:.0f} MiB do not fit {:.0f} MiB of cache; {} bring "
                    "that to {} and {:.2f} "
                    "times the throughput.",
                    first.name, percent(memory), q.working_set_mb, l3 * first.count, chosen.name,
                    percent(chosen.fills[4] + chosen.fills[5]), chosen.throughput / first.throughput));
  }
  double all_caches = 0;
  for (const auto& chiplet : model.machine.chiplets) all_caches += static_cast<double>(chiplet.l3_bytes) / bytes_a_mib;
  if (level > 0 && q.working_set_mb > all_caches) {
    advice.reasons.push_back(fmt::format(
        "{:.0f} MiB are beyond all caches ({:.0f} MiB): what more chiplets bring is their links to memory; OLAP "
        "on chiplets §4.4 measured little difference there.",
        q.working_set_mb, all_caches));
  }
  const Choice& one = advice.divisions.front();
  if (division == 0) {
    advice.reasons.push_back(q.sharing <= 0
                                 ? "Nothing is shared, so dividing the program into instances changes nothing."
                                 : "Dividing the shared data over instances gains less than 3 %.");
  } else {
    const Choice& chosen_division = advice.divisions[division];
    const auto change = [&](std::size_t a, std::size_t b) {
      return std::pair(one.fills[a] + one.fills[b], chosen_division.fills[a] + chosen_division.fills[b]);
    };
    const auto caches = change(2, 3), dram = change(4, 5);
    const bool by_caches = caches.first - caches.second >= dram.first - dram.second;
    const auto& [before, after] = by_caches ? caches : dram;
    advice.reasons.push_back(fmt::format(
        "An instance a {} with its part of the shared data is {:.2f} times as fast as one for all: {}.",
        advice.instances, chosen_division.throughput / one.throughput,
        before - after < 0.01
            ? "its part is small enough for nearer caches"
            : fmt::format("the accesses to {} go from {} to {}", by_caches ? "other chiplets' caches" : "memory",
                          percent(before), percent(after))));
  }
}

}  // namespace

Advice advise(const Model& model, const Question& q) {
  check(q);
  Advice advice;
  advice.workers = q.workers > 0 ? q.workers : placement::usual_cores(model.machine);
  const auto placement = placement::policy("local").place(model.machine, {.workers = advice.workers});

  double compute = 0, rate = 0;
  if (q.bandwidth_gb_per_s > 0) {
    // What is asked for when nothing is in the way: everything from the own L2, and computing for the rest of the time.
    const double ns = advice.workers * line_bytes / q.bandwidth_gb_per_s;
    compute = std::max(0.0, ns - model.costs.issue_ns.value - model.costs.l2_ns.value / model.costs.mlp.value);
  }
  const Phase phase = phase_of(q, advice.workers, compute);
  std::vector<double> rates;
  for (std::size_t i = 0; i < placement.levels.size(); ++i) {
    advice.levels.push_back(choice(model, placement.worker_cores[i], phase, Domain::machine, rate));
    advice.levels.back().count = placement.levels[i];
    advice.levels.back().name = fmt::format("{} chiplet{}", placement.levels[i], placement.levels[i] == 1 ? "" : "s");
    rates.push_back(rate);
  }
  const std::size_t level = first_as_good(advice.levels, rates);
  advice.chiplets = advice.levels[level].count;
  advice.placement = level == 0 ? "local" : "mixed";

  rates.clear();
  const auto& worker_cores = placement.worker_cores[level];
  struct Division {
    Domain domain;
    const char* name;
  };
  for (const Division& d : {Division{Domain::machine, "machine"}, Division{Domain::node, "node"},
                            Division{Domain::chiplet, "chiplet"}, Division{Domain::worker, "core"}}) {
    const int count = instances_of(worker_cores, d.domain);
    Phase part = phase;
    for (auto& component : part.components) {
      if (component.replicable) component.bytes = std::max(line_bytes, component.bytes / count);
    }
    advice.divisions.push_back(choice(model, worker_cores, part, d.domain, rate));
    advice.divisions.back().name = d.name;
    advice.divisions.back().count = count;
    rates.push_back(rate);
  }
  const std::size_t division = first_as_good(advice.divisions, rates);
  rates.clear();
  advice.widths = widths_up_to(model, q, advice.workers, compute, rates);
  advice.enough_workers = advice.widths[first_as_good(advice.widths, rates)].count;
  advice.instances = advice.divisions[division].name;
  advice.instance_count = advice.divisions[division].count;
  explain(model, q, advice, level, division);
  if (advice.enough_workers < advice.workers) {
    const Fills& fills = advice.widths.back().fills;
    const bool by_memory = fills[4] + fills[5] >= fills[2] + fills[3];
    advice.reasons.push_back(fmt::format(
        "{} worker{} as much as {}: more of them wait for {} {}. (The model knows no locks; charm advise threads "
        "measures a program.)",
        advice.enough_workers, advice.enough_workers == 1 ? " does" : "s do", advice.workers,
        by_memory ? "memory, to which" : "other chiplets' caches, to which",
        percent(by_memory ? fills[4] + fills[5] : fills[2] + fills[3]) + " of the accesses go"));
  }
  return advice;
}

}  // namespace charm::sim
