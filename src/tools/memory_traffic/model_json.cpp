#include "tools/memory_traffic/model_json.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/choice.hpp"
#include "base/json.hpp"
#include "os/files/bounded_file.hpp"
#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {

constexpr auto choices(Level /*unused*/) {
  return std::array{base::Choice{Level::machine, "machine"}, base::Choice{Level::socket, "socket"},
                    base::Choice{Level::node, "node"}};
}

namespace {

using base::Json;

/// Reads one object and knows where it stands, for errors: "model.json: domains[2]: ...".
class Reading {
 public:
  Reading(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) refuse("is no object");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Errc::bad_input, where_ + ": " + what, "see docs/design/malloc.md for the keys of a model file");
  }

  /// A misspelt key would be a bandwidth that silently limits nothing.
  void only(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse("'" + key + "' is no key of it");
    }
  }

  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] double number(const char* key, double otherwise) const {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_number()) refuse("'" + std::string(key) + "' is no number");
    return found->get<double>();
  }
  [[nodiscard]] double number(const char* key) const {
    if (find(key) == nullptr) refuse("'" + std::string(key) + "' is missing");
    return number(key, 0);
  }
  [[nodiscard]] int id(const char* key, int otherwise) const {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_number_unsigned() || *found > 65535) refuse("'" + std::string(key) + "' is no number of a node");
    return found->get<int>();
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json* found = find(key);
    if (found == nullptr) return "";
    if (!found->is_string()) refuse("'" + std::string(key) + "' is no text");
    return found->get<std::string>();
  }
  [[nodiscard]] const Json& list(const char* key) const {
    const Json* found = find(key);
    if (found == nullptr || !found->is_array()) refuse("'" + std::string(key) + "' is no list");
    return *found;
  }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  const Json& json_;
  std::string where_;
};

int domain_named(const Model& model, const Reading& reading, const char* key) {
  const std::string name = reading.text(key);
  for (std::size_t d = 0; d < model.domains.size(); ++d) {
    if (model.domains[d].name == name) return static_cast<int>(d);
  }
  reading.refuse("'" + std::string(key) + "' is '" + name + "', which is no domain above it");
}

Domain read_domain(const Model& model, const Reading& reading) {
  reading.only({"name", "level", "in", "out_gb_per_s", "in_gb_per_s", "hop_ns", "bus", "cpus_of_node"});
  Domain domain;
  domain.name = reading.text("name");
  const std::string level = reading.text("level");
  const auto known = base::choice_named<Level>(level);
  if (!known) reading.refuse("'level' is '" + level + "'; machine, socket and node are levels");
  domain.level = *known;
  if (!model.domains.empty()) domain.parent = domain_named(model, reading, "in");
  domain.out_gb_per_s = reading.number("out_gb_per_s", unlimited);
  domain.in_gb_per_s = reading.number("in_gb_per_s", unlimited);
  domain.hop_ns = reading.number("hop_ns", 0);
  domain.bus = reading.text("bus");
  domain.os_node = reading.id("cpus_of_node", -1);
  return domain;
}

Memory read_memory(const Model& model, const Reading& reading) {
  reading.only({"node", "in", "gb_per_s", "latency_ns", "controller"});
  if (reading.find("node") == nullptr) reading.refuse("'node' is missing");
  Memory memory;
  memory.os_node = reading.id("node", -1);
  memory.domain = domain_named(model, reading, "in");
  memory.gb_per_s = reading.number("gb_per_s");
  memory.latency_ns = reading.number("latency_ns");
  memory.controller = reading.text("controller");
  return memory;
}

LoadFit read_load(const Reading& reading) {
  reading.only({"type", "coefficients", "error", "least_traffic_gb_per_s", "most_traffic_gb_per_s"});
  LoadFit load;
  load.type = reading.text("type");
  for (const Json& each : reading.list("coefficients")) {
    if (!each.is_number()) reading.refuse("a coefficient is no number");
    load.fit.coefficients.push_back(each.get<double>());
  }
  load.fit.error = reading.number("error", 0);
  load.fit.lowest = reading.number("least_traffic_gb_per_s", 0);
  load.fit.highest = reading.number("most_traffic_gb_per_s");
  return load;
}

