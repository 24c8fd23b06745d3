#include "topology/core_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace charm::topology {
namespace {

constexpr double of_one_kind = 0.8;  // of the fastest of the kind
// What a slower core does, where no capacity says it: in a cycle, and where frequencies are unknown, too, in a
// second. Intel's small cores, and AMD's dense ones, as measured by their reviewers on work of many threads.
constexpr double small_in_a_cycle = 0.7;
constexpr double small_in_a_second = 0.6, low_power_in_a_second = 0.4, dense_in_a_second = 0.65;
constexpr int fastest_capacity = 1024;

using Of = int (*)(const SurveyCore&);

int rank_of(const SurveyCore& core) { return core.rank; }
int capacity_of(const SurveyCore& core) { return core.capacity; }
int max_mhz_of(const SurveyCore& core) { return core.max_mhz; }
int highest_perf_of(const SurveyCore& core) { return core.highest_perf; }

bool all_have(const Survey& survey, Of what) {
  return std::all_of(survey.cores.begin(), survey.cores.end(), [&](const SurveyCore& core) { return what(core) > 0; });
}

/// Position of each core's value among the distinct ones, the largest first; values that are near the largest of their
/// tier are in it.
std::vector<int> tiers(const Survey& survey, const std::function<double(const SurveyCore&)>& what, double near) {
  std::set<double, std::greater<>> values;
  for (const SurveyCore& core : survey.cores) values.insert(what(core));
  std::vector<double> leaders;
  for (const double value : values) {
    if (leaders.empty() || value < near * leaders.back()) leaders.push_back(value);
  }
  std::vector<int> tier;
  for (const SurveyCore& core : survey.cores) {
    const auto ahead = std::count_if(leaders.begin(), leaders.end(), [&](double lead) { return lead >= what(core); });
    tier.push_back(static_cast<int>(ahead) - 1);
  }
  return tier;
}

/// L3 for each core behind the same one.
std::vector<double> l3_shares(const Survey& survey) {
  std::vector<int> sharers(survey.l3_bytes.size());
  for (const SurveyCore& core : survey.cores) {
    if (core.l3 >= 0) ++sharers[static_cast<std::size_t>(core.l3)];
  }
  std::vector<double> shares;
  for (const SurveyCore& core : survey.cores) {
    const auto l3 = static_cast<std::size_t>(core.l3);
    shares.push_back(core.l3 < 0 ? 0 : static_cast<double>(survey.l3_bytes[l3]) / sharers[l3]);
  }
  return shares;
}

std::vector<int> dense_tiers(const Survey& survey) {
  const std::vector<double> shares = l3_shares(survey);
  const double most = shares.empty() ? 0 : *std::max_element(shares.begin(), shares.end());
  std::vector<int> tier;
  for (const double share : shares) tier.push_back(2 * share < most ? 1 : 0);
  return tier;
}

std::vector<int> tiers_of(const Survey& survey) {
  const bool typed =
      std::any_of(survey.cores.begin(), survey.cores.end(), [](const SurveyCore& core) { return core.rank >= 0; });
  if (typed) {
    return tiers(survey, [](const SurveyCore& core) { return rank_of(core) + 1.0; }, 1);
  }
  for (const Of what : {capacity_of, max_mhz_of}) {
    if (all_have(survey, what)) return tiers(survey, what, of_one_kind);
  }
  return survey.dense_cores ? dense_tiers(survey) : std::vector<int>(survey.cores.size(), 0);
}

std::vector<CoreKind> kinds_of(const Survey& survey, const std::vector<int>& tier) {
  bool fastest_have_l3 = true;
  for (std::size_t i = 0; i < tier.size(); ++i) fastest_have_l3 &= tier[i] > 0 || survey.cores[i].l3 >= 0;
  const auto low_power = [&](std::size_t i) { return tier[i] > 0 && fastest_have_l3 && survey.cores[i].l3 < 0; };
  int slowest = 0;
  for (std::size_t i = 0; i < tier.size(); ++i) slowest = low_power(i) ? slowest : std::max(slowest, tier[i]);
  std::vector<CoreKind> kinds;
  for (std::size_t i = 0; i < tier.size(); ++i) {
    kinds.push_back(tier[i] == 0         ? CoreKind::performance
                    : low_power(i)       ? CoreKind::low_power
                    : tier[i] == slowest ? CoreKind::efficiency
                                         : CoreKind::middle);
  }
  return kinds;
}

/// Relative to each other.
std::vector<double> speeds_of(const Survey& survey, const std::vector<CoreKind>& kinds) {
  const bool alike =
      std::all_of(kinds.begin(), kinds.end(), [](CoreKind kind) { return kind == CoreKind::performance; });
  std::vector<double> speeds;
  const auto known = [&](Of what) {
    if (!speeds.empty() || !all_have(survey, what)) return;
    for (const SurveyCore& core : survey.cores) speeds.push_back(what(core));
  };
  if (alike) known(highest_perf_of);
  known(capacity_of);
  const bool typed = std::any_of(survey.cores.begin(), survey.cores.end(), [](const auto& c) { return c.rank >= 0; });
  if (alike || !typed) known(max_mhz_of);
  if (!speeds.empty()) return speeds;
  const bool frequencies = all_have(survey, max_mhz_of);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool fastest = kinds[i] == CoreKind::performance;
    if (frequencies) {
      speeds.push_back(survey.cores[i].max_mhz * (fastest ? 1 : small_in_a_cycle));
    } else {
      speeds.push_back(fastest                           ? 1
                       : kinds[i] == CoreKind::low_power ? low_power_in_a_second
                       : typed                           ? small_in_a_second
                                                         : dense_in_a_second);
    }
  }
  return speeds;
}

}  // namespace

std::vector<CoreSpeed> core_speeds(const Survey& survey) {
  const std::vector<CoreKind> kinds = kinds_of(survey, tiers_of(survey));
  const std::vector<double> speeds = speeds_of(survey, kinds);
  const double most = speeds.empty() ? 1 : *std::max_element(speeds.begin(), speeds.end());
  std::vector<CoreSpeed> all;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto capacity = static_cast<int>(std::lround(speeds[i] / most * fastest_capacity));
    all.push_back({kinds[i], std::max(1, capacity)});
  }
  return all;
}

}  // namespace charm::topology
