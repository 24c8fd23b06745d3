#include "probe/clustering.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "probe/elimination.hpp"
#include "probe/grouping.hpp"
#include "probe/steps.hpp"

namespace charm::probe {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

double median(std::vector<double>& values) {
  if (values.empty()) return nan;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Log latencies between groups of rows: the median over all pairs of threads, which no single disturbed pair moves.
Distances between(const LatencyMatrix& matrix, const Partition& groups) {
  Distances d(groups.size(), std::vector<double>(groups.size(), nan));
  std::vector<double> values;
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = a + 1; b < groups.size(); ++b) {
      values.clear();
      for (int i : groups[a]) {
        for (int j : groups[b]) {
          if (matrix.measured(i, j)) values.push_back(std::log(matrix.at(i, j)));
        }
      }
      d[a][b] = d[b][a] = median(values);
    }
  }
  return d;
}

/// Groups of items as groups of rows, ordered by first row.
Partition rows_of(const std::vector<std::vector<int>>& groups, const Partition& items) {
  Partition rows;
  for (const auto& group : groups) {
    std::vector<int> all;
    for (int item : group) {
      const auto& some = items[static_cast<std::size_t>(item)];
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    rows.push_back(std::move(all));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// From the step, and from what was inferred and what was turned down. With nothing found: from how near a step was.
double confidence_of(const Search& search, const Distances& d) {
  const Level& level = search.level;
  const double turned_down = std::exp(-std::pow(search.runner_up / std::log(1.10), 2));
  std::vector<double> known;
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!std::isnan(d[i][j])) known.push_back(d[i][j]);
    }
  }
  const double all = static_cast<double>(d.size()) * static_cast<double>(d.size() - 1) / 2;
  const double coverage = all > 0 ? 0.5 + 0.5 * static_cast<double>(known.size()) / all : 1;
  if (!level.found()) {
    // Latencies that differ by much without a step that explains it are no sign of a plain machine.
    std::sort(known.begin(), known.end());
    const double spread = known.size() < 3 ? 0 : known[known.size() * 95 / 100] - known[known.size() * 5 / 100];
    const double plain = spread < std::log(1.9) ? 1 : 0.6;
    return 0.97 * plain * coverage * (0.4 + 0.6 * turned_down);
  }
  const double clear = 1 - std::exp(-std::max(0.0, level.step - std::log(1.05)) / std::log(1.12));
  std::vector<std::size_t> sizes;
  for (const auto& group : level.groups) sizes.push_back(group.size());
  std::sort(sizes.begin(), sizes.end());
  // A row on its own among large groups is more often a row that was measured badly.
  const double odd = sizes.front() == 1 && sizes[sizes.size() / 2] > 1 ? 0.85 : 1;
  return 0.99 * odd * coverage * clear * (0.6 + 0.4 * turned_down) * (1 - std::min(0.6, 3 * level.doubt));
}

/// Siblings share the first-level cache, so they answer each other in a fraction of what a shared last-level cache
/// takes; two cores of a small chiplet do not. Above 0: siblings.
double sibling_score(const Level& level) {
  std::size_t largest = 0;
  std::size_t threads = 0;
  for (const auto& group : level.groups) largest = std::max(largest, group.size()), threads += group.size();
  if (!level.found() || largest < 2 || largest > 8) return -10;
  // Cores have two, four or eight threads.
  const std::size_t usual = usual_size(level.groups);
  if ((usual & (usual - 1)) != 0) return -10;
  const double own = std::exp(level.within);
  const double next = std::exp(level.beyond);
  return 8 * std::log(14 / own) + std::clamp(3 * std::log(60 / next), -1.2, 1.2);
}

/// Threads that nobody is as near to as each other, in machines where only some cores have siblings.
std::vector<std::vector<int>> some_siblings(const Distances& d) {
  const std::size_t n = d.size();
  std::vector<std::size_t> nearest(n, n);
  std::vector<double> first(n, nan), second(n, nan);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double v = d[i][j];
      if (std::isnan(v)) continue;
      if (nearest[i] == n || v < first[i]) {
        second[i] = first[i];
        first[i] = v;
        nearest[i] = j;
      } else if (std::isnan(second[i]) || v < second[i]) {
        second[i] = v;
      }
    }
  }
  std::vector<std::vector<int>> groups;
  std::vector<bool> paired(n, false);
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = nearest[i];
    if (j == n || j < i || nearest[j] != i) continue;
    if (!(std::min(second[i], second[j]) - first[i] > std::log(1.5)) || first[i] > std::log(16.0)) continue;
    groups.push_back({static_cast<int>(i), static_cast<int>(j)});
    paired[i] = paired[j] = true;
    ++pairs;
  }
  if (10 * pairs < n) return {};
  for (std::size_t i = 0; i < n; ++i) {
    if (!paired[i]) groups.push_back({static_cast<int>(i)});
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

struct Naming {
  bool sockets = false;  // the outermost groups are sockets
  double sure = 0.5;
};

/// What the outermost groups are. Links between packages cost more than links inside, in time and (for chiplets with
/// fast caches of their own) less in proportion; a machine has few sockets. A guess from machines measured in public,
/// and rated as one.
Naming name_outermost(const Level& level, bool above_chiplets) {
  const double top = std::exp(level.beyond);
  const double ratio = std::isnan(level.within) ? 3.0 : std::exp(level.beyond - level.within);
  const double many = std::max(0.0, std::log2(static_cast<double>(level.groups.size())) - 1);
  const double score = above_chiplets ? 6 * std::log(top / 160) + 5 * std::log(ratio / 1.75) - 1.3 * many
                                      : 6 * std::log(top / 105) - 3 * std::log(ratio / 3) - 1.3 * many;
  return {score > 0, std::min(0.85, logistic(2 * std::abs(score)))};
}

}  // namespace

