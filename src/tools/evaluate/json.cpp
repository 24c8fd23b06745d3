#include "tools/evaluate/json.hpp"

#include <charm/error.hpp>

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::evaluate {
namespace {

using base::Json;

constexpr int format_version = 1;

Json optional_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json point_json(const Point& point) {
  Json json = {{"series", point.series},
               {"x", point.x},
               {"first", point.first},
               {"second", point.second},
               {"expect", name(point.expect)},
               {"bound", point.bound},
               {"published", optional_json(point.published)},
               {"source", point.source},
               {"predicted", optional_json(point.predicted)}};
  if (point.measured) {
    const compare::Ratio& ratio = *point.measured;
    json["measured"] = {{"value", ratio.value},
                        {"low95", ratio.at95.low},
                        {"high95", ratio.at95.high},
                        {"low99", ratio.at99.low},
                        {"high99", ratio.at99.high}};
  } else {
    json["measured"] = nullptr;
  }
  json["unit"] = point.unit;
  json["outcome"] = name(point.outcome);
  return json;
}

Json result_json(const Result& result) {
  Json points = Json::array(), samples = Json::array();
  for (const Point& point : result.plan.points) points.push_back(point_json(point));
  for (const Samples& each : result.samples) {
    samples.push_back(
        {{"name", each.name}, {"unit", each.unit}, {"more_is_better", each.more_is_better}, {"values", each.values}});
    if (each.decisions) samples.back()["decisions"] = *each.decisions;
  }
  return {{"name", result.name},
          {"title", result.title},
          {"claim", result.claim},
          {"paper", result.paper},
          {"published", result.published},
          {"state", name(result.state)},
          {"verdict", {{"finding", name(result.verdict.finding)}, {"why", result.verdict.why}}},
          {"x", result.plan.x},
          {"y", result.plan.y},
          {"points", points},
          {"samples", samples},
          {"notes", result.plan.notes},
          {"problems", result.problems},
          {"disturbances", result.disturbances},
          {"seconds", result.seconds}};
}

/// The enumerator that `name()` calls `word`. \throws what nlohmann-json throws, to be reported with the file.
template <class E, std::size_t count>
E named(const Json& json, const std::array<E, count>& all) {
  const auto word = json.get<std::string>();
  for (const E each : all) {
    if (name(each) == word) return each;
  }
  throw Error(Errc::bad_input, "'" + word + "' is unknown", "");
}

std::optional<double> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

Point point_of(const Json& json) {
  Point point;
  point.series = json.at("series").get<std::string>();
  point.x = json.at("x").get<double>();
  point.first = json.at("first").get<std::string>();
  point.second = json.at("second").get<std::string>();
  point.expect = named(json.at("expect"),
                       std::array{Expect::ahead, Expect::at_least, Expect::at_most, Expect::equal, Expect::nothing});
  point.bound = json.at("bound").get<double>();
  point.published = optional_of(json.at("published"));
  point.source = json.at("source").get<std::string>();
  point.predicted = optional_of(json.at("predicted"));
  if (const Json& measured = json.at("measured"); !measured.is_null()) {
    point.measured = compare::Ratio{measured.at("value").get<double>(),
                                    {measured.at("low95").get<double>(), measured.at("high95").get<double>()},
                                    {measured.at("low99").get<double>(), measured.at("high99").get<double>()}};
  }
  point.unit = json.at("unit").get<std::string>();
  point.outcome = named(json.at("outcome"), std::array{Outcome::holds, Outcome::smaller, Outcome::fails, Outcome::tie,
                                                       Outcome::unclear, Outcome::not_measured, Outcome::reported});
  return point;
}

Result result_of(const Json& json) {
  Result result;
  result.name = json.at("name").get<std::string>();
  result.title = json.at("title").get<std::string>();
  result.claim = json.at("claim").get<std::string>();
  result.paper = json.at("paper").get<std::string>();
  result.published = json.at("published").get<std::string>();
  result.state = named(json.at("state"), std::array{State::planned, State::unmet, State::measured});
  result.verdict.finding =
      named(json.at("verdict").at("finding"),
            std::array{Finding::confirmed, Finding::smaller, Finding::not_confirmed, Finding::cannot_tell});
  result.verdict.why = json.at("verdict").at("why").get<std::string>();
  result.plan.x = json.at("x").get<std::string>();
  result.plan.y = json.at("y").get<std::string>();
  for (const Json& each : json.at("points")) result.plan.points.push_back(point_of(each));
  for (const Json& each : json.at("samples")) {
    result.samples.push_back({each.at("name").get<std::string>(), each.at("unit").get<std::string>(),
                              each.at("more_is_better").get<bool>(), each.at("values").get<std::vector<double>>()});
    if (each.contains("decisions")) result.samples.back().decisions = each.at("decisions").get<std::uint64_t>();
  }
  result.plan.notes = json.at("notes").get<std::vector<std::string>>();
  result.problems = json.at("problems").get<std::vector<std::string>>();
  result.disturbances = json.at("disturbances").get<std::vector<std::string>>();
  result.seconds = json.at("seconds").get<double>();
  return result;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  const MachineFacts& machine = evaluation.machine;
  Json others = Json::object();
  for (const auto& [what, text] : machine.others) others[what] = text;
  Json results = Json::array();
  for (const Result& result : evaluation.results) results.push_back(result_json(result));
  const Json all = {{"charm_evaluation", format_version},
                    {"version", evaluation.version},
                    {"command", evaluation.command},
                    {"started", evaluation.started},
                    {"finished", evaluation.finished.empty() ? Json() : Json(evaluation.finished)},
                    {"machine",
                     {{"name", machine.name},
                      {"host", machine.host},
                      {"cores", machine.cores},
                      {"chiplets", machine.chiplets},
                      {"nodes", machine.nodes},
                      {"sockets", machine.sockets},
                      {"facts", others},
                      {"key", machine.key}}},
                    {"extent", name(evaluation.extent)},
                    {"only", evaluation.only},
                    {"seed", evaluation.seed},
                    {"predicted_by", evaluation.predicted_by},
                    {"conditions", evaluation.conditions},
                    {"experiments", results}};
  return base::json_text(all, 1) + "\n";
}

Evaluation from_json(const std::string& text, const std::string& file) {
  const std::string remedy = "give an evaluation.json that charm evaluate wrote";
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("charm_evaluation"))
      throw Error(Errc::bad_input, "'" + file + "' is no evaluation", remedy);
    if (const int version = json.at("charm_evaluation").get<int>(); version != format_version) {
      throw Error(Errc::bad_input, "'" + file + "' has the format " + std::to_string(version) + ", which is unknown",
                  "evaluate again with this version");
    }
    Evaluation evaluation;
    evaluation.version = json.at("version").get<std::string>();
    evaluation.command = json.at("command").get<std::string>();
    evaluation.started = json.at("started").get<std::string>();
    if (!json.at("finished").is_null()) evaluation.finished = json.at("finished").get<std::string>();
    const Json& machine = json.at("machine");
    evaluation.machine.name = machine.at("name").get<std::string>();
    evaluation.machine.host = machine.at("host").get<std::string>();
    evaluation.machine.cores = machine.at("cores").get<int>();
    evaluation.machine.chiplets = machine.at("chiplets").get<int>();
    evaluation.machine.nodes = machine.at("nodes").get<int>();
    evaluation.machine.sockets = machine.at("sockets").get<int>();
    for (const auto& [what, value] : machine.at("facts").items())
      evaluation.machine.others.emplace_back(what, value.get<std::string>());
    evaluation.machine.key = machine.at("key").get<std::string>();
    evaluation.extent = named(json.at("extent"), std::array{Extent::quick, Extent::full});
    evaluation.only = json.at("only").get<std::vector<std::string>>();
    evaluation.seed = json.at("seed").get<std::uint64_t>();
    evaluation.predicted_by = json.at("predicted_by").get<std::string>();
    evaluation.conditions = json.at("conditions").get<std::vector<std::string>>();
    for (const Json& each : json.at("experiments")) evaluation.results.push_back(result_of(each));
    return evaluation;
  } catch (const nlohmann::json::exception& error) {
    throw Error(Errc::bad_input, "'" + file + "' is no evaluation: " + base::json_problem(error), remedy);
  } catch (const Error& error) {
    if (error.remedy().empty()) throw Error(Errc::bad_input, "'" + file + "': " + error.what(), remedy);
    throw;
  }
}

}  // namespace charm::evaluate
