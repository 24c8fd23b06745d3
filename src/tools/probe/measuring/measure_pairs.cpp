#include <algorithm>
#include <string>
#include <vector>

#include "tools/probe/measuring/measure_steps.hpp"
#include "tools/probe/measuring/pairs.hpp"

namespace charm::probe {
namespace {

std::vector<std::vector<int>> sibling_rows(const Machine& machine, const std::vector<int>& cpus) {
  std::vector<std::vector<int>> rows;
  for (const Core& core : machine.cores) {
    rows.emplace_back();
    for (int cpu : core.siblings)
      rows.back().push_back(static_cast<int>(std::lower_bound(cpus.begin(), cpus.end(), cpu) - cpus.begin()));
  }
  return rows;
}

}  // namespace

MeasuredCpus cpus_of(const Machine& machine) {
  MeasuredCpus cpus;
  cpus.all = machine.allowed_cpus.values();
  for (int cpu : cpus.all) {
    const Core* core = machine.core_of_cpu(cpu);
    cpus.node_os.push_back(
        core == nullptr || machine.nodes.empty() ? -1 : machine.nodes[static_cast<std::size_t>(core->node)].os_index);
  }
  return cpus;
}

PairPlan pair_plan(const Machine& machine, const Profile& profile, const MeasureOptions& options, PairQuantity what) {
  PairBudget budget;
  budget.sampled = profile.sampled;
  // A sample of any machine is done in two minutes, both matrices and all else together. Bandwidth is there to be shown
  // and nothing is inferred from it, so that fewer landmarks do.
  budget.seconds = profile.sampled ? (what == PairQuantity::bandwidth ? 25 : 70) : options.budget_s / 5;
  budget.landmarks_of = what == PairQuantity::bandwidth ? 24 : 8;
  return plan_pairs(static_cast<int>(profile.cpus.size()), sibling_rows(machine, profile.cpus), budget);
}

void measure_pairs(const PairPlan& pairs, const MeasuredCpus& cpus, PairQuantity quantity, ProgressPlan& plan,
                   Profile& profile) {
  const bool bandwidth = quantity == PairQuantity::bandwidth;
  LatencyMatrix& matrix = bandwidth ? profile.bandwidth : profile.latency;
  PairOptions pair = pairs.options;
  const std::string what = bandwidth ? "their bandwidth" : "their latency";
  const std::size_t all = pairs.pairs.size() * static_cast<std::size_t>(pairs.passes);
  std::vector<std::vector<double>> seen(pairs.pairs.size());  // by pass
  std::size_t done = 0;
  std::size_t given_up = 0;
  for (int pass = 0; pass < pairs.passes; ++pass) {
    for (std::size_t p = 0; p < pairs.pairs.size(); ++p) {
      if (plan.over()) {
        if (!plan.stopped())
          profile.notes.push_back(std::to_string(all - done) + " of " + std::to_string(all) +
                                  " pairs were left out for want of time; " + what + " rests on fewer samples.");
        return;
      }
      if (done++ % std::max<std::size_t>(1, all / 200) == 0)
        plan.report(static_cast<double>(done) / static_cast<double>(all));
      const auto a = static_cast<std::size_t>(pairs.pairs[p].first);
      const auto b = static_cast<std::size_t>(pairs.pairs[p].second);
      pair.node = cpus.node_os[a];
      pair.most_ms = std::min(pairs.options.most_ms, plan.until().left_ms());
      const auto look = [&](const PairOptions& how) {
        return bandwidth ? pair_bandwidth(cpus.all[a], cpus.all[b], how) : pair_latency(cpus.all[a], cpus.all[b], how);
      };
      PairResult result = look(pair);
      // Other work held one of the two all the time; a few pairs can wait for a moment that both have.
      if (result.value.median <= 0 && pairs.pairs.size() <= 64) {
        PairOptions patient = pair;
        patient.most_ms = std::min(1500.0, plan.until().left_ms() / 2);
        patient.round_trips = 50;
        result = look(patient);
      }
      if (!result.whole) ++given_up;
      if (result.value.median <= 0) continue;
      seen[p].push_back(result.value.median);
      // Set at once, so that an interruption leaves what there is.
      matrix.set(static_cast<int>(a), static_cast<int>(b), summarise(seen[p]).median);
      if (bandwidth) continue;
      profile.latency_spread[a][b] = profile.latency_spread[b][a] = result.value.spread;
      profile.line_home[a][b] = profile.line_home[b][a] = result.home;
    }
  }
  if (given_up > 0) {
    profile.notes.push_back(std::to_string(given_up) + " of " + std::to_string(all) +
                            " pairs took too long or lost a cpu on the way; " + what + " rests on fewer samples.");
  }
  const auto unstable = std::count_if(seen.begin(), seen.end(), [](const std::vector<double>& passes) {
    const auto [low, high] = std::minmax_element(passes.begin(), passes.end());
    return passes.size() > 1 && *high > *low * 1.2;  // more than a tenth to each side
  });
  if (unstable > 0) {
    profile.notes.push_back("Not idle: " + std::to_string(unstable) + " of " + std::to_string(seen.size()) +
                            " pairs differed by more than 10 % to each side over three passes; " + what +
                            " is the middle one.");
    profile.idle = false;
  }
}

}  // namespace charm::probe
