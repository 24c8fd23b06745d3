#include "base/json.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"

namespace charm::base {

void refuse_number(const std::string& number, const std::string& least, const std::string& most) {
  const std::string what = number + " is no whole number from " + least + " to " + most;
  throw nlohmann::json::out_of_range::create(406, what, nullptr);
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_problem(const std::exception& error) {
  std::string what = error.what();
  if (what.starts_with("[json.exception.")) what.erase(0, what.find("] ") + 2);
  constexpr std::string_view key = "key ", not_found = " not found", type = "type must be ", but = ", but is ",
                             cannot = "cannot use ", with = " with ";
  const auto at = what.rfind(what.starts_with(type) ? but : with);
  if (what.starts_with(key) && what.ends_with(not_found)) {
    what = "the member " + what.substr(key.size(), what.size() - key.size() - not_found.size()) + " is missing";
  } else if (what.starts_with(type) && at != std::string::npos) {
    what = what.substr(at + but.size()) + " where " + what.substr(type.size(), at - type.size()) + " is expected";
  } else if (what.starts_with(cannot) && at != std::string::npos) {
    what = what.substr(at + with.size()) + " where a list or members are expected";
  }
  return printable(what);
}

}  // namespace charm::base
