#include "tools/sim/regret.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "placement/placement_policy.hpp"
#include "tools/base/parallel.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/policies/all.hpp"
#include "tools/sim/run.hpp"
#include "tools/sim/steady.hpp"

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
  return {sockets, levels[static_cast<std::size_t>(std::lround(share * static_cast<double>(levels.size() - 1)))]};
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
    {"by memory", "as few as hold the program's memory in their caches, else all that the workers are enough for",
     placement::standing_for},
    {"local", "the fewest", fewest},
    {"middle", "the middle level", middle},
    {"distributed", "the most of as few sockets as hold the workers", most},
    {"distributed, sockets=balance", "the most of all sockets", most_of_all},
};

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

/// The fewest chiplets of a placement's levels whose caches hold so much; 0 if those of no level do.
int fewest_that_hold(const Machine& machine, const Placement& family, double bytes) {
  for (std::size_t at = 0; at < family.levels.size(); ++at) {
    std::set<int> chiplets;
    for (const WorkerCore& worker_core : family.worker_cores[at]) chiplets.insert(worker_core.chiplet);
    double held = 0;
    for (const int chiplet : chiplets)
      held += static_cast<double>(machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
    if (bytes <= held) return family.levels[at];
  }
  return 0;
}

/// How many times as fast the best static policy is. \returns 0 where the controller refuses the machine.
double loss_of_controller(const Model& model, const std::string& spec, const Controlled& controller, int workers,
                          double best) {
  RunOptions options;
  options.counters = controller.counters;
  options.warm_up = 60;
  options.seconds = 30;
  try {
    return best / run(model, spec, controller.policy, workers, options).throughput;
  } catch (const Error& error) {
    if (error.code() != Errc::refused) throw;
    return 0;
  }
}

Regret regret_of(const Model& model, const std::string& spec, int workers, const std::vector<Controlled>& controllers) {
  Regret out;
  out.machine = model.name;
  out.workload = spec;
  out.workers = workers;
  const Workload work = workload(spec, workers);
  const Placement family = placed("local", model, workers);
  const Placement even = placed("local", model, workers, SocketOrder::balance);
  const std::vector<double> filled = throughput(model, work, family), balanced = throughput(model, work, even);
  double best = 0, least = INFINITY;
  const auto consider = [&](double rate, const std::string& name) {
    least = std::min(least, rate);
    if (rate > best * (1 + 1e-9)) best = rate, out.best = name;
    out.policies.push_back({name, rate});
  };
  for (std::size_t at = 0; at < filled.size(); ++at)
    consider(filled[at], "static:spread=" + std::to_string(family.levels[at]));
  for (std::size_t at = 0; at < balanced.size(); ++at)
    consider(balanced[at], "static:spread=" + std::to_string(even.levels[at]) + ", sockets=balance");
  consider(throughput(model, work, placed("numa", model, workers)).front(), "numa");
  if (best < least * tie) return out;
  for (Stood& one : out.policies) one.loss = best / one.loss;
  const double bytes = memory_of(work, workers);
  out.fits = fewest_that_hold(model.machine, even, bytes);
  out.fits_filled = fewest_that_hold(model.machine, family, bytes);
  for (const StandingRule& rule : rules) {
    const Standing where = rule.stand(model.machine, {.workers = workers}, bytes);
    const bool fill = where.sockets == SocketOrder::fill;
    const int level = (fill ? family : even).level_index(where.spread);
    out.loss.push_back(best / (fill ? filled : balanced)[static_cast<std::size_t>(level)]);
  }
  GatheringKnobs knobs;
  knobs.numa_balancing = model.machine.nodes.size() > 1;
  const auto at_start = [&](const Placement& placement) {
    return throughput(model, work, placement)[static_cast<std::size_t>(placement.initial)];
  };
  const double before = at_start(placed("distributed", model, workers, SocketOrder::balance));
  const double since = at_start(gathered_by_kernel(model, bytes, workers, knobs));
  out.untouched = {{"linux-6", best / before}, {"linux-7.2", best / since}};
  for (const Controlled& controller : controllers) {
    out.moved.push_back({controller.policy + (controller.counters ? "" : ", no counters"),
                         loss_of_controller(model, spec, controller, workers, best)});
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
                            int jobs, const std::vector<Controlled>& controllers) {
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
    all[i] = regret_of(models[pieces[i].machine], *pieces[i].workload, pieces[i].workers, controllers);
  });
  std::erase_if(all, [](const Regret& one) { return one.loss.empty(); });
  return all;
}

