#include "sim/regret.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/parallel.hpp"
#include "placement/policy.hpp"
#include "sim/generator.hpp"
#include "sim/policies/all.hpp"
#include "sim/steady.hpp"

namespace charm::sim {
namespace {

using placement::Placement;
using placement::SocketOrder;

constexpr double tie = 1.01;  // static policies that differ by less are no choice

using placement::Request;
using placement::Standing;

Standing level_of(const Machine& machine, const Request& request, SocketOrder sockets, double share) {
  Request wanted = request;
  wanted.sockets = sockets;
  const std::vector<int> levels = placement::policy("local").place(machine, wanted).levels;
  return {sockets, levels[static_cast<std::size_t>(share * static_cast<double>(levels.size() - 1) + 0.5)]};
}

Standing fewest(const Machine& machine, const Request& request, double /*bytes*/) {
  return level_of(machine, request, SocketOrder::fill, 0);
}
Standing middle(const Machine& machine, const Request& request, double /*bytes*/) {
  return level_of(machine, request, SocketOrder::fill, 0.5);
}
Standing most(const Machine& machine, const Request& request, double /*bytes*/) {
  return level_of(machine, request, SocketOrder::fill, 1);
}
Standing most_of_all(const Machine& machine, const Request& request, double /*bytes*/) {
  return level_of(machine, request, SocketOrder::balance, 1);
}

constexpr StandingRule rules[] = {
    {"by memory", "as few as hold the program's memory in their caches, else all", placement::standing_for},
    {"local", "the fewest", fewest},
    {"middle", "the middle level", middle},
    {"distributed", "the most of as few sockets as hold the workers", most},
    {"distributed, sockets=balance", "the most of all sockets", most_of_all},
};

/// Bytes that all workers touch together.
double memory_of(const Workload& work, int workers) {
  double most_bytes = 0;
  for (const Phase& phase : work.phases) {
    double bytes = 0;
    for (const Component& c : phase.components)
      bytes += c.reach == Component::Reach::shared ? c.bytes : c.bytes * workers;
    most_bytes = std::max(most_bytes, bytes);
  }
  return most_bytes;
}

std::set<int> worker_counts(const Machine& machine) {
  const int cores = static_cast<int>(machine.cores.size());
  std::set<int> counts{std::max(2, cores / 2), std::max(2, cores * 3 / 4), cores};
  for (int count = 2; count < cores; count *= 2) counts.insert(count);
  return counts;
}

/// Throughput at each level of a placement.
std::vector<double> throughput(const Model& model, const Workload& work, Placement placement) {
  SimulationPlan plan;
  plan.placement = std::move(placement);
  SteadyStates states(model, work, plan, Backend::analytic, 1);
  std::vector<double> all;
  for (std::size_t level = 0; level < plan.placement.levels.size(); ++level)
    all.push_back(states.at(0, level).operations_per_s);
  return all;
}

Regret regret_of(const Model& model, const std::string& spec, int workers) {
  Regret out{model.name, spec, workers, "", {}};
  const Workload work = workload(spec, workers);
  const Placement family = placed("local", model, workers);
  const std::vector<double> filled = throughput(model, work, family);
  double best = 0, least = INFINITY;
  const auto consider = [&](double rate, const std::string& name) {
    least = std::min(least, rate);
    if (rate > best * (1 + 1e-9)) best = rate, out.best = name;
  };
  for (std::size_t at = 0; at < filled.size(); ++at)
    consider(filled[at], "static:spread=" + std::to_string(family.levels[at]));
  const Placement even = placed("local", model, workers, SocketOrder::balance);
  const std::vector<double> balanced = throughput(model, work, even);
  for (std::size_t at = 0; at < balanced.size(); ++at)
    consider(balanced[at], "static:spread=" + std::to_string(even.levels[at]) + ", sockets=balance");
  consider(throughput(model, work, placed("numa", model, workers)).front(), "numa");
  if (best < least * tie) return out;
  for (const StandingRule& rule : rules) {
    const Standing where = rule.stand(model.machine, {.workers = workers}, memory_of(work, workers));
    const bool fill = where.sockets == SocketOrder::fill;
    const int level = (fill ? family : even).level_index(where.spread);
    out.loss.push_back(best / (fill ? filled : balanced)[static_cast<std::size_t>(level)]);
  }
  return out;
}

}  // namespace

std::span<const StandingRule> standing_rules() { return rules; }

std::vector<std::string> regret_workloads() {
  std::vector<std::string> specs;
  for (const Generator* generator : generators()) specs.emplace_back(generator->name);
  specs.insert(specs.end(), {"sweep:mb=2", "sweep:mb=24", "uniform:total_mb=64", "zipf:total_mb=128", "pairs:mb=12",
                             "readonly:total_mb=200", "hash-join:table_mb=16"});
  return specs;
}

std::vector<Regret> regrets(const std::vector<std::string>& machines, const std::vector<std::string>& workloads,
                            int jobs) {
  struct Piece {
    std::size_t machine;
    int workers;
    const std::string* workload;
  };
  std::vector<Model> models;
  std::vector<Piece> pieces;
  for (const auto& name : machines) {
    models.push_back(model(name));
    for (const int workers : worker_counts(models.back().machine)) {
      for (const auto& spec : workloads) pieces.push_back({models.size() - 1, workers, &spec});
    }
  }
  std::vector<Regret> all(pieces.size());
  base::for_each_piece(pieces.size(), jobs, [&](std::size_t i) {
    all[i] = regret_of(models[pieces[i].machine], *pieces[i].workload, pieces[i].workers);
  });
  std::erase_if(all, [](const Regret& one) { return one.loss.empty(); });
  return all;
}

std::vector<RegretSummary> summary_of(const std::vector<Regret>& all) {
  std::vector<RegretSummary> summaries;
  for (std::size_t rule = 0; rule < std::size(rules); ++rule) {
    RegretSummary summary{rules[rule].name, 1, 0, 0, nullptr};
    for (const Regret& one : all) {
      const double loss = one.loss[rule];
      summary.mean += loss;
      if (loss <= 1.05) summary.near += 1;
      if (loss > summary.worst) summary.worst = loss, summary.at = &one;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(all.size(), 1));
    summary.mean /= count;
    summary.near /= count;
    summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace charm::sim
