#include "tools/selector_training/graph_plan.hpp"

#include <charm/error.hpp>

#include <numeric>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/bounded_file.hpp"

namespace charm::selector_training {

using base::Json;

std::size_t GraphPlan::edges() const {
  return std::accumulate(nodes.begin(), nodes.end(), std::size_t{0},
                         [](std::size_t sum, const Node& node) { return sum + node.after.size(); });
}
std::uint64_t GraphPlan::work() const {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Node& node) { return sum + node.work; });
}

Json plan_json(const GraphPlan& plan) {
  Json kind = Json::array(), work = Json::array(), after = Json::array(), choices = Json::array();
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const GraphPlan::Node& node = plan.nodes[i];
    kind.push_back(node.kind);
    work.push_back(node.work);
    after.push_back(node.after);
    if (node.choice >= 0) choices.push_back(Json::array({i, node.choice}));
  }
  return {
      {"id", plan.id},           {"family", plan.family},     {"kinds", plan.kinds},          {"kind", std::move(kind)},
      {"work", std::move(work)}, {"after", std::move(after)}, {"choices", std::move(choices)}};
}

namespace {

std::uint32_t number_below(const Json& json, std::uint64_t limit, const std::string& what) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() >= limit)
    throw std::invalid_argument(what + " that is not a whole number below " + std::to_string(limit));
  return json.get<std::uint32_t>();
}

const Json& list_of(const Json& json, const char* name, std::size_t size) {
  const Json& list = json.at(name);
  if (!list.is_array() || list.size() != size)
    throw std::invalid_argument("a list '" + std::string(name) + "' that has not one entry for each node");
  return list;
}

}  // namespace

GraphPlan plan_from(const Json& json, const std::string& origin) {
  try {
    GraphPlan plan;
    plan.id = json.at("id").get<std::string>();
    plan.family = json.at("family").get<std::string>();
    plan.kinds = json.at("kinds").get<std::vector<std::string>>();
    if (plan.id.empty() || plan.family.empty()) throw std::invalid_argument("a graph without an id or a family");
    if (plan.kinds.empty() || plan.kinds.size() > most_plan_kinds)
      throw std::invalid_argument("no kinds, or more than " + std::to_string(most_plan_kinds));
    const std::size_t size = json.at("kind").size();
    if (size == 0 || size > most_plan_nodes)
      throw std::invalid_argument("no nodes, or more than " + std::to_string(most_plan_nodes));
    const Json &kind = list_of(json, "kind", size), &work = list_of(json, "work", size),
               &after = list_of(json, "after", size);
    plan.nodes.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      GraphPlan::Node& node = plan.nodes[i];
      const std::string here = "node " + std::to_string(i) + " with ";
      node.kind = number_below(kind[i], plan.kinds.size(), here + "a kind");
      node.work = number_below(work[i], std::uint64_t{most_work} + 1, here + "work");
      for (const Json& to : after[i]) node.after.push_back(number_below(to, size, here + "an edge to a node"));
    }
    for (const Json& choice : json.at("choices")) {
      GraphPlan::Node& node = plan.nodes[number_below(choice.at(0), size, "a choice of a node")];
      node.choice = static_cast<std::int32_t>(number_below(choice.at(1), node.after.size(), "a choice of an edge"));
    }
    return plan;
  } catch (const std::invalid_argument& error) {
    throw Error(Errc::bad_input, origin + " has " + error.what(), "docs/design/graph-selectors.md has the format");
  } catch (const Json::exception& error) {
    throw Error(Errc::bad_input, origin + " is no task graph: " + base::json_problem(error),
                "docs/design/graph-selectors.md has the format");
  }
}

Json file_header(const std::string& what) { return {{"charm_task_dag", what}, {"version", 1}}; }

std::vector<Json> read_lines(const std::string& path, const std::string& what, bool may_end_early) {
  const os::BoundedText read = os::read_bounded(path, {.bytes = std::size_t{2} << 30U});
  const std::string maker = what == "labels" ? "label" : "generate";
  if (!read.problem.empty())
    throw Error(Errc::bad_input, path + " cannot be read: it " + read.problem,
                "give a file that `charm batch " + maker + "` has written");
  std::vector<Json> lines;
  for (std::size_t begin = 0, number = 1; begin < read.text.size(); ++number) {
    const std::size_t end = std::min(read.text.find('\n', begin), read.text.size());
    const Json line = Json::parse(read.text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  read.text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (line.is_discarded()) {
      if (may_end_early && end == read.text.size()) break;
      throw Error(Errc::bad_input, path + ", line " + std::to_string(number) + " is no JSON",
                  "remove the line, or make the file again");
    }
    lines.push_back(line);
    begin = end + 1;
  }
  // Compared, not converted: a member of another type is a wrong one.
  const auto says = [&lines](const char* member, const Json& wanted) {
    const auto found = lines.front().find(member);
    return found != lines.front().end() && *found == wanted;
  };
  if (lines.empty() || !lines.front().is_object() || !says("charm_task_dag", what))
    throw Error(Errc::bad_input, path + " has no " + what + " of `charm batch`",
                "give a file that `charm batch " + maker + "` has written");
  if (!says("version", 1))
    throw Error(Errc::bad_input, path + " is of a version other than 1", "make it again with this version");
  return lines;
}

}  // namespace charm::selector_training
