#include "tools/probe/structure/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "tools/probe/structure/siblings.hpp"

namespace charm::probe {
namespace {

constexpr int most_rows_sampled = 256;      // a sample of the rows tells as much
constexpr double most_sure_of_none = 0.94;  // a coarse timer shows siblings like cores
const double full_power_noise = std::log(1.03);
const double plain_spread = std::log(1.8);  // latencies within groups that differ by more have a reason

int row_stride(int n) { return (n + most_rows_sampled - 1) / most_rows_sampled; }

int nearest_of(const Distances& d, int item) {
  int best = -1;
  for (int j = 0; j < d.size(); ++j) {
    if (d.known(item, j) && (best < 0 || d.at(item, j) < d.at(item, best))) best = j;
  }
  return best;
}

/// Rows of items that are near to each other differ by noise only, on a mesh as between chiplets.
double noise_of(const Distances& d) {
  std::vector<double> sigmas, differences;
  for (int i = 0; i < d.size(); i += row_stride(d.size())) {
    const int twin = nearest_of(d, i);
    if (twin < 0) continue;
    differences.clear();
    for (int k = 0; k < d.size(); ++k) {
      if (k != i && k != twin && d.known(i, k) && d.known(twin, k)) differences.push_back(d.at(i, k) - d.at(twin, k));
    }
    if (differences.size() < 2) continue;
    const double middle = quantile(differences, 0.5);
    for (double& value : differences) value = std::abs(value - middle);
    sigmas.push_back(1.4826 * quantile(differences, 0.5) / std::numbers::sqrt2);
  }
  // Two rows of a handful of items may agree by chance.
  const double least = 0.15 / std::sqrt(static_cast<double>(std::max(1, d.size())));
  return sigmas.empty() ? 0.1 : std::max(least, quantile(sigmas, 0.5));
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

/// Distances within the group of `item`, and the median to the nearest other group.
struct Placement {
  std::vector<double> own;
  double next = unknown_distance;
  std::size_t next_known = 0, others = 0;
};

Placement placement_of(const Distances& d, int item, const std::vector<std::size_t>& group_of, std::size_t groups) {
  std::vector<std::vector<double>> to(groups);
  for (int j = 0; j < d.size(); ++j) {
    if (d.known(item, j)) to[group_of[static_cast<std::size_t>(j)]].push_back(d.at(item, j));
  }
  Placement placement;
  const std::size_t own = group_of[static_cast<std::size_t>(item)];
  placement.own = std::move(to[own]);
  for (std::size_t g = 0; g < groups; ++g) {
    if (g == own || to[g].empty()) continue;
    ++placement.others;
    const double middle = quantile(to[g], 0.5);
    if (!(middle >= placement.next)) placement.next = middle, placement.next_known = to[g].size();
  }
  return placement;
}

}  // namespace

Evidence evidence_for(const Distances& d, const Level& level) {
  Evidence evidence;
  evidence.items = d.size();
  evidence.noise = noise_of(d);
  std::vector<std::size_t> group_of(static_cast<std::size_t>(d.size()), 0);
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    for (int i : level.groups[g]) group_of[static_cast<std::size_t>(i)] = g;
  }
  std::vector<double> low;  // distances within groups, below the median of their row
  std::size_t known = 0, pairs = 0;
  const int stride = row_stride(d.size());
  for (int i = 0; i < d.size(); i += stride) {
    Placement placement = placement_of(d, i, group_of, level.groups.size());
    pairs += static_cast<std::size_t>(d.size()) - 1;
    for (int j = 0; j < d.size(); ++j) known += d.known(i, j) ? 1U : 0U;
    if (placement.own.empty()) continue;
    const double own = quantile(placement.own, 0.5);
    if (placement.own.size() > 2) {
      for (double value : placement.own) low.push_back(own - value);
    }
    if (std::isnan(placement.next)) continue;
    const auto count = static_cast<double>(placement.own.size());
    const double error = 1.25 * evidence.noise * std::sqrt(1 / count + 1 / static_cast<double>(placement.next_known));
    const double tries = static_cast<double>(std::min<std::size_t>(placement.others, 16));
    evidence.errors += stride * std::min(1.0, tries * upper_tail((placement.next - own) / error));
  }
  if (low.size() >= 6) {
    const double below = quantile(low, 0.95);
    evidence.spread = below - quantile(low, 0.05);
    evidence.hidden = std::sqrt(std::max(0.0, below * below / (1.645 * 1.645) - evidence.noise * evidence.noise));
  }
  evidence.coverage = pairs == 0 ? 1 : static_cast<double>(known) / static_cast<double>(pairs);
  return evidence;
}

namespace {

/// How sure it is that groups that look whole are: noise hides small steps, and latencies that are lower than noise
/// explains are a sign of what was not found.
double power(const Evidence& evidence) {
  // What two groups with the smallest step between them add to the spread. (Not at namespace scope: a variable of a
  // header may be initialised later than this file's.)
  const double least_hidden = smallest_step / 2;
  const double excess = std::max(0.0, evidence.noise / full_power_noise - 1);
  const double unexplained = std::clamp((evidence.hidden - least_hidden) / least_hidden, 0.0, 2.0);
  const double few = 1.6 / std::sqrt(std::max(1.0, static_cast<double>(evidence.items)));
  const double plain = evidence.spread < plain_spread ? 1 : 0.7;
  return plain * std::exp(-0.25 * excess * (few + unexplained));
}

/// A group of half the usual size is more often a row that was measured badly or a core that runs slowly, and one of
/// nearly twice the size more often two groups, than the machine is irregular.
bool irregular(const Partition& groups) {
  const std::size_t usual = usual_size(groups);
  return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return (usual > 1 && 2 * group.size() <= usual) || 5 * group.size() >= 8 * usual;
  });
}

}  // namespace

double confidence_in(const Selection& selection, const Evidence& evidence) {
  const Level& level = selection.level;
  const double turned_down = std::exp(-std::pow(selection.runner_up / std::log(1.10), 2));
  const double coverage = 0.5 + 0.5 * evidence.coverage;
  if (!level.found()) return 0.97 * coverage * (0.4 + 0.6 * turned_down) * power(evidence);
  const double clear = 1 - std::exp(-std::max(0.0, level.step - std::log(1.05)) / std::log(1.12));
  const double odd = irregular(level.groups) ? 0.75 : 1;
  const double inferred = 1 - std::min(0.6, 3 * level.inferred_share);
  return 0.99 * odd * coverage * clear * (0.6 + 0.4 * turned_down) * inferred * std::exp(-evidence.errors) *
         power(evidence);
}

double confidence_in_no_siblings(const Distances& d, const Selection& selection, const Evidence& evidence) {
  const double score = sibling_score(selection.level);
  double sure = std::min(most_sure_of_none, 1 / (1 + std::exp(-std::abs(score))));
  // Groups of the size of a core that are slower than siblings usually are, and pairs too near to each other for
  // chance.
  if (score > -10) sure = std::min(sure, 0.75);
  const double pairs = share_in_pairs(d, std::max(std::log(1.05), 3 * evidence.noise));
  // Siblings of some cores take most of what two cores take: noise hides that from single pairs.
  const double seen = std::exp(-8 * std::max(0.0, evidence.noise - 0.03) - 2 * evidence.hidden);
  return sure * (1 - std::min(0.5, pairs)) * seen * power(evidence);
}

}  // namespace charm::probe
