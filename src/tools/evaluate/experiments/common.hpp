// What several experiments need: cores by policy, sizes that fit, and series of samples, each with what is measured and
// what the model runs for it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evaluate/experiment.hpp"
#include "tools/sim/dag_schedule.hpp"
#include "tools/sim/run.hpp"

namespace charm::evaluate {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

/// A runtime that knows NUMA nodes and no chiplets: the paper's RING, AsymSched and SAM place workers so, and steal
/// from anybody. It is CHARM's own code without these two mechanisms.
inline constexpr std::string_view numa_aware = "numa/stealing=random";
/// The same with workers evenly over all sockets, as RING has them.
inline constexpr std::string_view numa_spread = "distributed/sockets=balance/stealing=random";
/// Cores in their order and no knowledge of chiplets, as SHOAL has it.
inline constexpr std::string_view in_order = "local/stealing=random";

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
/// The largest scale of a graph, up to `scale`, that fits the free memory.
int graph_that_fits(const Context& context, int scale);

/// The name of a row of `charm bench` (run.hpp).
std::string row(std::string_view kernel, std::string_view runtime, std::string_view policy, int workers);

/// The rows of a `charm bench`.
struct BenchRows {
  std::vector<std::string> policies;  ///< of CHARM's rows
  int workers = 1;
  int trials = 1;
  std::vector<std::string> runtimes = {"charm"};
  /// That a trial repeats its kernel for, so that a controller can settle; 0: a trial is one run. The runtime starts
  /// anew with each trial if there are several policies.
  double trial_seconds = 0;
};

/// A kernel of `charm bench`, and the workload that the simulator runs for it; empty: it has none.
struct Kernel {
  std::string name;
  std::string simulated;
};

/// An input of `charm bench`, once as its words and once as the simulator's workloads.
struct Input {
  std::vector<std::string> words;  ///< without --kernel
  std::vector<Kernel> kernels = {};
  bool one_kernel = false;  ///< the benchmark has but one, and no option --kernel
  std::string prefix = {};  ///< of the rows' names, where an experiment has several inputs
};
/// CHARM's six kernels (§5.1) are those of the graph and of random access.
Input graph_input(const std::vector<std::string>& kernels, int scale);
Input gups_input(const Context& context);
Input streamcluster_input(const Context& context);

/// All words of the benchmark.
std::vector<std::string> bench_words(const Input& input, const BenchRows& rows);

/// Adds a call of `charm bench`, and what the model runs for each of CHARM's rows. \param seconds that it will take.
/// \returns the job, for what is special about it.
Job& add_bench(Plan& plan, const Context& context, std::string title, const Input& input, const BenchRows& rows,
               double seconds);

/// Adds a series that the model computes, once; the name says what is measured.
void add_subject(Plan& plan, Subject subject);

/// The model's rate of a workload under a policy of `charm bench`, once its controller has settled.
Subject rate(std::string name, const Context& context, std::string workload, std::string_view policy, int workers);
/// What it makes of the model's fills.
Subject fills(std::string name, const Context& context, std::string workload, std::string_view policy, int workers,
              double (*of)(const sim::Fills&), bool more_is_better);
/// The model's rate of a program whose threads never move, with one barrier for all. \param policy a placement policy.
Subject plain_rate(std::string name, std::string workload, std::string_view policy, int workers);

}  // namespace charm::evaluate
