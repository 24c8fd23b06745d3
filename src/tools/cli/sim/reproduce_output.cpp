#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/sim/assumptions.hpp"

namespace charm::cli {

using Json = base::Json;
using Align = Column::Align;

namespace {
const char* basis_name(sim::Basis basis) {
  return basis == sim::Basis::fitted ? "fitted" : basis == sim::Basis::assumed ? "assumed" : "predicted";
}

std::string signed_percent(double model, double paper) {
  return paper != 0 ? fmt::format("{:+.0f} %", 100 * (model / paper - 1)) : "–";
}
}  // namespace

std::string reproduce_json(const std::vector<sim::Reproduction>& figures) {
  Json points = Json::array(), notes = Json::array(), fitted = Json::object();
  for (const auto& figure : figures) {
    for (const auto& p : figure.points) {
      points.push_back({{"figure", figure.figure},
                        {"series", p.series},
                        {"x", p.x},
                        {"paper", p.order() ? Json() : Json(p.paper)},
                        {"model", p.model},
                        {"hard", p.hard},
                        {"holds", p.holds},
                        {"claim", p.claim},
                        {"source", p.source},
                        {"basis", basis_name(p.basis)}});
    }
    for (const auto& text : figure.not_captured) notes.push_back({{"figure", figure.figure}, {"text", text}});
  }
  fitted["streamcluster_turns"] = sim::free_defaults.streamcluster_turns;
  fitted["streamcluster_fresh"] = sim::free_defaults.streamcluster_fresh;
  fitted["blind_writes"] = sim::free_defaults.blind_writes;
  return base::json_text(Json{{"points", points}, {"not_captured", notes}, {"fitted", fitted}}, 2) + "\n";
}

std::string reproduce_table(const std::vector<sim::Reproduction>& figures, bool colour) {
  std::string out;
  for (const auto& figure : figures) {
    std::vector<std::vector<Cell>> rows;
    int hard = 0, held = 0;
    for (const auto& p : figure.points) {
      hard += p.hard ? 1 : 0;
      held += p.hard && p.holds ? 1 : 0;
      const std::string verdict = p.hard ? (p.holds ? "holds" : "FAILS") : (p.holds ? "near" : "off");
      rows.push_back({{p.series, ""},
                      {base::three_digits(p.x), ""},
                      {p.order() ? "order" : base::three_digits(p.paper), ""},
                      {base::three_digits(p.model), ""},
                      {p.order() ? "–" : signed_percent(p.model, p.paper), ""},
                      {verdict, p.hard && !p.holds ? "31" : ""},
                      {basis_name(p.basis), p.basis == sim::Basis::predicted ? "" : "2"},
                      {p.hard ? p.claim : "magnitude", ""},
                      {p.source, "2"}});
    }
    out += figure.figure + ": " + figure.title + "\n" + figure.y + " by " + figure.x + "\n\n" +
           render_table({{"series"},
                         {figure.x, Align::right},
                         {"paper", Align::right},
                         {"model", Align::right},
                         {"deviation", Align::right},
                         {""},
                         {"basis"},
                         {"what is claimed"},
                         {"source"}},
                        rows, colour) +
           fmt::format("\n{} of {} hard points hold.\nNot captured:\n", held, hard);
    for (const auto& text : figure.not_captured) out += "  - " + text + "\n";
    out += "\n";
  }
  const sim::BasisCount count = sim::count(figures);
  out += fmt::format("{} of {} points are predicted, {} fitted, {} assumed; {} of the predicted hold or are near.\n",
                     count.predicted, count.all(), count.fitted, count.assumed, count.predicted_held);
  return out + fmt::format(
                   "Fitted over all figures: streamcluster_turns = {}, streamcluster_fresh = {}, blind_writes = {}.\n",
                   sim::free_defaults.streamcluster_turns, sim::free_defaults.streamcluster_fresh,
                   sim::free_defaults.blind_writes);
}

}  // namespace charm::cli
