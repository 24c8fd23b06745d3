#include "tools/machine_view/json.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "topology/machine_json.hpp"

namespace charm::machine_view {

base::Json to_json(const Machine& machine) { return topology::machine_to_json(machine); }

std::string json_text(const Machine& machine) { return base::json_text(to_json(machine), 2) + '\n'; }

}  // namespace charm::machine_view