std::string item(const std::string& name, const char* list, std::size_t index) {
  return name + ": " + list + "[" + std::to_string(index) + "]";
}

}  // namespace

std::string model_to_json(const Model& model) {
  Json json;
  json["charm_traffic_model"] = model_version;
  json["name"] = model.name;
  if (!model.date.empty()) json["date"] = model.date;
  if (model.core_gb_per_s > 0) json["core_gb_per_s"] = model.core_gb_per_s;
  json["domains"] = Json::array();
  for (const Domain& domain : model.domains) {
    Json one{{"name", domain.name}, {"level", base::word_of(domain.level)}};
    if (domain.parent >= 0) one["in"] = model.domains[at(domain.parent)].name;
    if (domain.out_gb_per_s != unlimited) one["out_gb_per_s"] = domain.out_gb_per_s;
    if (domain.in_gb_per_s != unlimited) one["in_gb_per_s"] = domain.in_gb_per_s;
    if (domain.hop_ns > 0) one["hop_ns"] = domain.hop_ns;
    if (!domain.bus.empty()) one["bus"] = domain.bus;
    if (domain.os_node >= 0) one["cpus_of_node"] = domain.os_node;
    json["domains"].push_back(std::move(one));
  }
  json["memories"] = Json::array();
  for (const Memory& memory : model.memories) {
    Json one{{"node", memory.os_node},
             {"in", model.domains[at(memory.domain)].name},
             {"gb_per_s", memory.gb_per_s},
             {"latency_ns", memory.latency_ns}};
    if (!memory.controller.empty()) one["controller"] = memory.controller;
    json["memories"].push_back(std::move(one));
  }
  if (!model.loads.empty()) json["under_load"] = Json::array();
  for (const LoadFit& load : model.loads) {
    json["under_load"].push_back({{"type", load.type},
                                  {"coefficients", load.fit.coefficients},
                                  {"error", load.fit.error},
                                  {"least_traffic_gb_per_s", load.fit.lowest},
                                  {"most_traffic_gb_per_s", load.fit.highest}});
  }
  json["notes"] = model.notes;
  return base::json_text(json, 2) + "\n";
}

Model model_from_json(const std::string& text, const std::string& name) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(Errc::bad_input, name + ": no JSON: " + base::json_problem(error),
                "give a file that 'charm malloc profile' wrote");
  }
  const Reading reading(json, name);
  reading.only({"charm_traffic_model", "name", "date", "core_gb_per_s", "domains", "memories", "under_load", "notes"});
  if (reading.number("charm_traffic_model", 0) != model_version) {
    reading.refuse("no model of version " + std::to_string(model_version) +
                   ": 'charm_traffic_model' is missing or another");
  }
  Model model;
  model.name = reading.text("name");
  model.date = reading.text("date");
  model.core_gb_per_s = reading.number("core_gb_per_s", 0);
  const Json& domains = reading.list("domains");
  for (std::size_t i = 0; i < domains.size(); ++i)
    model.domains.push_back(read_domain(model, Reading(domains[i], item(name, "domains", i))));
  const Json& memories = reading.list("memories");
  for (std::size_t i = 0; i < memories.size(); ++i)
    model.memories.push_back(read_memory(model, Reading(memories[i], item(name, "memories", i))));
  if (reading.find("under_load") != nullptr) {
    const Json& loads = reading.list("under_load");
    for (std::size_t i = 0; i < loads.size(); ++i)
      model.loads.push_back(read_load(Reading(loads[i], item(name, "under_load", i))));
  }
  if (reading.find("notes") != nullptr) {
    for (const Json& note : reading.list("notes")) {
      if (!note.is_string()) reading.refuse("a note is no text");
      model.notes.push_back(note.get<std::string>());
    }
  }
  std::sort(model.memories.begin(), model.memories.end(),
            [](const Memory& a, const Memory& b) { return a.os_node < b.os_node; });
  check(model, name);
  return model;
}

Model read_model(const std::string& path) {
  const os::BoundedText file = os::read_bounded(path);
  if (!file.problem.empty() || file.text.empty())
    throw Error(Errc::bad_input,
                "the model file '" + path + "' " + (file.problem.empty() ? std::string("is empty") : file.problem),
                "write one with 'charm malloc profile'");
  return model_from_json(file.text, path);
}

}  // namespace charm::memory_traffic
