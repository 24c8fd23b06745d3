// What several experiments need: cores by policy, sizes that fit, rows of `charm bench` and predictions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evaluate/experiment.hpp"
#include "tools/sim/dag_schedule.hpp"
#include "tools/sim/run.hpp"

namespace charm::evaluate {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

/// OS numbers of the cpus that a placement policy gives to `workers` workers.
std::vector<int> cpus_by(const Machine& machine, std::string_view policy, int workers);

/// Cores of the largest chiplet, and of the first socket.
int chiplet_cores(const Machine& machine);
int socket_cores(const Machine& machine);

/// The size of the first chiplet's last-level cache, and of all chiplets' of the first socket.
std::size_t chiplet_cache(const Machine& machine);
std::size_t socket_cache(const Machine& machine);

/// Whether arrays of so many bytes fit: into a third of the free memory, and into what a quick run has time for.
bool fits(const Context& context, std::size_t bytes);

/// "DistributedCache at 64 MiB": a size within a name.
std::string at_size(std::string_view what, std::size_t bytes);

/// The scale of the generated graph: 2^scale vertices.
int graph_scale(const Context& context);

/// The name of a row of `charm bench` (run.hpp).
std::string row(std::string_view kernel, std::string_view runtime, std::string_view policy, int workers);

/// The rows of a `charm bench`; names are separated by commas.
struct BenchRows {
  std::string policies;
  int workers = 1;
  int trials = 1;
  std::string runtimes = "charm";
  /// That a trial repeats its kernel for, so that a controller can settle; 0: a trial is one run. The runtime starts
  /// anew with each trial if there are several policies.
  double trial_seconds = 0;
};
/// The words of a `charm bench`. \param words name the workload and its input.
std::vector<std::string> with_rows(std::vector<std::string> words, const BenchRows& rows);
/// Those of `charm bench graph` for some kernels, and those of `charm bench gups`, on inputs that fit the machine.
std::vector<std::string> graph_words(const Context& context, std::string_view kernels, const BenchRows& rows);
std::vector<std::string> gups_words(const Context& context, const BenchRows& rows);
/// A job that runs them. \param seconds that it will take, about.
Job bench_job(std::string title, std::vector<std::string> words, double seconds);

/// A kernel of `charm bench` and the simulator's workload of the same kind.
struct Kernel {
  std::string_view name;
  std::string_view simulated;
};
/// CHARM's six (§5.1).
inline constexpr Kernel six_kernels[] = {{"bfs", "bfs"},   {"pr", "pagerank"},       {"cc", "cc"},
                                         {"sssp", "sssp"}, {"graph500", "graph500"}, {"gups", "gups"}};

/// The model's rate of a workload under a policy once its controller has settled; nothing if the model cannot tell.
std::optional<double> simulated_rate(const Context& context, std::string_view workload, std::string_view policy,
                                     int workers);
/// The ratio of two of them.
std::optional<double> simulated_ratio(const Context& context, std::string_view workload, std::string_view policy,
                                      std::string_view other, int workers);
/// The model's fills of a workload under a policy by source; nothing if the model cannot tell.
std::optional<sim::Fills> simulated_fills(const Context& context, std::string_view workload, std::string_view policy,
                                          int workers);

/// The model's rate of a program whose threads never move, with one barrier for all.
/// \param policy a placement policy. \param spec a workload of the simulator.
std::optional<double> plain_rate(const Context& context, std::string_view policy, int workers, const std::string& spec);

/// The model's GB/s of threads on the cores of a node that read a block whose pages a policy of the malloc spreads.
/// \param node id in Machine::nodes.
std::optional<double> block_rate(const Context& context, int node, std::string_view policy, int threads);

/// The model's time of a recorded factorisation (tools/sim/task_dag.hpp) under one schedule over that under another.
std::optional<double> factor_ratio(const Context& context, std::string_view graph, sim::DagSchedule one,
                                   sim::DagSchedule other, int workers);

/// The model's time of a recorded query of TPC-H on threads that the system places anywhere over that on the best level
/// of the monotone family. \param scale of the data.
std::optional<double> query_ratio(const Context& context, std::string_view query, double scale, int workers);

}  // namespace charm::evaluate
