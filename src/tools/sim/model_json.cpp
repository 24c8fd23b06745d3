// The form of a model file: {"name", "title", "aliases", "shape_source", "sockets", "nodes_per_socket": [{"memory_gb",
// "chiplets": [{"count", "cores", "l3_mib"}]}], "memory_only_nodes_gb", "smt", "l2_kib", "costs": {name: [value,
// source]}}. "cores" is a number, or where some cores differ a list of {"count", "capacity", "smt", "l2_kib"}. In place
// of the shape, "machine" may name a product (topology/known_shapes.hpp). Every cost has to be there with its source: a
// number without one is an error.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/sim/model.hpp"
#include "topology/build.hpp"
#include "topology/known_shapes.hpp"

namespace charm::sim {
namespace {

using Json = base::Json;

constexpr double one_mib = 1024.0 * 1024.0, gb = 1024.0 * one_mib;

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw Error(Errc::bad_input, "machine model " + origin + ": " + what,
              "compare it with a built-in one: charm sim model epyc-7713");
}

int count_of(const Json& json, const char* key, const std::string& origin, int low, int high) {
  if (!json.at(key).is_number_integer()) refuse(origin, std::string(key) + " is not a whole number");
  const auto value = json.at(key).get<std::int64_t>();
  if (value < low || value > high) {
    refuse(origin, std::string(key) + " = " + std::to_string(value) + " is not from " + std::to_string(low) + " to " +
                       std::to_string(high));
  }
  return static_cast<int>(value);
}

std::uint64_t bytes_of(const Json& json, double unit, const std::string& what, const std::string& origin) {
  const double bytes = json.get<double>() * unit;
  if (!(bytes >= 0 && bytes <= 0x1p60)) refuse(origin, what + " is not a size");
  return static_cast<std::uint64_t>(std::llround(bytes));
}

using topology::Cores;
using topology::Shape;

std::uint64_t kib_of(const Json& json, const char* key, double unit, const std::string& origin) {
  return bytes_of(json.at(key), unit, key, origin) >> 10U;
}

/// The cores of one kind of a chiplet. \param json a number, or what differs.
void add_kind(Shape& shape, Cores group, const Json& json, const std::string& origin) {
  if (json.is_object()) {
    group.cores = count_of(json, "count", origin, 1, 1024);
    if (json.contains("capacity")) group.capacity = count_of(json, "capacity", origin, 1, 1024);
    if (json.contains("smt")) group.threads = count_of(json, "smt", origin, 1, 8);
    if (json.contains("l2_kib")) group.l2_kib = kib_of(json, "l2_kib", 1024, origin);
  } else {
    group.cores = count_of({{"cores", json}}, "cores", origin, 1, 1024);
  }
  shape.cores.push_back(group);
}

Shape shape_of(const Json& json, const std::string& origin) {
  Shape shape;
  shape.sockets = count_of(json, "sockets", origin, 1, 64);
  shape.threads = count_of(json, "smt", origin, 1, 8);
  shape.l2_kib = kib_of(json, "l2_kib", 1024, origin);
  if (shape.l2_kib < 1) refuse(origin, "l2_kib is less than 1");
  for (const Json& node : json.at("nodes_per_socket")) {
    const int id = static_cast<int>(shape.node_bytes.size());
    shape.node_bytes.push_back(bytes_of(node.at("memory_gb"), gb, "memory_gb", origin));
    if (node.at("chiplets").empty())
      refuse(origin, "a node has no chiplets; memory alone goes to memory_only_nodes_gb");
    for (const Json& die : node.at("chiplets")) {
      Cores group{.node = id,
                  .chiplets = count_of(die, "count", origin, 1, 256),
                  .l3_kib = kib_of(die, "l3_mib", one_mib, origin)};
      const Json& cores = die.at("cores");
      if (!cores.is_array()) {
        add_kind(shape, group, cores, origin);
        continue;
      }
      if (cores.empty()) refuse(origin, "a chiplet has no cores");
      // The kinds of one chiplet are written down chiplet by chiplet.
      for (int left = std::exchange(group.chiplets, 1); left > 0; --left) {
        for (const Json& kind : cores) {
          group.chiplets = &kind == &cores.front() ? 1 : 0;
          add_kind(shape, group, kind, origin);
        }
      }
    }
  }
  if (shape.node_bytes.empty()) refuse(origin, "nodes_per_socket is empty");
  long cores_of_socket = 0;
  for (const Cores& group : shape.cores)
    cores_of_socket += static_cast<long>(group.cores) * std::max(1, group.chiplets);
  if (cores_of_socket * shape.sockets > 16384) refuse(origin, "it has more than 16384 cores");
  if (json.contains("memory_only_nodes_gb")) {
    for (const Json& amount : json.at("memory_only_nodes_gb")) {
      shape.memory_only_bytes.push_back(bytes_of(amount, gb, "memory_only_nodes_gb", origin));
    }
  }
  return shape;
}

/// A product that "machine" names.
void take_product(Model& model, const std::string& name, const std::string& origin) {
  const auto named = topology::named_machine(name);
  if (!named) refuse(origin, "there is no product '" + name + "'; 'charm topo --products' lists them");
  model.name = name;
  model.title = topology::title_of(*named);
  std::istringstream aliases{std::string(named->shape->aliases)};
  for (std::string alias; aliases >> alias;) model.aliases.push_back(alias);
  model.shape_source = named->shape->source;
  model.machine = topology::build(topology::survey_of(*named));
}

/// A machine that the file describes itself.
void take_shape(Model& model, const Json& json, const std::string& origin) {
  model.name = json.at("name").get<std::string>();
  model.title = json.at("title").get<std::string>();
  if (json.contains("aliases")) model.aliases = json.at("aliases").get<std::vector<std::string>>();
  model.shape_source = json.at("shape_source").get<std::string>();
  topology::Survey survey = topology::survey_of(shape_of(json, origin));
  survey.name = model.title;
  survey.origin = "model:" + model.name;
  model.machine = topology::build(std::move(survey));
}

/// The cores of a chiplet by kind: a number where all are as the model's first core.
Json cores_json(const Machine& machine, const Chiplet& chiplet) {
  const Core& usual = machine.cores.front();
  const auto same = [](const Core& a, const Core& b) {
    return a.capacity == b.capacity && a.siblings.size() == b.siblings.size() && a.l2_bytes == b.l2_bytes;
  };
  Json kinds = Json::array();
  const Core* before = nullptr;
  bool usual_alone = usual.capacity == 1024;
  for (const int id : chiplet.cores) {
    const Core& core = machine.cores[static_cast<std::size_t>(id)];
    usual_alone = usual_alone && same(core, usual);
    if (before == nullptr || !same(core, *before)) {
      kinds.push_back(
          {{"count", 0}, {"capacity", core.capacity}, {"smt", core.siblings.size()}, {"l2_kib", core.l2_bytes / 1024}});
    }
    kinds.back()["count"] = kinds.back()["count"].get<int>() + 1;
    before = &core;
  }
  return usual_alone ? Json(chiplet.cores.size()) : kinds;
}

}  // namespace

