#include "tools/probe/structure/clustering.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tools/probe/structure/confidence.hpp"
#include "tools/probe/structure/consolidation.hpp"
#include "tools/probe/structure/elimination.hpp"
#include "tools/probe/structure/naming.hpp"
#include "tools/probe/structure/selection.hpp"
#include "tools/probe/structure/siblings.hpp"

namespace charm::probe {
namespace {

constexpr double most_sure_of_inferred = 0.85;

/// Groups of items as groups of rows, ordered by first row.
Partition rows_of(const Partition& groups, const Partition& items) {
  Partition rows;
  for (const auto& group : groups) {
    Group all;
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

/// One level of the machine as it is found: its items are rows, cores or chiplets.
struct Found {
  Selection selection;
  Evidence evidence;
  double confidence = 0;
};

Found find_level(const Distances& distances) {
  Found found{innermost_level(distances), {}, 0};
  consolidate(distances, found.selection.level);
  found.evidence = evidence_for(distances, found.selection.level);
  found.confidence = confidence_in(found.selection, found.evidence);
  return found;
}

/// The level of the chiplets over cores. Fills in `smt` and `chiplets`.
Found find_cores_and_chiplets(const LatencyMatrix& matrix, const Partition& threads, Clustering& result) {
  Found found;
  Partition cores = threads;
  bool all_paired = false;
  {
    const Distances distances = distances_between(matrix, threads);
    found = find_level(distances);
    const Level& level = found.selection.level;
    const double score = sibling_score(level);
    if (score > 0) {
      all_paired = true;
      cores = rows_of(level.groups, threads);
      result.confidence.smt = std::min(0.97, 1 / (1 + std::exp(-score))) * found.confidence;
    } else if (const auto pairs = separate_pairs(distances); !pairs.empty()) {
      cores = rows_of(pairs, threads);
      result.confidence.smt = 0.7;
      result.notes.push_back("Only some cores have SMT siblings.");
    } else {
      result.confidence.smt = confidence_in_no_siblings(distances, found.selection, found.evidence);
      // What may be cores is no sure chiplet either.
      if (score > -4 || may_be_cores(level)) found.confidence = std::min(found.confidence, 0.75);
    }
  }
  if (cores.size() < threads.size()) found = find_level(distances_between(matrix, cores));

  result.chiplets = rows_of(found.selection.level.groups, cores);
  result.confidence.chiplets = found.confidence;
  if (const int placed = place_unmeasured_rows(matrix, result.chiplets); placed > 0) {
    result.confidence.chiplets = std::min(most_sure_of_inferred, result.confidence.chiplets);
    result.notes.push_back(std::to_string(placed) +
                           " rows were placed in the only chiplet that they were not measured with.");
  }
  if (all_paired) result.confidence.chiplets *= std::min(1.0, 0.5 + result.confidence.smt / 1.8);
  if (found.selection.level.inferred_share > 0)
    result.notes.push_back("Some rows were placed by what is left, not by what was measured.");
  result.smt = std::move(cores);
  return found;
}

/// Gives threads without a core the one that is left for them.
void complete_cores(const LatencyMatrix& matrix, Clustering& result) {
  const InferredSiblings inferred = infer_siblings(matrix, result.smt, result.chiplets);
  result.confidence.smt *= inferred.sure;
  if (inferred.inferred > 0) {
    result.notes.push_back(std::to_string(inferred.inferred) +
                           " SMT siblings were inferred: nobody else in their chiplet lacks one.");
  }
  // Cores of several widths exist, but a sibling that was lost or taken for another core's is likelier.
  const auto other_width = [&](const Group& core) { return core.size() != result.smt.front().size(); };
  if (std::any_of(result.smt.begin(), result.smt.end(), other_width)) result.confidence.smt *= 0.85;
  for (auto& core : result.smt) std::sort(core.begin(), core.end());
  std::sort(result.smt.begin(), result.smt.end());
}

struct Outer {
  Partition groups;
  Level level;
  double confidence;
};

/// Groups of chiplets, groups of those, and so on. \param last the confidence that there are no more.
std::vector<Outer> outer_levels(const LatencyMatrix& matrix, const Partition& chiplets, double& last) {
  std::vector<Outer> outer;
  last = 1;
  Partition items = chiplets;
  while (items.size() > 2) {
    const Found found = find_level(distances_between(matrix, items));
    if (!found.selection.level.found()) {
      last = found.confidence;
      break;
    }
    items = rows_of(found.selection.level.groups, items);
    outer.push_back({items, found.selection.level, found.confidence});
  }
  return outer;
}

void name_nodes_and_sockets(const LatencyMatrix& matrix, const Partition& threads, const Level& chiplet_level,
                            Clustering& result) {
  Partition whole(1);
  for (const auto& thread : threads) whole[0].push_back(thread[0]);
  auto& sure = result.confidence;
  if (result.chiplets.size() < 2) {
    result.nodes = result.sockets = whole;
    sure.nodes = sure.sockets = std::min(most_sure_of_inferred, sure.chiplets);
    return;
  }
  double last = 1;
  const std::vector<Outer> outer = outer_levels(matrix, result.chiplets, last);
  if (outer.empty()) {
    const Naming name = name_outermost(chiplet_level, false);
    result.nodes = result.sockets = name.sockets ? result.chiplets : whole;
    sure.nodes = sure.sockets = name.sure * std::min(sure.chiplets, last);
  } else if (outer.size() == 1) {
    const Naming name = name_outermost(outer[0].level, true);
    result.nodes = outer[0].groups;
    result.sockets = name.sockets ? outer[0].groups : whole;
    // Either the chiplets are the nodes, or the groups of them.
    sure.nodes = std::min(most_sure_of_names, sure.chiplets * outer[0].confidence);
    sure.sockets = name.sure * sure.nodes;
  } else {
    result.nodes = outer.front().groups;
    result.sockets = outer.back().groups;
    sure.nodes = sure.chiplets * outer.front().confidence;
    sure.sockets = sure.nodes * outer.back().confidence;
  }
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
    return result;
  }
  const Found chiplets = find_cores_and_chiplets(matrix, threads, result);
  if (result.smt.size() < threads.size()) complete_cores(matrix, result);
  name_nodes_and_sockets(matrix, threads, chiplets.selection.level, result);
  return result;
}

}  // namespace charm::probe
