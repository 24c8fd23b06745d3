#include "topology/synthetic.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace charm::topology {
namespace {

enum class Kind { package, node, die, l5, l4, l3, l2, l1, l1i, group, core, pu };

constexpr std::array<std::pair<std::string_view, Kind>, 20> words = {{
    {"pack", Kind::package},  {"package", Kind::package}, {"socket", Kind::package}, {"numa", Kind::node},
    {"numanode", Kind::node}, {"node", Kind::node},       {"die", Kind::die},        {"l5", Kind::l5},
    {"l4", Kind::l4},         {"l3", Kind::l3},           {"l3cache", Kind::l3},     {"l2", Kind::l2},
    {"l2cache", Kind::l2},    {"l1", Kind::l1},           {"l1d", Kind::l1},         {"l1cache", Kind::l1},
    {"l1i", Kind::l1i},       {"group", Kind::group},     {"core", Kind::core},      {"pu", Kind::pu},
}};

constexpr std::uint64_t most_counted_cpus = 1 << 16;

struct Level {
  Kind kind;
  int count;
  int cpus = 1;  ///< hardware threads of each of its objects
};

/// Nothing where a level is not "WORD:COUNT".
std::optional<std::vector<Level>> levels_of(const std::string& description) {
  std::vector<Level> levels;
  std::istringstream in(description);
  std::uint64_t all = 1;
  for (std::string word; in >> word;) {
    const auto colon = word.find(':');
    if (colon == std::string::npos) return std::nullopt;
    const auto known = std::find_if(words.begin(), words.end(), [&](const auto& entry) {
      return entry.first == std::string_view(word).substr(0, colon);
    });
    const std::string_view digits = std::string_view(word).substr(colon + 1);
    int count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    // hwloc takes numbers as C does, so that a leading zero is octal.
    if (known == words.end() || error != std::errc() || end != digits.data() + digits.size() || count < 1 ||
        digits.front() == '0')
      return std::nullopt;
    all *= static_cast<std::uint64_t>(count);
    if (all > most_counted_cpus) return std::nullopt;
    levels.push_back({known->second, count});
  }
  int below = 1;
  for (std::size_t i = levels.size(); i-- > 0;) {
    levels[i].cpus = below;
    below *= levels[i].count;
  }
  return levels;
}

int number_of(const std::vector<Level>& levels, Kind kind) {
  return static_cast<int>(std::count_if(levels.begin(), levels.end(), [&](const Level& l) { return l.kind == kind; }));
}

/// Hardware threads of an object of the innermost level of a kind that holds whole cores; 0 where there is none.
int cpus_of(const std::vector<Level>& levels, Kind kind, int cpus_of_core) {
  int cpus = 0;
  for (const Level& level : levels) {
    if (level.kind == kind && level.cpus >= cpus_of_core) cpus = level.cpus;
  }
  return cpus;
}

/// As hwloc gives a cache that is described without a size.
constexpr std::uint64_t l1_bytes = std::uint64_t{32} << 10U;
constexpr std::uint64_t l2_bytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t l3_bytes = std::uint64_t{16} << 20U;
constexpr std::uint64_t node_bytes = std::uint64_t{1} << 30U;

}  // namespace

std::optional<Survey> plain_synthetic(const std::string& description) {
  const auto levels = levels_of(description);
  if (!levels || levels->empty() || levels->back().kind != Kind::pu) return std::nullopt;
  for (const Kind once : {Kind::package, Kind::node, Kind::die, Kind::core, Kind::pu}) {
    if (number_of(*levels, once) > 1) return std::nullopt;
  }
  const auto core_level =
      std::find_if(levels->begin(), levels->end(), [](const Level& l) { return l.kind == Kind::core; });
  const int threads = core_level == levels->end() ? 1 : core_level->cpus;
  const int all = levels->front().cpus * levels->front().count;
  for (const Level& level : *levels) {
    const bool around_cores = level.kind == Kind::package || level.kind == Kind::node || level.kind == Kind::l3;
    if (around_cores && level.cpus < threads) return std::nullopt;
  }

  Survey survey;
  survey.origin = "synthetic:" + description;
  survey.cores_known = core_level != levels->end();
  const int package = cpus_of(*levels, Kind::package, threads);
  const int node = cpus_of(*levels, Kind::node, threads);
  const int l3 = cpus_of(*levels, Kind::l3, threads);
  const int l2 = cpus_of(*levels, Kind::l2, threads);
  survey.sockets = package == 0 ? 0 : all / package;
  survey.cores_per_l2 = l2 == 0 ? 1 : l2 / threads;
  survey.l3_bytes.assign(l3 == 0 ? 0 : static_cast<std::size_t>(all / l3), l3_bytes);
  if (number_of(*levels, Kind::l3) > 1 &&
      std::any_of(levels->begin(), levels->end(), [&](const Level& l) { return l.kind == Kind::l3 && l.cpus > l3; }))
    survey.notes.emplace_back("L3 caches lie within others: the innermost one of a core counts.");
  const int nodes = node == 0 ? 1 : all / node;
  for (int n = 0; n < nodes; ++n) {
    const int first = n * (all / nodes);
    // A node that reaches over several packages belongs to none of them.
    const int socket = package == 0 ? 0 : all / nodes > package ? -1 : first / package;
    survey.nodes.push_back({n, node_bytes, socket, ""});
    survey.allowed_nodes.insert(n);
  }
  survey.all_nodes = nodes;
  survey.cores.reserve(static_cast<std::size_t>(all / threads));
  for (int cpu = 0; cpu < all; cpu += threads) {
    SurveyCore core;
    std::vector<int> cpus(static_cast<std::size_t>(threads));
    std::iota(cpus.begin(), cpus.end(), cpu);
    core.cpus = CpuSet(std::move(cpus));
    core.l3 = l3 == 0 ? -1 : cpu / l3;
    core.l2 = l2 == 0 ? -1 : cpu / l2;
    core.node = node == 0 ? 0 : cpu / node;
    core.socket = package == 0 ? -1 : cpu / package;
    core.l1d_bytes = number_of(*levels, Kind::l1) > 0 ? l1_bytes : 0;
    core.l2_bytes = number_of(*levels, Kind::l2) > 0 ? l2_bytes : 0;
    survey.cores.push_back(std::move(core));
  }
  std::vector<int> cpus(static_cast<std::size_t>(all));
  std::iota(cpus.begin(), cpus.end(), 0);
  survey.all_cpus = survey.allowed_cpus = CpuSet(std::move(cpus));
  return survey;
}

}  // namespace charm::topology