Model parse_model(const std::string& text, const std::string& origin) {
  try {
    const Json json = Json::parse(text);
    Model model;
    if (json.contains("machine")) {
      take_product(model, json.at("machine").get<std::string>(), origin);
    } else {
      take_shape(model, json, origin);
    }
    const Json& costs = json.at("costs");
    for (const auto& field : cost_fields()) {
      const std::string name(field.name);
      if (!costs.contains(name)) refuse(origin, "the cost " + name + " is missing");
      Number& number = model.costs.*field.member;
      number = {costs.at(name).at(0).get<double>(), costs.at(name).at(1).get<std::string>()};
      if (!(number.value >= 0) || !(number.value <= 1e9)) refuse(origin, name + " is not a number from 0 to 1e9");
      if (number.source.empty()) refuse(origin, name + " has no source; write 'estimate' where it is one");
    }
    if (model.costs.mlp.value < 1 || model.costs.stream_mlp.value < 1 || model.costs.memory_read.value <= 0 ||
        model.costs.memory_mixed.value <= 0 || model.costs.issue_ns.value <= 0) {
      refuse(origin, "mlp and stream_mlp have to be 1 or more, memory_read, memory_mixed and issue_ns more than 0");
    }
    const bool has_far = std::any_of(model.machine.nodes.begin(), model.machine.nodes.end(),
                                     [](const Node& node) { return node.cpus.empty(); });
    if (has_far && (model.costs.far_dram_ns.value <= 0 || model.costs.far_memory.value <= 0)) {
      refuse(origin, "it has memory-only nodes: far_dram_ns and far_memory have to be more than 0");
    }
    return model;
  } catch (const nlohmann::json::exception& error) {
    refuse(origin, base::json_problem(error));
  }
}

std::string model_json(const Model& model) {
  const Machine& machine = model.machine;
  Json nodes = Json::array(), far = Json::array();
  for (const auto& node : machine.nodes) {
    if (node.cpus.empty()) far.push_back(static_cast<double>(node.bytes) / gb);
    if (node.socket != 0) continue;
    Json dies = Json::array();
    for (const auto& chiplet : machine.chiplets) {
      if (chiplet.node != node.id) continue;
      const Json cores = cores_json(machine, chiplet);
      const double l3 = static_cast<double>(chiplet.l3_bytes) / one_mib;
      if (!dies.empty() && dies.back()["cores"] == cores && dies.back()["l3_mib"] == l3) {
        dies.back()["count"] = dies.back()["count"].get<int>() + 1;
      } else {
        dies.push_back({{"count", 1}, {"cores", cores}, {"l3_mib", l3}});
      }
    }
    nodes.push_back({{"memory_gb", static_cast<double>(node.bytes) / gb}, {"chiplets", dies}});
  }
  Json costs = Json::object();
  for (const auto& field : cost_fields()) {
    const Number& number = model.costs.*field.member;
    costs[std::string(field.name)] = Json::array({number.value, number.source});
  }
  Json json = {{"name", model.name},
               {"title", model.title},
               {"aliases", model.aliases},
               {"shape_source", model.shape_source},
               {"sockets", machine.sockets.size()},
               {"nodes_per_socket", nodes}};
  if (!far.empty()) json["memory_only_nodes_gb"] = far;
  json["smt"] = machine.cores.front().siblings.size();
  json["l2_kib"] = machine.cores.front().l2_bytes / 1024;
  json["costs"] = costs;
  return base::json_text(json, 2) + "\n";
}

}  // namespace charm::sim
