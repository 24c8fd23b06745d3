#include "tools/sim/model.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/sim/embedded.hpp"
#include "tools/sim/from_profile.hpp"

namespace charm::sim {
namespace {

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string names() {
  std::string all;
  for (const auto& m : models()) all += (all.empty() ? "" : ", ") + m.name;
  return all;
}

bool is_profile(const std::string& text) {
  const auto json = base::SortedJson::parse(text, nullptr, false);
  return json.is_object() && json.contains("charm_profile");
}

}  // namespace

double Model::transfer_ns(int core_a, int core_b) const {
  const double distance = machine.distance(core_a, core_b);
  if (distance < 0.5) return costs.l2_ns.value;
  if (distance < 1.5) return costs.same_chiplet_ns.value;
  if (distance < 2.5) return costs.other_chiplet_ns.value;
  return distance < 3.5 ? costs.other_node_ns.value : costs.other_socket_ns.value;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> list;
    for (const auto& file : embedded_machines())
      list.push_back(parse_model(std::string(file.text), std::string(file.name)));
    return list;
  }();
  return all;
}

Model model(std::string_view name_or_file) {
  const std::string wanted = plain(name_or_file);
  for (const auto& m : models()) {
    if (plain(m.name) == wanted) return m;
    for (const auto& alias : m.aliases) {
      if (plain(alias) == wanted) return m;
    }
  }
  const std::string path(name_or_file);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::path(path).extension() == ".json") {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return is_profile(text) ? model_of_profile(probe::parse_profile(text, path)) : parse_model(text, path);
  }
  if (std::filesystem::exists(path, error) || path.find(':') != std::string::npos) {
    return estimated_model(Machine::from(path));
  }
  throw Error(Errc::bad_input, "there is no machine model '" + path + "'",
              "give a model's file, an hwloc XML file or synthetic string, or one of " + names());
}

}  // namespace charm::sim
