#include "drawing/json.hpp"

#include <nlohmann/json.hpp>

namespace charm::drawing {
namespace {

const char* source_name(ChipletSource source) {
  switch (source) {
    case ChipletSource::last_level_cache:
      return "last_level_cache";
    case ChipletSource::numa_node:
      return "numa_node";
    case ChipletSource::socket:
      return "socket";
  }
  return "";
}

}  // namespace

nlohmann::ordered_json to_json(const Machine& m) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["name"] = m.name;
  out["origin"] = m.origin;
  out["chiplet_source"] = source_name(m.chiplet_source);
  out["cpu_quota"] = m.cpu_quota;
  out["total"] = {
      {"cpus", m.total.cpus}, {"cores", m.total.cores}, {"nodes", m.total.nodes}, {"sockets", m.total.sockets}};
  out["sockets"] = Json::array();
  for (const Socket& s : m.sockets)
    out["sockets"].push_back({{"id", s.id}, {"chiplets", s.chiplets}, {"nodes", s.nodes}});
  out["nodes"] = Json::array();
  for (const Node& n : m.nodes) {
    out["nodes"].push_back(
        {{"id", n.id}, {"os_index", n.os_index}, {"cpus", n.cpus}, {"bytes", n.bytes}, {"socket", n.socket}});
  }
  out["chiplets"] = Json::array();
  for (const Chiplet& c : m.chiplets) {
    out["chiplets"].push_back(
        {{"id", c.id}, {"cores", c.cores}, {"l3_bytes", c.l3_bytes}, {"node", c.node}, {"socket", c.socket}});
  }
  out["cores"] = Json::array();
  for (const Core& c : m.cores) {
    out["cores"].push_back({{"id", c.id},
                            {"cpu", c.cpu},
                            {"siblings", c.siblings},
                            {"chiplet", c.chiplet},
                            {"node", c.node},
                            {"socket", c.socket},
                            {"l1d_bytes", c.l1d_bytes},
                            {"l2_bytes", c.l2_bytes}});
  }
  out["allowed_cpus"] = m.allowed_cpus;
  out["forbidden_cpus"] = m.forbidden_cpus;
  out["node_distance"] = m.node_distance;
  out["notes"] = m.notes;
  return out;
}

std::string json_text(const Machine& machine) {
  return to_json(machine).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace charm::drawing
