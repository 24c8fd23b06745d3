// CHARM as the benchmarks use it: one policy at a time, up between the trials of a policy.
#pragma once

#include <charm/adaptive.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "tools/cli/bench/dedicated_thread.hpp"
#include "tools/cli/bench/plan.hpp"
#include "tools/cli/bench/result.hpp"

namespace charm::cli {

/// CHARM with one policy at a time. It stays up between trials of the same policy, since its start is not measured and
/// its parked workers use no cpu. A dedicated thread starts and uses it, because that thread is bound to a core, and
/// the peers' threads would inherit the binding.
class CharmRuntime {
 public:
  CharmRuntime(Config config, int workers) : config_(std::move(config)) { config_.workers = workers; }
  ~CharmRuntime() {
    thread_.run([this] { stop(); });
  }
  CharmRuntime(const CharmRuntime&) = delete;
  CharmRuntime& operator=(const CharmRuntime&) = delete;

  /// What its controllers did; stops it.
  std::vector<PolicyHistory> histories() {
    thread_.run([this] { stop(); });
    return std::move(histories_);
  }

  /// Runs `body` with CHARM up under `policy`, its workers bound as `bind` says; empty: as the settings say.
  template <class F>
  auto with(const std::string& policy, const std::string& bind, F body) {
    std::optional<std::invoke_result_t<F>> result;
    thread_.run([&] {
      start(policy, bind);
      result.emplace(body());
    });
    return std::move(*result);  // NOLINT(bugprone-unchecked-optional-access): run() rethrows what body threw
  }

 private:
  void start(const std::string& policy, const std::string& bind) {
    if (running_ == policy && running_bind_ == bind) return;
    stop();
    Config config = config_;
    const RowPolicy row = row_policy(policy);
    config.policy = with_parameters(row.name, base::resolve(config).policy);
    config.named.insert(config.named.end(), row.settings.begin(), row.settings.end());
    if (!bind.empty()) config.bind = bind;
    charm::init(config);
    running_ = policy;
    running_bind_ = bind;
  }

  void stop() {
    if (!running_) return;
    keep_history(*running_);
    running_.reset();
    charm::finalize();
  }

  void keep_history(const std::string& policy) {
    const auto points = charm::timeline();
    const auto decisions = charm::decisions();
    if (points.empty() && decisions.empty()) return;
    auto found =
        std::find_if(histories_.begin(), histories_.end(), [&](const PolicyHistory& h) { return h.policy == policy; });
    if (found == histories_.end()) found = histories_.insert(histories_.end(), {policy, {}, {}});
    const double before = found->timeline.empty() ? 0 : found->timeline.back().time;
    for (auto point : points) {
      point.time += before;
      found->timeline.push_back(point);
    }
    for (auto decision : decisions) {
      decision.time += before;
      found->decisions.push_back(std::move(decision));
    }
  }

  Config config_;
  std::optional<std::string> running_;
  std::string running_bind_;
  std::vector<PolicyHistory> histories_;
  DedicatedThread thread_;
};

}  // namespace charm::cli
