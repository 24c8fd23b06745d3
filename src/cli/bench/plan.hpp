// The plan of `charm bench`, made and checked before anything runs. Pure: the properties of machine and build are
// arguments (`Facts`), so that every refusal can be tested for a machine that is not there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace charm::cli {

enum class Workload { graph, gups };

/// As given on the command line; an empty list means the default.
struct BenchRequest {
  Workload workload = Workload::graph;
  std::optional<int> scale;
  std::optional<std::string> file;
  bool undirected = false;
  std::vector<std::string> kernels;
  std::vector<std::string> runtimes;
  std::vector<std::string> policies;
  std::optional<int> workers;
  std::optional<int> trials;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> memory;
};

struct Facts {
  std::vector<std::string> kernels;   // that the workload has
  std::vector<std::string> runtimes;  // that this build has
  std::vector<std::string> policies;
  std::vector<std::string> memories;
  std::string policy;  // that the settings ask for
  int workers = 1;     // that the settings ask for, or that the machine suggests
  int cores = 1;       // that workers may be bound to
  bool share_cores = false;
  std::optional<std::uint64_t> available_bytes;
  std::function<std::uint64_t(Workload, int scale)> needed_bytes;
};

/// One planned row: the runtimes of a kernel are adjacent and take turns trial by trial.
struct Measurement {
  std::string kernel;
  std::string runtime;
  std::string policy;  // "none" for runtimes that are not ours
  int workers = 1;
  int trials = 1;
};

struct BenchPlan {
  Workload workload = Workload::graph;
  int scale = 0;     // without a file
  std::string file;  // empty: generated
  bool undirected = false;
  std::uint64_t seed = 1;
  std::string memory;  // of CHARM's arrays on several NUMA nodes; empty: as the workloads have it
  int workers = 1;
  std::vector<std::string> policies;      // that CHARM runs with; empty without it
  std::vector<Measurement> measurements;  // grouped by kernel
};

/// \throws Error (bad_config, too_many_workers) in one line: what is wrong, and the remedy.
BenchPlan make_plan(const BenchRequest& request, const Facts& facts);

}  // namespace charm::cli
