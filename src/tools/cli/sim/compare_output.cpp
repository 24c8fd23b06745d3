#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {

using Json = base::Json;
using Align = Column::Align;

std::string compare_json(const std::vector<sim::Comparison>& comparisons) {
  Json list = Json::array();
  for (const auto& c : comparisons) {
    list.push_back({{"machine", c.machine},
                    {"workload", c.workload},
                    {"workers", c.workers},
                    {"best_level", c.best_level},
                    {"best", c.best},
                    {"controller", c.controller},
                    {"ratio", c.ratio()},
                    {"levels", c.levels},
                    {"any", c.any},
                    {"ratio_to_any", c.ratio_to_any()}});
  }
  return base::json_text(Json{{"comparisons", list}}, 2) + "\n";
}

std::string compare_table(const std::vector<sim::Comparison>& comparisons, bool colour) {
  std::vector<std::vector<Cell>> rows;
  std::size_t below = 0, choices = 0, below_any = 0;
  for (const auto& c : comparisons) {
    if (!c.choice()) continue;
    ++choices;
    below += c.ratio() < 0.95 ? 1 : 0;
    below_any += c.ratio_to_any() < 0.95 ? 1 : 0;
    if (rows.size() == 10) continue;
    rows.push_back({{c.machine, ""},
                    {c.workload, ""},
                    {std::to_string(c.workers), ""},
                    {std::to_string(c.best_level), ""},
                    {fmt::format("{:.3f}", c.ratio()), c.ratio() < 0.95 ? "31" : ""},
                    {fmt::format("{:.3f}", c.ratio_to_any()), ""}});
  }
  return "The default controller against the best level that it could have stood at; the worst ten:\n\n" +
         render_table({{"machine"},
                       {"workload"},
                       {"workers", Align::right},
                       {"best at chiplets", Align::right},
                       {"controller / best", Align::right},
                       {"/ best of all policies", Align::right}},
                      rows, colour) +
         fmt::format(
             "\n{} of {} with a choice are below 0.95 of the best level, and {} below 0.95 of the best of all static "
             "policies; {} have no choice.\n",
             below, choices, below_any, comparisons.size() - choices);
}

std::string replay_json(const std::string& trace, const std::vector<Replay>& replays) {
  Json list = Json::array();
  for (const auto& r : replays) {
    list.push_back({{"machine", r.machine},
                    {"workload", trace},
                    {"policy", r.policy},
                    {"workers", r.workers},
                    {"tasks", r.tasks},
                    {"makespan_ns", r.run.makespan_ns},
                    {"throughput", r.run.makespan_ns > 0 ? static_cast<double>(r.tasks) / r.run.makespan_ns * 1e9 : 0},
                    {"efficiency", r.run.efficiency(static_cast<std::size_t>(r.workers))},
                    {"steals", r.run.steals},
                    {"far_steals", r.run.far_steals},
                    {"parks", r.run.parks},
                    {"wakes", r.run.wakes},
                    {"fills", Json::object()},
                    {"moves", Json::array()}});
  }
  return base::json_text(Json{{"results", list}}, 2) + "\n";
}

std::string replay_table(const std::vector<Replay>& replays, bool colour) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& r : replays) {
    rows.push_back({{r.machine, ""},
                    {r.policy, ""},
                    {std::to_string(r.workers), ""},
                    {std::to_string(r.tasks), ""},
                    {base::format_seconds(r.run.makespan_ns * 1e-9), ""},
                    {base::format_percent(r.run.efficiency(static_cast<std::size_t>(r.workers))), ""},
                    {std::to_string(r.run.steals), ""},
                    {std::to_string(r.run.far_steals), ""}});
  }
  return render_table({{"machine"},
                       {"policy"},
                       {"workers", Align::right},
                       {"tasks", Align::right},
                       {"time", Align::right},
                       {"efficiency", Align::right},
                       {"steals", Align::right},
                       {"across chiplets", Align::right}},
                      rows, colour);
}

}  // namespace charm::cli
