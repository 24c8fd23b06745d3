#include "cli/bench/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"

namespace charm::cli {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(Errc::bad_config, problem, remedy);
}

Names chosen(const char* option, const Names& asked, const Names& known) {
  if (asked.empty()) return known;
  for (const auto& name : asked) {
    if (!contains(known, name))
      refuse(fmt::format("{}: '{}' is unknown", option, name), "take one of " + listed(known));
  }
  return asked;
}

void check_input_options(const BenchRequest& request) {
  if (!request.file) {
    if (request.undirected)
      refuse("--undirected says how to read a file, and there is none", "add --file or drop --undirected");
    return;
  }
  if (request.scale) refuse("--scale and --file contradict each other", "generate a graph or load one");
  if (request.factor.matrix || request.factor.size)
    refuse(fmt::format("{} and --file contradict each other", request.factor.matrix ? "--matrix" : "--size"),
           "generate a matrix or load one");
  if (request.streamcluster.points) refuse("--points and --file contradict each other", "generate points or load them");
  const SgdRequest& sgd = request.sgd;
  if (sgd.rows || sgd.features || sgd.density)
    refuse(fmt::format("{} and --file contradict each other", sgd.rows       ? "--rows"
                                                              : sgd.features ? "--features"
                                                                             : "--density"),
           "generate samples or load them");
  if (request.file->empty())
    refuse("--file: the path is empty",
           fmt::format("give the path of a {} file", request.workload == Workload::sgd             ? "sample"
                                                     : request.workload == Workload::factor        ? "Matrix Market"
                                                     : request.workload == Workload::streamcluster ? "point"
                                                                                                   : "graph"));
}

void check_memory(const BenchPlan& plan, const Facts& facts) {
  if (!plan.file.empty() || !facts.needed_bytes || !facts.available_bytes) return;
  const std::uint64_t available = *facts.available_bytes;
  if (facts.needed_bytes(plan.workload, plan.scale) <= available) return;
  int fits = plan.scale;
  while (fits > 0 && facts.needed_bytes(plan.workload, fits) > available) --fits;
  refuse(fmt::format("--scale {} needs about {} of memory and {} are available", plan.scale,
                     base::format_bytes(facts.needed_bytes(plan.workload, plan.scale)), base::format_bytes(available)),
         fits > 0 ? fmt::format("take --scale {} or less", fits) : "free memory");
}

SgdPlan with_defaults(const SgdRequest& request) {
  SgdPlan plan;
  plan.rows = request.rows.value_or(plan.rows);
  plan.features = request.features.value_or(plan.features);
  plan.density = request.density.value_or(plan.density);
  plan.update = request.update.value_or(plan.update);
  plan.epochs = request.epochs.value_or(plan.epochs);
  plan.target = request.target.value_or(plan.target);
  return plan;
}

OlapPlan with_defaults(const OlapRequest& request) {
  OlapPlan plan;
  for (const auto& [option, path] :
       {std::pair("--database", &request.database), std::pair("--engine", &request.engine)}) {
    if (*path && (*path)->empty())
      refuse(fmt::format("{}: the path is empty", option), "give a path or drop the option");
  }
  plan.scale = request.scale.value_or(plan.scale);
  plan.database = request.database.value_or("");
  plan.engine = request.engine.value_or("");
  return plan;
}

void check_sample_memory(const BenchPlan& plan, const Facts& facts) {
  if (!plan.file.empty() || !facts.sgd_bytes || !facts.available_bytes) return;
  const std::uint64_t needed = facts.sgd_bytes(plan.sgd, plan.workers);
  const std::uint64_t available = *facts.available_bytes;
  if (needed <= available) return;
  SgdPlan fits = plan.sgd;
  while (fits.rows > 2 && facts.sgd_bytes(fits, plan.workers) > available)
    fits.rows = std::max<std::int64_t>(2, fits.rows / 2);
  const bool some_fit = facts.sgd_bytes(fits, plan.workers) <= available;
  refuse(fmt::format("--rows {} of --features {} need about {} of memory and {} are available", plan.sgd.rows,
                     plan.sgd.features, base::format_bytes(needed), base::format_bytes(available)),
         some_fit ? fmt::format("take --rows {} or a lower --density", fits.rows) : "take fewer --features");
}

FactorPlan with_defaults(const FactorRequest& request) {
  FactorPlan plan;
  plan.matrix = request.matrix.value_or(plan.matrix);
  // A full matrix of 40000 columns would take 13 GB and an hour.
  plan.size = request.size.value_or(plan.matrix.starts_with("dense") ? 1500 : plan.size);
  plan.tile = request.tile.value_or(plan.tile);
  plan.grain = request.grain.value_or(plan.grain);
  return plan;
}

void check_matrix_memory(const BenchPlan& plan, const Facts& facts) {
  if (!plan.file.empty() || !facts.factor_bytes || !facts.available_bytes) return;
  const std::uint64_t needed = facts.factor_bytes(plan.factor);
  if (needed <= *facts.available_bytes) return;
  refuse(fmt::format("--size {} of {} needs about {} of memory and {} are available", plan.factor.size,
                     plan.factor.matrix, base::format_bytes(needed), base::format_bytes(*facts.available_bytes)),
         "take a smaller --size");
}

StreamclusterPlan with_defaults(const StreamclusterRequest& request) {
  StreamclusterPlan plan;
  plan.points = request.points.value_or(plan.points);
  plan.dimensions = request.dimensions.value_or(plan.dimensions);
  plan.chunk = request.chunk.value_or(plan.chunk);
  plan.least = request.least.value_or(plan.least);
  plan.most = request.most.value_or(std::max(plan.most, 2 * plan.least));
  plan.intermediate = request.intermediate.value_or(std::max(plan.intermediate, plan.most));
  return plan;
}

