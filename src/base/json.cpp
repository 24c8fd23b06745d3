#include "base/json.hpp"

#include <nlohmann/json.hpp>

namespace charm::base {

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace charm::base
