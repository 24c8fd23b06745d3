#include "topology/machine_json.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "topology/core_kind_words.hpp"

namespace charm::topology {
namespace {

constexpr std::array<std::pair<ChipletSource, const char*>, 6> sources = {{
    {ChipletSource::last_level_cache, "last_level_cache"},
    {ChipletSource::cluster, "cluster"},
    {ChipletSource::numa_node, "numa_node"},
    {ChipletSource::socket, "socket"},
    {ChipletSource::measured, "measured"},
    {ChipletSource::declared, "declared"},
}};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(Errc::bad_input, name + ": " + what, "give what 'charm topo --json' or 'charm probe' wrote");
}

void require(bool condition, const std::string& name, const char* what) {
  if (!condition) fail(name, what);
}

bool within(int id, std::size_t count) { return id >= 0 && static_cast<std::size_t>(id) < count; }

/// Ids are positions and everything nests: whatever is built on a machine relies on it.
void check(const Machine& m, const std::string& name) {
  const auto all_within = [](const auto& ids, std::size_t count) { return ids.empty() || within(ids.back(), count); };
  require(!m.cores.empty() && !m.chiplets.empty() && !m.sockets.empty() && !m.nodes.empty(), name,
          "a machine without cores, chiplets, nodes or sockets");
  for (std::size_t i = 0; i < m.cores.size(); ++i) {
    const Core& core = m.cores[i];
    require(core.id == static_cast<int>(i) && within(core.chiplet, m.chiplets.size()) &&
                within(core.node, m.nodes.size()) && within(core.socket, m.sockets.size()) && !core.siblings.empty() &&
                core.cpu == core.siblings.front() && core.capacity > 0,
            name, "a core whose ids do not fit the machine");
  }
  for (std::size_t i = 0; i < m.chiplets.size(); ++i) {
    const Chiplet& chiplet = m.chiplets[i];
    require(chiplet.id == static_cast<int>(i) && !chiplet.cores.empty() && all_within(chiplet.cores, m.cores.size()) &&
                chiplet.shared_cache >= -1 && within(chiplet.node, m.nodes.size()) &&
                within(chiplet.socket, m.sockets.size()),
            name, "a chiplet whose ids do not fit the machine");
    for (int core : chiplet.cores) {
      require(m.cores[static_cast<std::size_t>(core)].chiplet == chiplet.id, name, "a core that lies in two chiplets");
    }
  }
  for (std::size_t i = 0; i < m.nodes.size(); ++i) {
    require(m.nodes[i].id == static_cast<int>(i) &&
                (m.nodes[i].socket == -1 || within(m.nodes[i].socket, m.sockets.size())),
            name, "a node whose ids do not fit the machine");
  }
  for (std::size_t i = 0; i < m.sockets.size(); ++i) {
    require(m.sockets[i].id == static_cast<int>(i) && all_within(m.sockets[i].chiplets, m.chiplets.size()) &&
                all_within(m.sockets[i].nodes, m.nodes.size()),
            name, "a socket whose ids do not fit the machine");
  }
  require(m.node_distance.empty() || m.node_distance.size() == m.nodes.size(), name, "distances of other nodes");
  for (const auto& row : m.node_distance) {
    require(row.size() == m.nodes.size(), name, "distances that are not square");
  }
}

/// \throws Error that names the file where a number is negative.
template <class Set>
Set set_of(const base::SortedJson& list, const std::string& name) {
  auto ids = list.get<std::vector<int>>();
  require(std::all_of(ids.begin(), ids.end(), [](int id) { return id >= 0; }), name,
          "a negative number of a cpu, core, chiplet or node");
  return Set(std::move(ids));
}

}  // namespace

