#include "topology/chiplets.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"

namespace charm::topology {
namespace {

constexpr int most_of_a_pair = 2;

/// What the cores behind one L3 have in common.
struct L3View {
  std::vector<int> cores;
  std::set<int> sockets;
  std::set<int> nodes;
  [[nodiscard]] bool believable() const { return sockets.size() == 1; }
};

std::vector<L3View> view_l3s(const Survey& survey) {
  std::vector<L3View> views(survey.l3_bytes.size());
  for (std::size_t i = 0; i < survey.cores.size(); ++i) {
    const SurveyCore& core = survey.cores[i];
    if (core.l3 < 0) continue;
    L3View& view = views[static_cast<std::size_t>(core.l3)];
    view.cores.push_back(static_cast<int>(i));
    view.sockets.insert(core.socket);
    view.nodes.insert(core.node);
  }
  return views;
}

/// A guest whose NUMA boundary was drawn through a chiplet shows two small L3s that meet there and together have as
/// many cores as the others. It looks like any machine with unequal chiplets, so it is noted and not corrected.
bool cut_at_a_node(const Survey& survey, const std::vector<L3View>& views) {
  std::size_t most = 0;
  for (const L3View& view : views) most = std::max(most, view.cores.size());
  const L3View* before = nullptr;
  std::uint64_t before_bytes = 0;
  for (std::size_t l3 = 0; l3 < views.size(); ++l3) {
    const L3View& view = views[l3];
    if (view.cores.empty()) continue;
    if (before != nullptr && before->nodes != view.nodes && before_bytes == survey.l3_bytes[l3] &&
        before->cores.size() + view.cores.size() == most) {
      return true;
    }
    before = &view;
    before_bytes = survey.l3_bytes[l3];
  }
  return false;
}

void note_implausible(const Survey& survey, const std::vector<L3View>& views, ChipletGroups& result) {
  std::vector<std::string>& notes = result.doubts;
  std::size_t over_sockets = 0;
  std::size_t over_nodes = 0;
  std::size_t shared = 0;
  std::size_t with_cores = 0;
  for (const L3View& view : views) {
    if (view.cores.empty()) continue;
    ++with_cores;
    if (view.cores.size() > 1) ++shared;
    if (!view.believable()) {
      ++over_sockets;
    } else if (view.nodes.size() > 1) {
      ++over_nodes;
    }
  }
  if (over_sockets > 0) {
    notes.push_back(base::counted(over_sockets, "L3 cache") +
                    " said to span several sockets, which none does (a virtual machine's "
                    "invention?): not used to tell chiplets apart.");
  }
  if (over_nodes > 0) {
    result.notes.push_back(base::counted(over_nodes, "L3 cache") +
                           " said to span several NUMA nodes: each node's part is taken as a "
                           "chiplet with its share of the cache.");
  }
  if (with_cores > 1 && shared == 0) {
    notes.push_back(
        "Every L3 cache belongs to a single core: each core is taken as a chiplet, which may be a virtual "
        "machine's invention.");
  }
  if (cut_at_a_node(survey, views)) {
    notes.push_back(
        "Two small L3 caches meet at a NUMA boundary and together have as many cores as the others: the "
        "boundary may cut through a chiplet (a virtual machine's layout).");
  }
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
}

/// Arm's firmware may report clusters and no L3. Clusters count as chiplets if they have more cores than share an L2,
/// and more than two: pairs (Altra) are nearer to each other than to others, but share no cache that a group of workers
/// could use, and a level of spread for each doubling of forty pairs would change nothing but the number of moves.
bool clusters_stand_in(const Survey& survey, const std::vector<L3View>& views) {
  std::map<int, int> size;
  for (const SurveyCore& core : survey.cores) {
    if (core.cluster < 0 || (core.l3 >= 0 && views[static_cast<std::size_t>(core.l3)].believable())) return false;
    ++size[core.cluster];
  }
  return size.size() > 1 && std::all_of(size.begin(), size.end(), [&](const auto& entry) {
           return entry.second > most_of_a_pair && entry.second > survey.cores_per_l2;
         });
}

/// Where there is no L3, an L2 that more cores than a pair share is the last cache of theirs, and cores with a smaller
/// or no such L2 beside them have their own.
bool l2s_stand_in(const Survey& survey, const std::vector<L3View>& views) {
  std::map<int, int> size;
  for (const SurveyCore& core : survey.cores) {
    if (core.l2 < 0 || (core.l3 >= 0 && views[static_cast<std::size_t>(core.l3)].believable())) return false;
    ++size[core.l2];
  }
  return size.size() > 1 &&
         std::any_of(size.begin(), size.end(), [](const auto& entry) { return entry.second > most_of_a_pair; });
}

}  // namespace

ChipletGroups group_chiplets(const Survey& survey) {
  const auto views = view_l3s(survey);
  ChipletGroups result;
  note_implausible(survey, views, result);

  const bool by_cluster = clusters_stand_in(survey, views);
  const bool by_l2 = !by_cluster && l2s_stand_in(survey, views);
  std::map<std::tuple<int, int, int>, ChipletGroup> groups;  // socket, node, L3 (or cluster) or -1
  std::map<int, std::set<int>> sockets_of_node;
  std::size_t without = 0;
  for (std::size_t i = 0; i < survey.cores.size(); ++i) {
    const SurveyCore& core = survey.cores[i];
    const bool behind_l3 = core.l3 >= 0 && views[static_cast<std::size_t>(core.l3)].believable();
    if (!behind_l3) ++without;
    sockets_of_node[core.node].insert(core.socket);
    ChipletGroup& group = groups[{core.socket, core.node,
                                  by_cluster  ? core.cluster
                                  : by_l2     ? core.l2
                                  : behind_l3 ? core.l3
                                              : -1}];
    group.node = core.node;
    group.socket = core.socket;
    group.cores.push_back(static_cast<int>(i));
  }
  for (auto& [key, group] : groups) {
    if (by_l2) {
      group.l3_bytes = survey.cores[static_cast<std::size_t>(group.cores.front())].l2_bytes;
      group.cache_level = 2;
    } else if (int l3 = std::get<2>(key); l3 >= 0 && !by_cluster) {
      const std::uint64_t bytes = survey.l3_bytes[static_cast<std::size_t>(l3)];
      const std::size_t sharers = views[static_cast<std::size_t>(l3)].cores.size();
      group.l3_bytes = sharers == group.cores.size() ? bytes : bytes / sharers * group.cores.size();
    }
    result.groups.push_back(std::move(group));
  }
  std::sort(result.groups.begin(), result.groups.end(), [](const ChipletGroup& a, const ChipletGroup& b) {
    return std::tie(a.socket, a.node, a.cores.front()) < std::tie(b.socket, b.node, b.cores.front());
  });

  if (by_cluster) {
    result.source = ChipletSource::cluster;
    result.notes.push_back("No usable L3 cache information: each cluster of cores is taken as one chiplet.");
  } else if (by_l2) {
    result.notes.emplace_back(
        "No usable L3 cache information: the cores that share an L2 cache are taken as one chiplet.");
  } else if (without == survey.cores.size()) {
    const bool nodes_tell_nothing = std::any_of(sockets_of_node.begin(), sockets_of_node.end(),
                                                [](const auto& entry) { return entry.second.size() > 1; });
    result.source = nodes_tell_nothing ? ChipletSource::socket : ChipletSource::numa_node;
    std::string note = std::string("No usable L3 cache information: the cores of each ") +
                       (nodes_tell_nothing ? "socket" : "NUMA node") + " are taken as one chiplet";
    if (survey.cores_per_l2 > 1) {
      note += ", not the " + std::to_string(survey.cores_per_l2) + " cores that share an L2 cache";
    }
    result.notes.push_back(note + ".");
  } else if (without > 0) {
    result.notes.push_back(base::counted(without, "core") + " of " + std::to_string(survey.cores.size()) +
                           " without usable L3 cache information: those of one NUMA node are taken as one chiplet.");
  }
  return result;
}

}  // namespace charm::topology
