#include "tools/cli/bench/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <sstream>

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

Names chosen_policies(const Names& asked, const Facts& facts) {
  const Names policies = asked.empty() ? Names{facts.policy} : asked;
  Names names;
  for (const auto& text : policies) names.push_back(row_policy(text).name);
  chosen("--policy", names, facts.policies);
  for (auto each = policies.begin(); each != policies.end(); ++each) {
    if (std::find(policies.begin(), each, *each) != each)
      refuse(fmt::format("--policy: '{}' is named twice", *each), "name it once");
  }
  return policies;
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

RowPolicy row_policy(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '/');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  RowPolicy policy{parts.front()};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == 0 || equals == std::string::npos)
      refuse(fmt::format("--policy: '{}' in '{}' is no setting", parts[i], text),
             "write NAME/SETTING=VALUE, as in numa/stealing=random");
    const std::string setting = parts[i].substr(0, equals);
    if (setting == "policy" || setting == "workers")
      refuse(fmt::format("--policy: '{}' sets {}, which has an option of its own", text, setting),
             "drop it, or write --" + setting);
    policy.settings.emplace_back(setting, parts[i].substr(equals + 1));
  }
  return policy;
}

std::string with_parameters(const std::string& policy, const std::string& setting) {
  return setting.substr(0, setting.find(':')) == policy ? setting : policy;
}

namespace {

struct Peer {
  std::string kind, program;
  std::vector<std::string> kernels;
};

/// What the workload can call among what was asked for. \throws Error (bad_config).
std::vector<Peer> peers_of(const Workload& workload, const std::vector<std::string>& asked, const Names& kernels) {
  Names known;
  for (const PeerKind& kind : workload.peers()) known.emplace_back(kind.name);
  std::vector<Peer> all;
  for (const std::string& text : asked) {
    const auto equals = text.find('=');
    Peer peer{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1), {}};
    if (!contains(known, peer.kind))
      refuse(fmt::format("--peer: '{}' is none that {} can call", peer.kind, workload.text().name),
             "take one of " + listed(known) + ", as in " + known.front() + "=PROGRAM");
    if (peer.program.empty())
      refuse(fmt::format("--peer: '{}' has no program", text), fmt::format("write {}=PROGRAM", peer.kind));
    if (std::any_of(all.begin(), all.end(), [&](const Peer& other) { return other.kind == peer.kind; }))
      refuse(fmt::format("--peer: '{}' is named twice", peer.kind), "name it once");
    for (const PeerKind& kind : workload.peers()) {
      if (kind.name == peer.kind) peer.kernels = kind.kernels;
    }
    if (std::none_of(kernels.begin(), kernels.end(), [&](const auto& k) { return contains(peer.kernels, k); }))
      refuse(fmt::format("--peer: {} has none of the kernels {}", peer.kind, listed(kernels)),
             "take a --kernel of " + listed(peer.kernels));
    all.push_back(std::move(peer));
  }
  return all;
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
    plan.policies = chosen_policies(request.policies, facts);
  }
  workload.check_plan(plan, facts);

  const std::vector<Peer> peers = peers_of(workload, request.peers, kernels);
  for (const auto& kernel : kernels) {
    const int trials = request.trials.value_or(workload.trials_by_default(kernel));
    for (const auto& runtime : runtimes) {
      if (runtime != "charm") {
        plan.measurements.push_back(
            {{"none", runtime == "serial" ? 1 : plan.workers, "", "", ""}, kernel, runtime, trials});
        continue;
      }
      for (const auto& policy : plan.policies)
        for (const auto& [bind, schedule] : workload.variants())
          plan.measurements.push_back({{policy, plan.workers, bind, schedule, ""}, kernel, runtime, trials});
    }
    for (const Peer& peer : peers) {
      if (contains(peer.kernels, kernel))
        plan.measurements.push_back({{"none", plan.workers, "", "", peer.program}, kernel, peer.kind, trials});
    }
  }
  return plan;
}

}  // namespace charm::cli
