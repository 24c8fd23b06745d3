#include "tools/cli/bench/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

Names chosen(const char* option, const Names& asked, const Names& known) {
  if (asked.empty()) return known;
  for (const auto& name : asked) {
    if (!contains(known, name))
      refuse(fmt::format("{}: '{}' is unknown", option, name), "take one of " + listed(known));
  }
  return asked;
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

}  // namespace

BenchPlan make_plan(const Workload& workload, const BenchRequest& request, const Facts& facts) {
  workload.check_options(request);
  const Names kernels = request.kernels.empty() ? workload.kernels_by_default(request, facts.kernels)
                                                : chosen("--kernel", request.kernels, facts.kernels);
  const Names runtimes = chosen("--runtime", request.runtimes, facts.runtimes);
  const bool has_charm = contains(runtimes, "charm");
  if (!has_charm && !request.policies.empty()) {
    refuse("--policy places CHARM's workers, and --runtime leaves CHARM out",
           "add charm to --runtime or drop --policy");
  }

  BenchPlan plan;
  plan.file = request.file.value_or("");
  plan.file_memory = static_cast<std::uint64_t>(request.file_memory.value_or(0) * 0x1p20);
  plan.seed = request.seed.value_or(1);
  plan.trial_seconds = request.trial_seconds.value_or(0);
  plan.kernels = kernels;
  plan.kernels_asked = !request.kernels.empty();
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
  workload.check_plan(plan, facts);

  for (const auto& kernel : kernels) {
    const int trials = request.trials.value_or(workload.trials_by_default(kernel));
    for (const auto& runtime : runtimes) {
      if (runtime != "charm") {
        plan.measurements.push_back({kernel, runtime, "none", runtime == "serial" ? 1 : plan.workers, trials, "", ""});
        continue;
      }
      for (const auto& policy : plan.policies)
        for (const auto& [bind, schedule] : workload.variants())
          plan.measurements.push_back({kernel, runtime, policy, plan.workers, trials, bind, schedule});
    }
  }
  return plan;
}

}  // namespace charm::cli