void check_clusters(const BenchPlan& plan, const Facts& facts) {
  const StreamclusterPlan& asked = plan.streamcluster;
  if (asked.most < asked.least)
    refuse(fmt::format("--least {} is above --most {}", asked.least, asked.most), "take bounds that leave a number");
  if (asked.intermediate < asked.most)
    refuse(fmt::format("--intermediate {} does not hold the centres of one chunk, up to {}", asked.intermediate,
                       asked.most),
           fmt::format("take --intermediate {} or more", asked.most));
  if (!plan.file.empty() || !facts.streamcluster_bytes || !facts.available_bytes) return;
  const std::uint64_t needed = facts.streamcluster_bytes(asked);
  if (needed <= *facts.available_bytes) return;
  refuse(fmt::format("--points {} of --dimensions {} need about {} of memory and {} are available", asked.points,
                     asked.dimensions, base::format_bytes(needed), base::format_bytes(*facts.available_bytes)),
         "take fewer --points");
}

int chosen_workers(const BenchRequest& request, const Facts& facts) {
  const int workers = request.workers.value_or(facts.workers);
  if (workers > facts.cores && !facts.share_cores) {
    throw Error(Errc::too_many_workers,
                fmt::format("{} workers and {} allowed core{}", workers, facts.cores, facts.cores == 1 ? "" : "s"),
                fmt::format("take --workers {} or less, or set CHARM_SHARE_CORES=1", facts.cores));
  }
  return workers;
}

/// Five trials give a median that one disturbed trial cannot move; a trial of graph500 is 64 searches, so three do.
int default_trials(const std::string& kernel) { return kernel == "graph500" ? 3 : 5; }

}  // namespace

BenchPlan make_plan(const BenchRequest& request, const Facts& facts) {
  check_input_options(request);
  Names kernels = chosen("--kernel", request.kernels, facts.kernels);
  const Names runtimes = chosen("--runtime", request.runtimes, facts.runtimes);
  const bool has_charm = contains(runtimes, "charm");
  if (!has_charm && !request.policies.empty()) {
    refuse("--policy places CHARM's workers, and --runtime leaves CHARM out",
           "add charm to --runtime or drop --policy");
  }

  BenchPlan plan;
  plan.workload = request.workload;
  plan.file = request.file.value_or("");
  plan.scale = request.scale.value_or(request.workload == Workload::gups ? 25 : 18);
  plan.undirected = request.undirected;
  plan.seed = request.seed.value_or(1);
  if (request.memory) {
    if (!has_charm) {
      refuse("--memory places CHARM's arrays, and --runtime leaves CHARM out",
             "add charm to --runtime or drop --memory");
    }
    plan.memory = chosen("--memory", {*request.memory}, facts.memories).front();
  }
  plan.workers = chosen_workers(request, facts);
  if (has_charm) {
    plan.policies =
        chosen("--policy", request.policies.empty() ? Names{facts.policy} : request.policies, facts.policies);
  }
  plan.sgd = with_defaults(request.sgd);
  plan.factor = with_defaults(request.factor);
  plan.olap = with_defaults(request.olap);
  plan.streamcluster = with_defaults(request.streamcluster);
  plan.oltp = oltp_options(request.oltp, plan.seed, plan.workers);
  plan.factor.kernels_asked = !request.kernels.empty();
  // A product has only the size of its matrix: it belongs to the full ones.
  if (plan.workload == Workload::factor && kernels.size() > 1 && request.kernels.empty() &&
      (!plan.file.empty() || !plan.factor.matrix.starts_with("dense")))
    std::erase(kernels, "gemm");
  if (!has_charm && !(request.factor.binds.empty() && request.factor.schedules.empty()))
    refuse(fmt::format("{} is of CHARM, and --runtime leaves CHARM out",
                       request.factor.binds.empty() ? "--schedule" : "--bind"),
           "add charm to --runtime or drop it");
  if (plan.workload == Workload::sgd)
    check_sample_memory(plan, facts);
  else if (plan.workload == Workload::factor)
    check_matrix_memory(plan, facts);
  else if (plan.workload == Workload::streamcluster)
    check_clusters(plan, facts);
  else if (plan.workload == Workload::oltp) {
    if (facts.oltp_bytes && facts.available_bytes)
      check_oltp_memory(plan.oltp, facts.oltp_bytes(plan.oltp, kernels), *facts.available_bytes);
  } else if (plan.workload != Workload::olap)  // DuckDB has a limit of its own, and spills to disk beyond it
    check_memory(plan, facts);

  for (const auto& kernel : kernels) {
    const int trials = request.trials.value_or(default_trials(kernel));
    for (const auto& runtime : runtimes) {
      if (runtime != "charm") {
        plan.measurements.push_back({kernel, runtime, "none", runtime == "serial" ? 1 : plan.workers, trials, "", ""});
        continue;
      }
      const Names as_set = {""};
      for (const auto& policy : plan.policies)
        for (const auto& bind : request.factor.binds.empty() ? as_set : request.factor.binds)
          for (const auto& schedule : request.factor.schedules.empty() ? as_set : request.factor.schedules)
            plan.measurements.push_back({kernel, runtime, policy, plan.workers, trials, bind, schedule});
    }
  }
  return plan;
}

}  // namespace charm::cli
