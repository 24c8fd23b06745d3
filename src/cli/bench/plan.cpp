#include "cli/bench/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>

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
  const SgdRequest& sgd = request.sgd;
  if (sgd.rows || sgd.features || sgd.density)
    refuse(fmt::format("{} and --file contradict each other", sgd.rows       ? "--rows"
                                                              : sgd.features ? "--features"
                                                                             : "--density"),
           "generate samples or load them");
  if (request.file->empty())
    refuse("--file: the path is empty",
           fmt::format("give the path of a {} file", request.workload == Workload::sgd ? "sample" : "graph"));
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
  const Names kernels = chosen("--kernel", request.kernels, facts.kernels);
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
  if (plan.workload == Workload::sgd)
    check_sample_memory(plan, facts);
  else
    check_memory(plan, facts);

  for (const auto& kernel : kernels) {
    const int trials = request.trials.value_or(default_trials(kernel));
    for (const auto& runtime : runtimes) {
      const Names policies = runtime == "charm" ? plan.policies : Names{"none"};
      const int workers = runtime == "serial" ? 1 : plan.workers;
      for (const auto& policy : policies) plan.measurements.push_back({kernel, runtime, policy, workers, trials});
    }
  }
  return plan;
}

}  // namespace charm::cli
