#include "tools/width/search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "tools/base/quantile.hpp"

namespace charm::width {
namespace {

constexpr std::size_t rounds_between = 3;

class Search {
 public:
  Search(const Request& request, const compare::Callbacks& callbacks) : request_(request), callbacks_(callbacks) {}

  Advice run() {
    if (!descend()) return std::move(advice_);
    add_policies();
    std::vector<std::size_t> alive = better_half();
    while (alive.size() > 3 && ok()) {
      if (!compare_levels(alive, rounds_between)) return std::move(advice_);
      alive = better_half_of(alive);
    }
    finish(alive);
    return std::move(advice_);
  }

 private:
  [[nodiscard]] bool ok() const { return !advice_.failed && advice_.interrupted == 0; }

  bool note(std::size_t index, const compare::Sample& sample) {
    if (sample.child.interrupted != 0) {
      advice_.interrupted = sample.child.interrupted;
      return false;
    }
    Tried& tried = advice_.tried[index];
    if (sample.child.start_error != 0 || sample.child.exit_code != 0 || sample.child.signal != 0) {
      advice_.failed = compare::Failed{0, tried.seconds.size(), false, {}, sample.child};
      advice_.failed_program = request_.program(tried.level);
      return false;
    }
    tried.seconds.push_back(sample.child.wall_s);
    tried.cpu_s += sample.child.user_s + sample.child.system_s;
    return true;
  }

  bool once(const Level& level, compare::Purpose purpose) {
    if (callbacks_.progress) callbacks_.progress(done_++, 0, std::nullopt);
    const compare::Sample sample = callbacks_.launch(request_.program(level), purpose);
    if (purpose == compare::Purpose::warm_up) {
      advice_.tried.push_back({level, {}, 0});
      const bool fine = note(advice_.tried.size() - 1, sample);
      advice_.tried.pop_back();
      return fine;
    }
    advice_.tried.push_back({level, {}, 0});
    return note(advice_.tried.size() - 1, sample);
  }

  bool descend() {
    if (!once({request_.widths.front(), ""}, compare::Purpose::warm_up)) return false;
    double least = 0;
    for (const int width : request_.widths) {
      if (!advice_.tried.empty() && advice_.tried.back().seconds.front() > request_.hopeless * least) {
        advice_.left_out.push_back(width);
        continue;
      }
      if (!once({width, ""}, compare::Purpose::measure)) return false;
      const double seconds = advice_.tried.back().seconds.front();
      least = least > 0 ? std::min(least, seconds) : seconds;
    }
    return true;
  }