base::Json machine_to_json(const Machine& m) {
  using Json = base::Json;
  Json out;
  out["name"] = m.name;
  out["origin"] = m.origin;
  for (const auto& [source, word] : sources) {
    if (source == m.chiplet_source) out["chiplet_source"] = word;
  }
  out["cpu_quota"] = m.cpu_quota;
  out["total"] = {
      {"cpus", m.total.cpus}, {"cores", m.total.cores}, {"nodes", m.total.nodes}, {"sockets", m.total.sockets}};
  out["sockets"] = Json::array();
  for (const Socket& s : m.sockets)
    out["sockets"].push_back({{"id", s.id}, {"chiplets", s.chiplets}, {"nodes", s.nodes}});
  out["nodes"] = Json::array();
  for (const Node& n : m.nodes) {
    out["nodes"].push_back({{"id", n.id},
                            {"os_index", n.os_index},
                            {"cpus", n.cpus},
                            {"bytes", n.bytes},
                            {"socket", n.socket},
                            {"kind", n.kind}});
    if (n.firmware_gb_per_s > 0) out["nodes"].back()["firmware_gb_per_s"] = n.firmware_gb_per_s;
    if (n.firmware_latency_ns > 0) out["nodes"].back()["firmware_latency_ns"] = n.firmware_latency_ns;
  }
  out["chiplets"] = Json::array();
  for (const Chiplet& c : m.chiplets) {
    out["chiplets"].push_back(
        {{"id", c.id}, {"cores", c.cores}, {"l3_bytes", c.l3_bytes}, {"node", c.node}, {"socket", c.socket}});
    if (c.cache_level != 3) out["chiplets"].back()["cache_level"] = c.cache_level;
    if (c.total_cores != static_cast<int>(c.cores.size())) out["chiplets"].back()["total_cores"] = c.total_cores;
    if (c.shared_cache >= 0) out["chiplets"].back()["shared_cache"] = c.shared_cache;
  }
  out["cores"] = Json::array();
  const bool alike = std::all_of(m.cores.begin(), m.cores.end(), [](const Core& core) {
    return core.kind == CoreKind::performance && core.capacity == Core().capacity;
  });
  for (const Core& c : m.cores) {
    out["cores"].push_back({{"id", c.id},
                            {"cpu", c.cpu},
                            {"siblings", c.siblings},
                            {"chiplet", c.chiplet},
                            {"node", c.node},
                            {"socket", c.socket},
                            {"l1d_bytes", c.l1d_bytes},
                            {"l2_bytes", c.l2_bytes}});
    const Chiplet& chiplet = m.chiplets[static_cast<std::size_t>(c.chiplet)];
    if (c.position != c.id - chiplet.cores.front()) out["cores"].back()["position"] = c.position;
    if (c.cluster >= 0) out["cores"].back()["cluster"] = c.cluster;
    if (alike) continue;
    out["cores"].back()["kind"] = base::word_of(c.kind);
    out["cores"].back()["capacity"] = c.capacity;
  }
  out["allowed_cpus"] = m.allowed_cpus;
  out["forbidden_cpus"] = m.forbidden_cpus;
  out["node_distance"] = m.node_distance;
  if (!m.measured.profile.empty()) {
    out["measured"] = {{"profile", m.measured.profile},
                       {"date", m.measured.date},
                       {"doubts", m.measured.doubts},
                       {"core_latency_ns", m.measured.core_latency_ns},
                       {"chiplet_latency_ns", m.measured.chiplet_latency_ns},
                       {"l3_latency_ns", m.measured.l3_latency_ns},
                       {"core_gb_per_s", m.measured.core_gb_per_s},
                       {"chiplet_gb_per_s", m.measured.chiplet_gb_per_s},
                       {"chiplet_memory_gb_per_s", m.measured.chiplet_memory_gb_per_s},
                       {"node_memory_gb_per_s", m.measured.node_memory_gb_per_s},
                       {"memory_gb_per_s", m.measured.memory_gb_per_s},
                       {"node_latency_ns", m.measured.node_latency_ns},
                       {"memory_latency_ns", m.measured.memory_latency_ns},
                       {"node_gb_per_s", m.measured.node_gb_per_s}};
  }
  out["notes"] = m.notes;
  if (!m.doubts.empty()) out["doubts"] = m.doubts;
  return out;
}

Machine machine_from_json(const base::SortedJson& json, const std::string& name) {
  try {
    Machine m;
    m.name = json.at("name");
    m.origin = json.at("origin");
    const std::string source_word = json.at("chiplet_source");
    for (const auto& [source, word] : sources) {
      if (source_word == word) m.chiplet_source = source;
    }
    m.cpu_quota = json.at("cpu_quota");
    const auto& total = json.at("total");
    m.total = {total.at("cpus"), total.at("cores"), total.at("nodes"), total.at("sockets")};
    for (const auto& s : json.at("sockets")) {
      m.sockets.push_back(
          {s.at("id"), set_of<ChipletSet>(s.at("chiplets"), name), set_of<NodeSet>(s.at("nodes"), name)});
    }
    for (const auto& n : json.at("nodes")) {
      m.nodes.push_back({n.at("id"), n.at("os_index"), set_of<CpuSet>(n.at("cpus"), name), n.at("bytes"),
                         n.at("socket"), n.value("kind", std::string()), n.value("firmware_gb_per_s", 0.0),
                         n.value("firmware_latency_ns", 0.0)});
    }
    for (const auto& c : json.at("chiplets"))
      m.chiplets.push_back({c.at("id"), set_of<CoreSet>(c.at("cores"), name), c.at("l3_bytes"), c.at("node"),
                            c.at("socket"), c.value("cache_level", 3),
                            c.value("total_cores", static_cast<int>(c.at("cores").size())),
                            c.value("shared_cache", -1)});
    for (const auto& c : json.at("cores")) {
      m.cores.push_back({c.at("id"), c.at("cpu"), set_of<CpuSet>(c.at("siblings"), name), c.at("chiplet"), c.at("node"),
                         c.at("socket"), c.at("l1d_bytes"), c.at("l2_bytes"),
                         base::parse_choice<CoreKind>(c.value("kind", std::string("performance")), "kind"),
                         c.value("capacity", Core().capacity), c.value("position", -1), c.value("cluster", -1)});
    }
    m.allowed_cpus = set_of<CpuSet>(json.at("allowed_cpus"), name);
    m.forbidden_cpus = set_of<CpuSet>(json.at("forbidden_cpus"), name);
    m.node_distance = json.at("node_distance").get<std::vector<std::vector<double>>>();
    m.notes = json.at("notes").get<std::vector<std::string>>();
    m.doubts = json.value("doubts", std::vector<std::string>());
    check(m, name);
    for (Core& core : m.cores) {
      const int first = m.chiplets[static_cast<std::size_t>(core.chiplet)].cores.front();
      if (core.position < 0) core.position = core.id - first;
    }
    return m;
  } catch (const nlohmann::json::exception& error) {
    fail(name, base::json_problem(error));
  }
}

}  // namespace charm::topology
