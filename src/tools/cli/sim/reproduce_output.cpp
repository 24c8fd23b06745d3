#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/evaluate/assumptions.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::cli {

using Json = base::Json;
using Align = Column::Align;
using evaluate::Point;

namespace {

const char* basis_name(evaluate::Basis basis) {
  return basis == evaluate::Basis::fitted ? "fitted" : basis == evaluate::Basis::assumed ? "assumed" : "predicted";
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string shown(const std::optional<double>& value) { return value ? base::three_digits(*value) : "–"; }

std::string deviation(const Point& point) {
  if (!point.predicted || !point.published) return "–";
  return fmt::format("{:+.0f} %", 100 * (*point.predicted / *point.published - 1));
}

/// How the point came out; where nothing is claimed, whether it is near what is published.
std::string outcome(const Point& point) {
  if (point.expect != evaluate::Expect::nothing)
    return std::string(evaluate::words(evaluate::predicted_outcome(point)));
  const auto near = evaluate::near_published(point);
  return near ? *near ? "near" : "off" : "";
}

Json point_json(const evaluate::Reproduction& of, const Point& point) {
  return {{"experiment", of.experiment->name},      {"series", point.series},    {"x", point.x},
          {"expect", evaluate::name(point.expect)}, {"bound", point.bound},      {"published", number(point.published)},
          {"model", number(point.predicted)},       {"outcome", outcome(point)}, {"source", point.source},
          {"basis", basis_name(point.basis)}};
}

}  // namespace

std::string reproduce_json(const std::vector<evaluate::Reproduction>& all) {
  Json claims = Json::array(), points = Json::array(), notes = Json::array();
  for (const auto& each : all) {
    claims.push_back({{"experiment", each.experiment->name},
                      {"paper", each.experiment->paper},
                      {"claim", each.experiment->claim},
                      {"finding", evaluate::name(each.verdict.finding)},
                      {"why", each.verdict.why}});
    for (const Point& point : each.plan.points) points.push_back(point_json(each, point));
    for (const auto& text : each.plan.notes) notes.push_back({{"experiment", each.experiment->name}, {"text", text}});
  }
  const Json fitted = {{"streamcluster_turns", sim::free_defaults.streamcluster_turns},
                       {"streamcluster_fresh", sim::free_defaults.streamcluster_fresh},
                       {"blind_writes", sim::free_defaults.blind_writes}};
  return base::json_text(Json{{"claims", claims}, {"points", points}, {"not_captured", notes}, {"fitted", fitted}}, 2) +
         "\n";
}

std::string reproduce_table(const std::vector<evaluate::Reproduction>& all, bool colour) {
  std::string out;
  evaluate::Tally tally;
  for (const auto& each : all) {
    std::vector<std::vector<Cell>> rows;
    for (const Point& point : each.plan.points) {
      const bool against = point.expect != evaluate::Expect::nothing && !evaluate::agrees(point);
      rows.push_back({{point.series, ""},
                      {base::three_digits(point.x), ""},
                      {shown(point.published), ""},
                      {shown(point.predicted), ""},
                      {deviation(point), ""},
                      {evaluate::expected_text(point), ""},
                      {outcome(point), against ? "31" : ""},
                      {basis_name(point.basis), point.basis == evaluate::Basis::predicted ? "" : "2"},
                      {point.source, "2"}});
    }
    out += fmt::format("{} ({}): {}\n{}\n{} by {}\n\n", each.experiment->name, each.experiment->paper,
                       each.experiment->title, each.experiment->claim, each.plan.y, each.plan.x) +
           render_table({{"series"},
                         {each.plan.x, Align::right},
                         {"paper", Align::right},
                         {"model", Align::right},
                         {"deviation", Align::right},
                         {"claimed"},
                         {""},
                         {"basis"},
                         {"source"}},
                        rows, colour) +
           fmt::format("\nBy the model {}: {}.\n", evaluate::words(each.verdict.finding), each.verdict.why);
    if (!each.plan.notes.empty()) out += "Not captured, or different:\n";
    for (const auto& text : each.plan.notes) out += "  - " + text + "\n";
    out += "\n";
    tally.add(each.verdict.finding);
  }
  const evaluate::BasisCount count = evaluate::count(all);
  out += fmt::format("{} of {} points are predicted, {} fitted, {} assumed.\n", count.predicted, count.all(),
                     count.fitted, count.assumed);
  out += fmt::format(
      "Fitted over all figures: streamcluster_turns = {}, streamcluster_fresh = {}, blind_writes = {}.\n",
      sim::free_defaults.streamcluster_turns, sim::free_defaults.streamcluster_fresh, sim::free_defaults.blind_writes);
  return out + "By the model, of the claims: " + evaluate::text_of(tally) + ".\n";
}

}  // namespace charm::cli
