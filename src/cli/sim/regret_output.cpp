#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "cli/sim/output.hpp"
#include "cli/text_table.hpp"

namespace charm::cli {

using Json = nlohmann::ordered_json;
using Align = Column::Align;

std::string regret_json(const std::vector<sim::Regret>& all) {
  Json rules = Json::array(), list = Json::array();
  for (const auto& summary : sim::summary_of(all)) {
    rules.push_back({{"rule", summary.rule}, {"worst", summary.worst}, {"mean", summary.mean}, {"near", summary.near}});
  }
  for (const auto& one : all) {
    Json loss = Json::object();
    for (std::size_t rule = 0; rule < one.loss.size(); ++rule)
      loss[std::string(sim::standing_rules()[rule].name)] = one.loss[rule];
    list.push_back({{"machine", one.machine},
                    {"workload", one.workload},
                    {"workers", one.workers},
                    {"best", one.best},
                    {"loss", loss}});
  }
  return base::json_text(Json{{"rules", rules}, {"combinations", list}}, 2) + "\n";
}

std::string regret_table(const std::vector<sim::Regret>& all, bool colour) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& summary : sim::summary_of(all)) {
    const auto rule = std::find_if(sim::standing_rules().begin(), sim::standing_rules().end(),
                                   [&](const auto& one) { return one.name == summary.rule; });
    rows.push_back({{std::string(summary.rule), "1"},
                    {fmt::format("{:.2f}", summary.worst), ""},
                    {fmt::format("{:.3f}", summary.mean), ""},
                    {fmt::format("{:.0f} %", 100 * summary.near), ""},
                    {summary.at == nullptr ? ""
                                           : fmt::format("{} on {}, {} workers; best: {}", summary.at->workload,
                                                         summary.at->machine, summary.at->workers, summary.at->best),
                     ""},
                    {std::string(rule->summary), "2"}});
  }
  return "How many times as fast the best static policy is, by the level that workers stand at:\n\n" +
         render_table({{"rule"},
                       {"worst", Align::right},
                       {"mean", Align::right},
                       {"within 5 %", Align::right},
                       {"the worst"},
                       {"chiplets"}},
                      rows, colour) +
         fmt::format("\n{} combinations with a choice.\n", all.size());
}

}  // namespace charm::cli
