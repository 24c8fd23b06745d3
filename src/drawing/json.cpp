#include "drawing/json.hpp"

#include <nlohmann/json.hpp>

#include "topology/machine_json.hpp"

namespace charm::drawing {

nlohmann::ordered_json to_json(const Machine& machine) { return topology::machine_to_json(machine); }

std::string json_text(const Machine& machine) {
  return to_json(machine).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace charm::drawing
