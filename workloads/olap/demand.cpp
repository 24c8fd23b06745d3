#include "workloads/olap/demand.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

namespace charm::workloads {
namespace {

using Json = nlohmann::json;

double number(const Json& node, const char* name) {
  const auto found = node.find(name);
  return found != node.end() && found->is_number() ? found->get<double>() : 0;
}

bool exchanges(const std::string& kind) {
  for (const std::string_view each : {"JOIN", "GROUP_BY", "ORDER_BY", "TOP_N", "WINDOW"}) {
    if (kind.find(each) != std::string::npos) return true;
  }
  return false;
}

/// Bytes of a row that an operator gives; eight where it gave none.
double row_bytes(const Json& node) {
  constexpr double a_number = 8;
  const double rows = number(node, "operator_cardinality");
  return rows > 0 ? number(node, "result_set_size") / rows : a_number;
}

void add(const Json& node, OlapDemand& demand) {
  const auto kind = node.value("operator_type", std::string());
  const auto children = node.find("children");
  demand.scanned_bytes += static_cast<std::uint64_t>(number(node, "operator_rows_scanned") * row_bytes(node));
  const bool moves = exchanges(kind);
  if (moves) ++demand.exchanges;
  if (children == node.end() || !children->is_array()) return;
  for (const Json& child : *children) {
    if (moves) {
      demand.moved_rows += static_cast<std::uint64_t>(number(child, "operator_cardinality"));
      demand.moved_bytes += static_cast<std::uint64_t>(number(child, "result_set_size"));
    }
    add(child, demand);
  }
}

}  // namespace

OlapDemand demand_of(const std::string& profile) {
  const Json root = Json::parse(profile, nullptr, false);
  OlapDemand demand;
  if (!root.is_object()) return demand;
  demand.busy_s = number(root, "cpu_time");
  demand.working_set_bytes = static_cast<std::uint64_t>(number(root, "total_memory_allocated"));
  add(root, demand);
  return demand;
}

}  // namespace charm::workloads
