// The plan of `charm bench`, made and checked before anything runs. Pure: the properties of machine and build are
// arguments (`Facts`), so that every error can be tested for any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/bench/result.hpp"

namespace charm::cli {

class Workload;

/// What was given on the command line for any workload; an empty list means the default. A workload's own options are
/// its own (workload.hpp).
struct BenchRequest {
  std::optional<std::string> file;
  std::optional<double> file_memory;  // MiB that reading it may take
  std::vector<std::string> kernels;
  std::vector<std::string> runtimes;
  std::vector<std::string> policies;
  std::vector<std::string> peers;  // "KIND=PROGRAM"
  std::optional<int> workers;
  std::optional<int> ranks;  // processes; without it, and without an mpirun, one that is no rank
  std::optional<int> trials;
  std::optional<double> trial_seconds;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> memory;
};

struct BenchPlan;

struct Facts {
  std::vector<std::string> kernels;   // kernels of the workload
  std::vector<std::string> runtimes;  // runtimes that this build contains
  std::vector<std::string> policies;
  std::vector<std::string> memories;
  std::string policy;  // policy in the settings
  int workers = 1;     // number of workers in the settings, else one for each core
  int cores = 1;       // number of cores to which workers may be bound
  bool share_cores = false;
  std::optional<std::uint64_t> available_bytes;
  /// Bytes that the workload needs at its peak, by the plan.
  std::function<std::uint64_t(const Workload&, const BenchPlan&)> needed_bytes;
};

/// One planned row: the runtimes of a kernel are adjacent and take turns trial by trial.
struct Measurement : RowSettings {
  std::string kernel;
  std::string runtime;
  int trials = 1;
};

struct BenchPlan {
  std::string file;               // empty: generated
  std::uint64_t file_memory = 0;  // bytes that reading it may take; 0: by its size
  std::uint64_t seed = 1;
  std::string memory;  // placement of CHARM's arrays on several NUMA nodes; empty: the workloads' default
  int workers = 1;
  double trial_seconds = 0;  // that a trial repeats its kernel for; 0: a trial is one run
  std::vector<std::string> kernels;
  bool kernels_asked = false;             // those that do not fit the input are errors; else they are left out
  std::vector<std::string> policies;      // policies with which CHARM runs; empty if it does not take part
  std::vector<Measurement> measurements;  // grouped by kernel
};

/// A policy as a row names it: "numa", or with settings that hold for its rows alone, so that a mechanism can be taken
/// away: "numa/stealing=random/memory_policy=none".
struct RowPolicy {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// \throws Error (bad_config) if it has not that form. Names and values are checked by who knows them.
RowPolicy row_policy(const std::string& text);

/// The policy of a row with its parameters: those of the setting policy, if that is the same one.
std::string with_parameters(const std::string& policy, const std::string& setting);

/// \throws Error (bad_config, too_many_workers) in one line: what is wrong, and the remedy.
BenchPlan make_plan(const Workload& workload, const BenchRequest& request, const Facts& facts);

}  // namespace charm::cli
