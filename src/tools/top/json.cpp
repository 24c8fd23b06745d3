#include "tools/top/json.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "controller/decision.hpp"
#include "tools/top/masks.hpp"
#include "topology/core_kind_words.hpp"

namespace charm::top {
namespace {

using Json = base::Json;

Json fills_json(const std::optional<FillRates>& fills) {
  if (!fills) return nullptr;
  Json object = Json::object();
  for (const auto source : counters::all_fill_sources) {
    if (fills->has.has(source)) object[std::string(counters::name(source))] = fills->per_s[index(source)];
  }
  return object;
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json controller_json(const Snapshot& snapshot) {
  if (!snapshot.controller) return nullptr;
  Json latest = Json::array();
  for (const Decision& d : snapshot.controller->latest) latest.push_back(controller::json_of(d));
  return {{"policy", snapshot.controller->policy},
          {"workers", snapshot.controller->workers},
          {"spread", snapshot.controller->spread < 0 ? Json(nullptr) : Json(snapshot.controller->spread)},
          {"decisions", snapshot.controller->decisions},
          {"latest", latest}};
}

}  // namespace

std::string json_line(const Snapshot& s) {
  std::set<CoreKind> kinds;
  for (const ChipletShare& chiplet : s.chiplets) {
    for (const CoreShare& core : chiplet.cores) kinds.insert(core.kind);
  }
  const bool several_kinds = kinds.size() > 1;
  Json chiplets = Json::array();
  for (const ChipletShare& chiplet : s.chiplets) {
    Json cores = Json::array();
    for (const CoreShare& core : chiplet.cores) {
      cores.push_back({{"core", core.core}, {"busy", core.busy}});
      if (several_kinds) cores.back()["kind"] = base::word_of(core.kind);
    }
    chiplets.push_back({{"chiplet", chiplet.id},
                        {"node", chiplet.node},
                        {"busy", chiplet.busy},
                        {"own", chiplet.own},
                        {"threads", chiplet.threads},
                        {"cores", cores},
                        {"fills_per_s", fills_json(chiplet.fills)}});
  }
  Json threads = Json::array();
  for (const ThreadShare& row : s.rows) {
    threads.push_back({{"tid", row.tid},
                       {"pid", row.pid},
                       {"name", row.name},
                       {"state", std::string(1, row.state)},
                       {"cpu", row.cpu},
                       {"chiplet", row.chiplet},
                       {"busy", row.busy},
                       {"waiting", number_or_null(row.waiting)},
                       {"moves", row.moves},
                       {"mask", row.mask},
                       {"mask_from", row.mask_from == MaskFrom::nobody ? Json(nullptr) : Json(name_of(row.mask_from))},
                       {"fills_per_s", fills_json(row.fills)}});
  }
  Json processes = Json::array();
  for (const ProcessShare& process : s.by_process) {
    processes.push_back({{"pid", process.pid},
                         {"parent", process.parent},
                         {"user", process.user},
                         {"name", process.name},
                         {"command", process.command},
                         {"state", std::string(1, process.state)},
                         {"threads", process.threads},
                         {"busy", process.busy},
                         {"chiplets", process.chiplets},
                         {"moves", process.moves},
                         {"resident_bytes", process.resident_bytes}});
  }
  Json moves = Json::array();
  for (const Move& move : s.moves) {
    if (move.time_s < s.time_s) continue;  // an earlier line has it
    moves.push_back({{"tid", move.tid}, {"name", move.name}, {"from", move.from}, {"to", move.to}});
  }
  Json nodes = Json::object();
  for (const auto& [node, bytes] : s.bytes_by_node) nodes[std::to_string(node)] = bytes;
  const Json all = {{"time_s", s.time_s},
                    {"interval_s", s.interval_s},
                    {"pid", s.pid == 0 ? Json(nullptr) : Json(s.pid)},
                    {"program", s.program},
                    {"placed_by", s.placed_by},
                    {"ended", s.ended},
                    {"processes", s.processes},
                    {"threads", s.threads},
                    {"busy_cpus", s.busy_cpus},
                    {"machine_busy", s.machine_busy},
                    {"memory_gb_per_s", number_or_null(s.memory_gb_per_s)},
                    {"bytes_by_node", nodes},
                    {"fills_per_s", fills_json(s.fills)},
                    {"why_no_fills", s.why_no_fills},
                    {"chiplets", chiplets},
                    {"rows", threads},
                    {"process_rows", processes},
                    {"moves", moves},
                    {"moves_seen", s.moves_seen},
                    {"controller", controller_json(s)},
                    {"why_no_controller", s.why_no_controller}};
  return base::json_text(all) + "\n";
}

}  // namespace charm::top
