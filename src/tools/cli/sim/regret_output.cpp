#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {

using Json = base::Json;
using Align = Column::Align;

std::string regret_json(const std::vector<sim::Regret>& all) {
  Json rules = Json::array(), bounds = Json::array(), list = Json::array();
  for (const auto& summary : sim::summary_of(all)) {
    rules.push_back({{"rule", summary.rule},
                     {"worst", summary.worst},
                     {"mean", summary.mean},
                     {"near", summary.near},
                     {"refused", summary.refused}});
  }
  for (const auto& bound : sim::bounds_of(all))
    bounds.push_back({{"knows", bound.knows}, {"worst", bound.worst}, {"mean", bound.mean}});
  for (const auto& one : all) {
    Json loss = Json::object(), policies = Json::object();
    for (std::size_t rule = 0; rule < one.loss.size(); ++rule)
      loss[std::string(sim::standing_rules()[rule].name)] = one.loss[rule];
    for (const auto& kernel : one.untouched) loss[kernel.policy] = kernel.loss;
    for (const auto& moved : one.moved) loss[moved.policy] = moved.loss > 0 ? Json(moved.loss) : Json();
    for (const auto& stood : one.policies) policies[stood.policy] = stood.loss;
    list.push_back({{"machine", one.machine},
                    {"workload", one.workload},
                    {"workers", one.workers},
                    {"best", one.best},
                    {"fits", one.fits},
                    {"loss", loss},
                    {"static", policies}});
  }
  return base::json_text(Json{{"rules", rules}, {"bounds", bounds}, {"combinations", list}}, 2) + "\n";
}

std::string regret_table(const std::vector<sim::Regret>& all, bool colour) {
  std::vector<std::vector<Cell>> rows;
  std::string refusals, bounds;
  for (const auto& summary : sim::summary_of(all)) {
    rows.push_back({{summary.rule, "1"},
                    {fmt::format("{:.2f}", summary.worst), ""},
                    {fmt::format("{:.3f}", summary.mean), ""},
                    {fmt::format("{:.0f} %", 100 * summary.near), ""},
                    {summary.at == nullptr ? ""
                                           : fmt::format("{} on {}, {} workers; best: {}", summary.at->workload,
                                                         summary.at->machine, summary.at->workers, summary.at->best),
                     ""},
                    {summary.summary, "2"}});
    if (summary.refused > 0)
      refusals += fmt::format("{} refuses {} of them, which are not in its row.\n", summary.rule, summary.refused);
  }
  for (const auto& bound : sim::bounds_of(all)) {
    bounds += fmt::format("  that knows of the program {}: worst {:.2f}, mean {:.3f}\n", bound.knows, bound.worst,
                          bound.mean);
  }
  return "How many times as fast the best static policy is, by how the workers' level is chosen:\n\n" +
         render_table({{"rule"},
                       {"worst", Align::right},
                       {"mean", Align::right},
                       {"within 5 %", Align::right},
                       {"the worst"},
                       {"chiplets"}},
                      rows, colour) +
         fmt::format("\n{} combinations with a choice.\n{}", all.size(), refusals) +
         "No rule that does not move workers can have less than this, whatever it chooses:\n" + bounds;
}

}  // namespace charm::cli
