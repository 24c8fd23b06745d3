#include "tools/sim/model.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "controller/known_machines.hpp"
#include "tools/sim/embedded.hpp"
#include "tools/sim/from_profile.hpp"
#include "topology/build.hpp"
#include "topology/known_shapes.hpp"

namespace charm::sim {
namespace {

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

namespace {

/// The most similar model that has several sockets, or any that has.
const Model& with_several_sockets(Machine machine) {
  machine.name = controller::maker_of(machine.name);  // not the processor itself
  const std::string_view similar = controller::most_similar(machine).name;
  const auto& all = models();
  const auto has_link = [](const Model& m) { return m.costs.socket_link.value > 0; };
  const auto like =
      std::find_if(all.begin(), all.end(), [&](const Model& m) { return m.name == similar && has_link(m); });
  return like != all.end() ? *like : *std::find_if(all.begin(), all.end(), has_link);
}

/// A product by name. Costs are those of the model of the same product, or else of the most similar machine; what lies
/// between sockets is of the most similar machine that has several.
Model model_of(const topology::NamedMachine& named) {
  const auto& all = models();
  auto same = std::find_if(all.begin(), all.end(), [&](const Model& m) { return m.name == named.shape->name; });
  if (same == all.end()) {
    same = std::find_if(all.begin(), all.end(), [&](const Model& m) {
      const auto its = topology::named_machine(m.name);
      return its && its->shape->product == named.shape->product;
    });
  }
  if (same == all.end()) return estimated_model(topology::build(topology::survey_of(named)));
  if (static_cast<int>(same->machine.sockets.size()) == named.sockets) return *same;
  Model out = *same;
  out.name = std::to_string(named.sockets) + "x" + std::string(named.shape->name);
  out.title = topology::title_of(named);
  out.aliases.clear();
  out.machine = topology::build(topology::survey_of(named));
  if (named.sockets == 1) {
    out.costs.socket_link = {0, "none: one socket"};
  } else if (out.costs.socket_link.value <= 0) {
    const Model& like = with_several_sockets(out.machine);
    out.costs.socket_link = {like.costs.socket_link.value, "estimate, as on " + like.name};
  }
  return out;
}

}  // namespace

Model model(std::string_view name_or_file) {
  const std::string path(name_or_file);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::path(path).extension() == ".json") {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return is_profile(text) ? model_of_profile(probe::parse_profile(text, path)) : parse_model(text, path);
  }
  const bool file = std::filesystem::exists(path, error);
  if (const auto named = topology::named_machine(path); named && !file) return model_of(*named);
  if (file || path.find(':') != std::string::npos) return estimated_model(Machine::from(path));
  throw Error(
      Errc::bad_input, "there is no machine model '" + path + "'",
      "give a model's file, an hwloc XML file or synthetic string, or " + std::string(topology::naming_products));
}

}  // namespace charm::sim
