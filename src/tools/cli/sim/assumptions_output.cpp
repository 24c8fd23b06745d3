#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/evaluate/assumptions.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
using Align = Column::Align;
using Kind = evaluate::Assumption::Kind;

const char* kind_name(Kind kind) {
  return kind == Kind::fitted ? "fitted" : kind == Kind::chosen ? "chosen" : "estimate";
}

std::vector<evaluate::Reproduction> all_figures() {
  std::vector<evaluate::Reproduction> all;
  for (const auto* each : evaluate::reproducible()) all.push_back(evaluate::reproduce(*each));
  return all;
}

}  // namespace

std::string assumptions_json(int jobs) {
  Json numbers = Json::array(), moved = Json::array(), crossed = Json::array();
  for (const auto& one : evaluate::assumptions()) {
    numbers.push_back({{"name", one.name},
                       {"value", sim::free_defaults.*one.member},
                       {"unit", one.unit},
                       {"kind", kind_name(one.kind)},
                       {"source", one.source}});
  }
  for (const auto& one : evaluate::sensitivities(evaluate::assumptions(), evaluate::dependent_experiments(), jobs)) {
    moved.push_back({{"name", one.assumption->name},
                     {"factor", one.factor},
                     {"hard", one.hard},
                     {"fallen", one.fallen},
                     {"predicted_fallen", one.predicted},
                     {"largest_change", one.largest_change},
                     {"changed_most", one.changed_most}});
  }
  for (const auto& one : evaluate::cross_validate(jobs)) {
    crossed.push_back({{"name", one.number},
                       {"fitted_to", one.fitted_to},
                       {"predicts", one.predicts},
                       {"value", one.value},
                       {"used", one.published},
                       {"error_there", one.error_there},
                       {"error", one.error},
                       {"shape_holds", one.shape_holds}});
  }
  const evaluate::BasisCount count = evaluate::count(all_figures());
  return base::json_text(Json{{"numbers", numbers},
                              {"moved", moved},
                              {"cross_validation", crossed},
                              {"points",
                               {{"predicted", count.predicted},
                                {"fitted", count.fitted},
                                {"assumed", count.assumed},
                                {"predicted_held", count.predicted_held}}}},
                         2) +
         "\n";
}

std::string assumptions_table(int jobs, bool colour) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& one : evaluate::sensitivities(evaluate::assumptions(), evaluate::dependent_experiments(), jobs)) {
    std::string fallen;
    for (const auto& point : one.fallen) fallen += (fallen.empty() ? "" : "; ") + point;
    rows.push_back({{std::string(one.assumption->name), "1"},
                    {base::three_digits(sim::free_defaults.*one.assumption->member), ""},
                    {kind_name(one.assumption->kind), ""},
                    {fmt::format("{:+.0f} %", 100 * (one.factor - 1)), ""},
                    {fmt::format("{} of {}", one.hard - static_cast<int>(one.fallen.size()), one.hard), ""},
                    {fmt::format("{:.0f} %", 100 * one.largest_change), ""},
                    {fallen.empty() ? "–" : fallen, ""},
                    {std::string(one.assumption->source), "2"}});
  }
  std::string out =
      "What the papers' figures say when a number moves:\n\n" + render_table({{"number"},
                                                                              {"value", Align::right},
                                                                              {"kind"},
                                                                              {"moved", Align::right},
                                                                              {"claimed points hold", Align::right},
                                                                              {"largest change", Align::right},
                                                                              {"points that fall"},
                                                                              {"source"}},
                                                                             rows, colour);
  rows.clear();
  for (const auto& one : evaluate::cross_validate(jobs)) {
    rows.push_back({{one.number, "1"},
                    {one.fitted_to, ""},
                    {base::three_digits(one.value), ""},
                    {base::three_digits(one.published), ""},
                    {fmt::format("{:.0f} %", 100 * one.error_there), ""},
                    {one.predicts, ""},
                    {fmt::format("{:.0f} %", 100 * one.error), ""},
                    {one.shape_holds ? "yes" : "no", one.shape_holds ? "" : "31"}});
  }
  out += "\nNumbers fitted to some points, and the error at others:\n\n" + render_table({{"number"},
                                                                                         {"fitted to"},
                                                                                         {"value", Align::right},
                                                                                         {"used", Align::right},
                                                                                         {"error there", Align::right},
                                                                                         {"predicts"},
                                                                                         {"error", Align::right},
                                                                                         {"shares within .15"}},
                                                                                        rows, colour);
  const evaluate::BasisCount count = evaluate::count(all_figures());
  return out +
         fmt::format(
             "\n{} of {} points are predicted, {} fitted, {} assumed; {} of the predicted agree with the paper.\n",
             count.predicted, count.all(), count.fitted, count.assumed, count.predicted_held);
}

}  // namespace charm::cli