std::vector<RegretSummary> summary_of(const std::vector<Regret>& all) {
  const auto summarise = [&](std::string name, std::string_view what, const auto& loss_in) {
    RegretSummary out{std::move(name), std::string(what), 1, 0, 0, 0, nullptr};
    for (const Regret& one : all) {
      const double loss = loss_in(one);
      if (loss <= 0) {
        ++out.refused;
        continue;
      }
      out.mean += loss;
      if (loss <= 1.05) out.near += 1;
      if (loss > out.worst) out.worst = loss, out.at = &one;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(all.size() - out.refused, 1));
    out.mean /= count;
    out.near /= count;
    return out;
  };
  std::vector<RegretSummary> summaries;
  for (std::size_t rule = 0; rule < std::size(rules); ++rule)
    summaries.push_back(summarise(std::string(rules[rule].name), rules[rule].summary,
                                  [rule](const Regret& one) { return one.loss[rule]; }));
  for (std::size_t at = 0; !all.empty() && at < all.front().untouched.size(); ++at)
    summaries.push_back(summarise(all.front().untouched[at].policy, "no tool",
                                  [at](const Regret& one) { return one.untouched[at].loss; }));
  for (std::size_t at = 0; !all.empty() && at < all.front().moved.size(); ++at)
    summaries.push_back(summarise(all.front().moved[at].policy, "moves, after a minute",
                                  [at](const Regret& one) { return one.moved[at].loss; }));
  const auto untouched = [](const Regret& one) {
    return std::min_element(one.untouched.begin(), one.untouched.end(),
                            [](const Stood& a, const Stood& b) { return a.loss < b.loss; })
        ->loss;
  };
  constexpr std::string_view beside = ", beside the better kernel", meaning = "no tool is 1; less is ahead of it";
  summaries.push_back(summarise(std::string(rules[0].name) + std::string(beside), meaning,
                                [&](const Regret& one) { return one.loss[0] / untouched(one); }));
  for (std::size_t at = 0; !all.empty() && at < all.front().moved.size(); ++at)
    summaries.push_back(summarise(all.front().moved[at].policy + std::string(beside), meaning,
                                  [&](const Regret& one) { return one.moved[at].loss / untouched(one); }));
  return summaries;
}

std::vector<RegretBound> bounds_of(const std::vector<Regret>& all) {
  // A rule that knows no more than `key` chooses the same policy for all combinations of one key, and is free to choose
  // another for each key. So the best of all rules takes the best policy of each key.
  const auto bound = [&](std::string_view knows, const auto& key) {
    std::map<std::string, std::vector<const Regret*>> same;
    for (const Regret& one : all) same[key(one)].push_back(&one);
    RegretBound out{knows, 1, 0};
    for (const auto& [name, group] : same) {
      double least_worst = INFINITY, least_sum = INFINITY;
      for (std::size_t policy = 0; policy < group.front()->policies.size(); ++policy) {
        double worst = 1, sum = 0;
        for (const Regret* one : group) {
          worst = std::max(worst, one->policies[policy].loss);
          sum += one->policies[policy].loss;
        }
        least_worst = std::min(least_worst, worst);
        least_sum = std::min(least_sum, sum);
      }
      out.worst = std::max(out.worst, least_worst);
      out.mean += least_sum;
    }
    out.mean /= static_cast<double>(std::max<std::size_t>(all.size(), 1));
    return out;
  };
  const auto job = [](const Regret& one) { return one.machine + "/" + std::to_string(one.workers); };
  return {bound("nothing", job), bound("how many chiplets' caches hold its memory", [&](const Regret& one) {
            return job(one) + "/" + std::to_string(one.fits) + "/" + std::to_string(one.fits_filled);
          })};
}

}  // namespace charm::sim
