#include "tools/evaluate/experiments/common.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "placement/placement_policy.hpp"
#include "tools/sim/deployments.hpp"
#include "tools/sim/figures/all.hpp"
#include "tools/sim/figures/page_mapping.hpp"

namespace charm::evaluate {
namespace {

constexpr int largest_graph = 24;          // CHARM §5.1
constexpr double bytes_of_a_vertex = 500;  // 16 edges of both directions, the input's and the kernel's state

/// A prediction that the model cannot make is left out: it must not keep anybody from measuring.
template <class Predict>
auto if_possible(Predict predict) -> std::optional<decltype(predict())> {
  try {
    return predict();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<int> cpus_by(const Machine& machine, std::string_view policy, int workers) {
  const placement::Placement placement = placement::policy(policy).place(machine, {.workers = workers});
  std::vector<int> cpus;
  for (const WorkerCore& core : placement.start()) cpus.push_back(core.cpu);
  return cpus;
}

int chiplet_cores(const Machine& machine) {
  std::size_t most = 1;
  for (const Chiplet& chiplet : machine.chiplets) most = std::max(most, chiplet.cores.size());
  return static_cast<int>(most);
}

int socket_cores(const Machine& machine) {
  const int socket = machine.cores.empty() ? 0 : machine.cores.front().socket;
  return static_cast<int>(std::count_if(machine.cores.begin(), machine.cores.end(),
                                        [&](const Core& core) { return core.socket == socket; }));
}

std::size_t chiplet_cache(const Machine& machine) {
  return machine.chiplets.empty() ? 0 : machine.chiplets.front().l3_bytes;
}

std::size_t socket_cache(const Machine& machine) {
  std::size_t sum = 0;
  for (const Chiplet& chiplet : machine.chiplets) {
    if (chiplet.socket == machine.chiplets.front().socket) sum += chiplet.l3_bytes;
  }
  return sum;
}

bool fits(const Context& context, std::size_t bytes) {
  const std::size_t most = context.quick() ? 3 * gib : 128 * gib;
  const std::size_t available = context.facts.available_bytes;
  return bytes <= most && (available == 0 || bytes <= available / 3);
}

std::string at_size(std::string_view what, std::size_t bytes) {
  return fmt::format("{} at {}", what, base::format_bytes(bytes));
}

int graph_scale(const Context& context) {
  const auto cores = context.machine().cores.size();
  int scale = context.quick() ? cores >= 16 ? 20 : cores >= 4 ? 18 : 16 : cores >= 16 ? largest_graph : 20;
  const auto available = static_cast<double>(context.facts.available_bytes);
  while (available > 0 && scale > 10 && bytes_of_a_vertex * static_cast<double>(1ULL << scale) > available / 3) --scale;
  return scale;
}

std::string row(std::string_view kernel, std::string_view runtime, std::string_view policy, int workers) {
  return fmt::format("{} {} {} {}", kernel, runtime, policy, workers);
}

std::vector<std::string> with_rows(std::vector<std::string> words, const BenchRows& rows) {
  for (const std::string& word :
       {std::string("--runtime"), rows.runtimes, std::string("--policy"), rows.policies, std::string("--workers"),
        std::to_string(rows.workers), std::string("--trials"), std::to_string(rows.trials)})
    words.push_back(word);
  if (rows.trial_seconds > 0) {
    words.emplace_back("--trial-seconds");
    words.push_back(fmt::format("{}", rows.trial_seconds));
  }
  return words;
}

std::vector<std::string> graph_words(const Context& context, std::string_view kernels, const BenchRows& rows) {
  return with_rows({"graph", "--scale", std::to_string(graph_scale(context)), "--kernel", std::string(kernels)}, rows);
}

std::vector<std::string> gups_words(const Context& context, const BenchRows& rows) {
  // A table of four times the bytes that the last-level caches hold would be cached nowhere; 2^25 words are 256 MiB.
  int scale = context.quick() ? context.machine().cores.size() >= 16 ? 26 : 22 : 28;
  const std::uint64_t available = context.facts.available_bytes;
  while (available > 0 && scale > 16 && (std::uint64_t{16} << static_cast<unsigned>(scale)) > available / 3) --scale;
  return with_rows({"gups", "--scale", std::to_string(scale)}, rows);
}

Job bench_job(std::string title, std::vector<std::string> words, double seconds) {
  Job job{.title = std::move(title)};
  job.bench = std::move(words);
  job.seconds = seconds;
  return job;
}

std::optional<double> simulated_rate(const Context& context, std::string_view workload, std::string_view policy,
                                     int workers) {
  return if_possible(
      [&] { return sim::settled(context.model, std::string(workload), std::string(policy), workers).throughput; });
}

std::optional<double> simulated_ratio(const Context& context, std::string_view workload, std::string_view policy,
                                      std::string_view other, int workers) {
  const auto one = simulated_rate(context, workload, policy, workers);
  const auto two = simulated_rate(context, workload, other, workers);
  if (!one || !two || !(*two > 0)) return std::nullopt;
  return *one / *two;
}

std::optional<sim::Fills> simulated_fills(const Context& context, std::string_view workload, std::string_view policy,
                                          int workers) {
  return if_possible(
      [&] { return sim::settled(context.model, std::string(workload), std::string(policy), workers).fills; });
}

std::optional<double> plain_rate(const Context& context, std::string_view policy, int workers,
                                 const std::string& spec) {
  return if_possible([&] {
    const auto placement = placement::policy(policy).place(context.model.machine, {.workers = workers});
    return sim::plain_rates(context.model, placement, spec).operations_per_s;
  });
}

std::optional<double> block_rate(const Context& context, int node, std::string_view policy, int threads) {
  const Machine& machine = context.model.machine;
  // The model of the memories knows nodes by their place in the machine.
  for (const Node& each : machine.nodes) {
    if (each.os_index != each.id) return std::nullopt;
  }
  if (std::none_of(machine.cores.begin(), machine.cores.end(), [&](const Core& core) { return core.node == node; }))
    return std::nullopt;
  return if_possible([&] {
    const auto memories = sim::traffic_model(context.model);
    const auto weights = sim::weights_of(memories, policy, node, capacities(memories), demand_of(memories, threads));
    return sim::gb_per_s_of(context.model, {{node, threads, 0, 0, weights}}).front();
  });
}

std::optional<double> factor_ratio(const Context& context, std::string_view graph, sim::DagSchedule one,
                                   sim::DagSchedule other, int workers) {
  constexpr std::uint64_t seeds = 5;  // of the places of unbound threads, and of random victims
  const auto& dags = sim::recorded_factorisations().dags;
  const auto dag = std::find_if(dags.begin(), dags.end(), [&](const sim::TaskDag& each) { return each.name == graph; });
  if (dag == dags.end()) return std::nullopt;
  return if_possible([&] {
    double one_ns = 0, other_ns = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      one_ns += sim::run_dag(context.model, workers, *dag, one, {}, seed).makespan_ns;
      other_ns += sim::run_dag(context.model, workers, *dag, other, {}, seed).makespan_ns;
    }
    return one_ns / other_ns;
  });
}

std::optional<double> query_ratio(const Context& context, std::string_view query, double scale, int workers) {
  const Machine& machine = context.model.machine;
  const auto& recorded = sim::recorded_tpch();
  const auto found = std::find_if(recorded.begin(), recorded.end(),
                                  [&](const sim::RecordedQuery& each) { return each.name == query; });
  if (found == recorded.end()) return std::nullopt;
  return if_possible([&] {
    const auto seconds = [&](const std::vector<int>& cores) {
      return sim::modelled_seconds(context.model, *found, {CoreSet(cores)}, scale);
    };
    std::vector<int> anywhere;  // every nth core of the machine
    for (int w = 0; w < workers; ++w) anywhere.push_back(static_cast<int>(machine.cores.size()) * w / workers);
    double best = 0;
    const placement::Placement family = placement::policy("local").place(machine, {.workers = workers});
    for (const auto& level : family.worker_cores) {
      std::vector<int> cores;
      for (const WorkerCore& worker_core : level) cores.push_back(machine.core_of_cpu(worker_core.cpu)->id);
      const double took = seconds(cores);
      best = best > 0 ? std::min(best, took) : took;
    }
    return seconds(anywhere) / best;
  });
}

}  // namespace charm::evaluate