Clustering cluster(const LatencyMatrix& matrix) {
  Clustering result;
  result.notes = matrix.notes;
  result.unmeasured = matrix.unmeasured_rows();
  Partition threads;
  for (int i = 0; i < matrix.rows(); ++i) {
    if (!std::binary_search(result.unmeasured.begin(), result.unmeasured.end(), i)) threads.push_back({i});
  }
  if (threads.empty()) {  // one cpu, or none: a machine of a single core
    for (int i = 0; i < matrix.rows(); ++i) threads.push_back({i});
    result.unmeasured.clear();
    result.smt = result.chiplets = result.nodes = result.sockets = threads;
    result.confidence = {0, 0, 0, 0};
    return result;
  }

  Distances distances = between(matrix, threads);
  Search search = innermost_level(distances);
  Partition cores = threads;
  const double score = sibling_score(search.level);
  result.confidence.smt = std::min(0.97, logistic(std::abs(score)));
  // Chiplets whose inside is itself of two kinds may hide siblings that did not show as a level.
  if (score <= 0 && search.level.found() && search.level.spread > std::log(1.6)) result.confidence.smt *= 0.6;
  if (score > 0) {
    cores = rows_of(search.level.groups, threads);
    result.confidence.smt *= confidence_of(search, distances);
  } else if (const auto some = some_siblings(distances); !some.empty()) {
    cores = rows_of(some, threads);
    result.confidence.smt = 0.7;
    result.notes.push_back("Only some cores have SMT siblings.");
  }
  if (cores.size() < threads.size()) search = innermost_level(distances = between(matrix, cores));

  result.chiplets = rows_of(search.level.groups, cores);
  result.confidence.chiplets = confidence_of(search, distances);
  if (const int placed = place_lost_rows(matrix, result.chiplets); placed > 0) {
    result.confidence.chiplets = std::min(0.85, result.confidence.chiplets);
    result.notes.push_back(std::to_string(placed) +
                           " rows were placed in the only chiplet that they were not measured with.");
  }
  if (score > 0) result.confidence.chiplets *= std::min(1.0, 0.5 + result.confidence.smt / 1.8);
  if (search.level.doubt > 0)
    result.notes.push_back("Some rows were placed by what is left, not by what was measured.");
  result.smt = cores;
  if (cores.size() < threads.size()) {
    const Siblings inferred = infer_siblings(matrix, result.smt, result.chiplets);
    result.confidence.smt *= inferred.sure;
    if (inferred.inferred > 0) {
      result.notes.push_back(std::to_string(inferred.inferred) +
                             " SMT siblings were inferred: nobody else in their chiplet lacks one.");
    }
  }
  // Cores of several widths exist, but a sibling that was lost or taken for another core's is likelier.
  if (std::any_of(result.smt.begin(), result.smt.end(),
                  [&](const auto& core) { return core.size() != result.smt.front().size(); })) {
    result.confidence.smt *= 0.85;
  }
  for (auto& core : result.smt) std::sort(core.begin(), core.end());
  std::sort(result.smt.begin(), result.smt.end());

  // Groups of chiplets, groups of those, and so on.
  std::vector<Partition> above;
  std::vector<Level> levels;
  std::vector<double> sure;
  Partition items = result.chiplets;
  while (items.size() > 2) {
    const Distances apart = between(matrix, items);
    const Search next = innermost_level(apart);
    sure.push_back(confidence_of(next, apart));
    if (!next.level.found()) break;
    items = rows_of(next.level.groups, items);
    above.push_back(items);
    levels.push_back(next.level);
  }

  const Partition whole = rows_of({[&] {
                                    std::vector<int> all(threads.size());
                                    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
                                    return all;
                                  }()},
                                  threads);
  if (result.chiplets.size() < 2) {
    result.nodes = result.sockets = whole;
    result.confidence.nodes = result.confidence.sockets = std::min(0.85, result.confidence.chiplets);
  } else if (above.empty()) {
    const Naming name = name_outermost(search.level, false);
    result.nodes = result.sockets = name.sockets ? result.chiplets : whole;
    const double seen = std::min(result.confidence.chiplets, sure.empty() ? 1.0 : sure.back());
    result.confidence.nodes = result.confidence.sockets = name.sure * seen;
  } else if (above.size() == 1) {
    const Naming name = name_outermost(levels[0], true);
    result.nodes = above[0];
    result.sockets = name.sockets ? above[0] : whole;
    result.confidence.nodes = std::min(0.85, result.confidence.chiplets * sure[0]);
    result.confidence.sockets = name.sure * result.confidence.nodes;
  } else {
    result.nodes = above.front();
    result.sockets = above.back();
    result.confidence.nodes = result.confidence.chiplets * sure.front();
    result.confidence.sockets = result.confidence.chiplets * sure[above.size() - 1];
  }
  return result;
}

}  // namespace charm::probe
