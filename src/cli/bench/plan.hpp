// The plan of `charm bench`, made and checked before anything runs. Pure: the properties of machine and build are
// arguments (`Facts`), so that every error can be tested for any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/oltp.hpp"

namespace charm::cli {

enum class Workload { factor, graph, gups, olap, oltp, sgd, streamcluster };

/// What `sgd` runs on and how, as given.
struct SgdRequest {
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> features;
  std::optional<double> density;
  std::optional<std::string> update;
  std::optional<int> epochs;
  std::optional<double> target;
};

/// The same with defaults.
struct SgdPlan {
  std::int64_t rows = 10000;
  std::int64_t features = 8192;
  double density = 1;
  std::string update = "hogwild";
  int epochs = 500;
  double target = .05;
};

/// What `streamcluster` runs on and how, as given.
struct StreamclusterRequest {
  std::optional<std::int64_t> points;
  std::optional<std::int64_t> dimensions;
  std::optional<std::int64_t> chunk;
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  std::optional<std::int64_t> intermediate;
};

/// The same with defaults, which are PARSEC's for its input "simlarge".
struct StreamclusterPlan {
  std::int64_t points = 16384;
  std::int64_t dimensions = 128;
  std::int64_t chunk = 16384;
  std::int64_t least = 10;
  std::int64_t most = 20;
  std::int64_t intermediate = 1000;
};

/// What `factor` runs on and how, as given.
struct FactorRequest {
  std::optional<std::string> matrix;
  std::optional<std::int64_t> size;
  std::optional<int> tile;
  std::optional<double> grain;
  std::vector<std::string> schedules;  // of CHARM's graphs
  std::vector<std::string> binds;      // of CHARM's workers
};

/// The same with defaults; schedules and binds are in the rows.
struct FactorPlan {
  std::string matrix = "laplace2d";
  std::int64_t size = 40000;
  int tile = 128;
  double grain = 5e5;
  bool kernels_asked = false;  // those that do not fit the matrix are errors; else they are left out
};

/// What `olap` runs on, as given.
struct OlapRequest {
  std::optional<double> scale;  // scale factor of TPC-H
  std::optional<std::string> database;
  std::optional<std::string> engine;
};

/// The same with defaults; an empty path means that one is looked for.
struct OlapPlan {
  double scale = .1;
  std::string database;
  std::string engine;
};

/// The request as given on the command line; an empty list means the default.
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
  SgdRequest sgd;
  FactorRequest factor;
  StreamclusterRequest streamcluster;
  OlapRequest olap;
  OltpRequest oltp;
};

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
  std::function<std::uint64_t(Workload, int scale)> needed_bytes;
  std::function<std::uint64_t(const SgdPlan&, int workers)> sgd_bytes;
  std::function<std::uint64_t(const FactorPlan&)> factor_bytes;
  std::function<std::uint64_t(const StreamclusterPlan&)> streamcluster_bytes;
  std::function<std::uint64_t(const workloads::OltpOptions&, const std::vector<std::string>& kernels)> oltp_bytes;
};

/// One planned row: the runtimes of a kernel are adjacent and take turns trial by trial.
struct Measurement {
  std::string kernel;
  std::string runtime;
  std::string policy;  // "none" for other runtimes than CHARM
  int workers = 1;
  int trials = 1;
  std::string bind;      // of CHARM's workers; empty: as the settings say
  std::string schedule;  // of CHARM's task graphs; empty: stream
};

struct BenchPlan {
  Workload workload = Workload::graph;
  int scale = 0;     // of the generated graph, if there is no file
  std::string file;  // empty: generated
  bool undirected = false;
  std::uint64_t seed = 1;
  SgdPlan sgd;
  FactorPlan factor;
  StreamclusterPlan streamcluster;
  OlapPlan olap;
  workloads::OltpOptions oltp;
  std::string memory;  // placement of CHARM's arrays on several NUMA nodes; empty: the workloads' default
  int workers = 1;
  std::vector<std::string> policies;      // policies with which CHARM runs; empty if it does not take part
  std::vector<Measurement> measurements;  // grouped by kernel
};

/// \throws Error (bad_config, too_many_workers) in one line: what is wrong, and the remedy.
BenchPlan make_plan(const BenchRequest& request, const Facts& facts);

}  // namespace charm::cli