  void add_policies() {
    const auto order = by_time(all());
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 2); ++i) {
      const int threads = advice_.tried[order[i]].level.threads;
      for (const auto& policy : request_.policies) {
        if (!once({threads, policy}, compare::Purpose::measure)) return;
      }
    }
  }

  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> indices(advice_.tried.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  [[nodiscard]] std::vector<std::size_t> by_time(std::vector<std::size_t> indices) const {
    std::sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      const double first = advice_.tried[a].median();
      const double second = advice_.tried[b].median();
      return first != second ? first < second : a < b;
    });
    return indices;
  }
  [[nodiscard]] std::vector<std::size_t> better_half() const { return better_half_of(all()); }
  /// Two at least; and the narrowest one that is nearly as fast as the best, whatever its place.
  [[nodiscard]] std::vector<std::size_t> better_half_of(const std::vector<std::size_t>& indices) const {
    const auto order = by_time(indices);
    std::vector<std::size_t> kept(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(
                                           std::min(order.size(), std::max<std::size_t>(2, order.size() / 2))));
    std::size_t narrowest = order.front();
    for (const std::size_t each : order) {
      const bool near = advice_.tried[each].median() <= 1.05 * advice_.tried[order.front()].median();
      if (near && advice_.tried[each].level.threads < advice_.tried[narrowest].level.threads) narrowest = each;
    }
    if (std::find(kept.begin(), kept.end(), narrowest) == kept.end()) kept.back() = narrowest;
    return kept;
  }

  compare::Outcome compare_programs(const std::vector<std::size_t>& indices, std::size_t rounds) {
    compare::Request request;
    for (const std::size_t each : indices) {
      request.programs.push_back(request_.program(advice_.tried[each].level));
      request.programs.back().name = name_of(advice_.tried[each].level);
    }
    request.rounds = rounds;
    request.warm_ups = 0;
    request.seed = request_.seed + done_;
    request.rules = request_.rules;
    compare::Callbacks callbacks = callbacks_;
    callbacks.progress = [this](std::size_t, std::size_t, std::optional<double> left) {
      if (callbacks_.progress) callbacks_.progress(done_++, 0, left);
    };
    compare::Outcome outcome = compare::compare_programs(request, callbacks);
    if (outcome.failed) {
      advice_.failed = outcome.failed;
      advice_.failed_program = request.programs[outcome.failed->program];
    }
    if (outcome.interrupted != 0) advice_.interrupted = outcome.interrupted;
    for (std::size_t i = 0; ok() && i < indices.size(); ++i) {
      for (const compare::Sample& sample : outcome.series[i].runs) note(indices[i], sample);
    }
    return outcome;
  }
  bool compare_levels(const std::vector<std::size_t>& indices, std::size_t rounds) {
    compare_programs(indices, rounds);
    return ok();
  }

  void finish(std::vector<std::size_t> alive) {
    if (!ok()) return;
    alive.erase(std::remove(alive.begin(), alive.end(), std::size_t{0}), alive.end());
    if (alive.empty() && advice_.tried.size() > 1) alive.push_back(by_time(all())[1]);
    alive.insert(alive.begin(), 0);  // full width
    if (alive.size() < 2) return;
    advice_.last = compare_programs(alive, request_.rounds);
    for (const std::size_t each : alive) advice_.finalists.push_back(advice_.tried[each].level);
    if (ok()) choose();
  }

  void choose() {
    using compare::Finding;
    double least = 1;
    for (const auto& comparison : advice_.last.comparisons) {
      const auto ratio = comparison.judged();
      if (comparison.verdict.finding != Finding::second_wins || !ratio) continue;
      if (ratio->value < least) {
        least = ratio->value;
        advice_.best = comparison.second;
      }
    }
    // Fewer threads that are as fast leave cores to others.
    const auto& chosen = advice_.last.series[advice_.best];
    for (std::size_t s = 0; s < advice_.finalists.size(); ++s) {
      const std::size_t fewest = advice_.as_fast.value_or(advice_.best);
      if (advice_.finalists[s].threads >= advice_.finalists[fewest].threads) continue;
      const auto ratio = compare::paired_ratio(chosen.wall(), advice_.last.series[s].wall(), request_.seed);
      if (ratio && ratio->at95.high <= 1 + std::max(.02, request_.rules.threshold)) advice_.as_fast = s;
    }
  }

  const Request& request_;
  const compare::Callbacks& callbacks_;
  Advice advice_;
  std::size_t done_ = 0;  // runs
};

}  // namespace

std::string name_of(const Level& level) {
  return std::to_string(level.threads) + (level.threads == 1 ? " thread" : " threads") +
         (level.policy.empty() ? "" : ", " + level.policy);
}

std::vector<int> widths_of(const Machine& machine, int most) {
  const auto cpus = static_cast<int>(machine.allowed_cpus.size());
  if (most <= 0) {
    most = cpus;
    if (machine.cpu_quota > 0) most = std::min(most, std::max(1, static_cast<int>(std::ceil(machine.cpu_quota))));
  }
  std::set<int, std::greater<>> widths{most};
  const auto add = [&](std::size_t width) {
    if (width > 0 && static_cast<int>(width) <= most) widths.insert(static_cast<int>(width));
  };
  for (int width = 1; width < most; width *= 2) add(static_cast<std::size_t>(width));
  add(machine.cores.size());
  const auto cores_where = [&](auto&& holds) {
    return static_cast<std::size_t>(std::count_if(machine.cores.begin(), machine.cores.end(), holds));
  };
  if (!machine.cores.empty()) {
    const Core& first = machine.cores.front();
    add(cores_where([&](const Core& core) { return core.chiplet == first.chiplet; }));
    add(cores_where([&](const Core& core) { return core.node == first.node; }));
    add(cores_where([&](const Core& core) { return core.socket == first.socket; }));
  }
  return {widths.begin(), widths.end()};
}

double Tried::median() const { return base::median(seconds); }

double Tried::cpus_used() const {
  const double wall = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return wall > 0 ? cpu_s / wall : 0;
}

Advice find_width(const Request& request, const compare::Callbacks& callbacks) {
  return Search(request, callbacks).run();
}

bool ignores_width(const Advice& advice) {
  const Tried* fewest = nullptr;
  for (const Tried& each : advice.tried) {
    if (fewest == nullptr || each.level.threads < fewest->level.threads) fewest = &each;
  }
  return fewest != nullptr && fewest->cpus_used() > 1.5 * fewest->level.threads;
}

}  // namespace charm::width
