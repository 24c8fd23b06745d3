#include "tools/cli/sim/output.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
using Align = Column::Align;

Json result_json(const sim::RunResult& r) {
  Json fills = Json::object();
  for (std::size_t s = 0; s < sim::sources; ++s) fills[sim::source_name(s)] = r.fills[s];
  Json moves = Json::array();
  for (const auto& m : r.moves) {
    moves.push_back({{"time", m.time},
                     {"from", m.from},
                     {"to", m.to},
                     {"workers_from", m.workers_from},
                     {"workers_to", m.workers_to},
                     {"reason", m.reason},
                     {"outcome", m.outcome}});
  }
  Json levels = Json::array();
  for (std::size_t i = 0; i < r.levels.size(); ++i) {
    levels.push_back({{"chiplets", r.levels[i]}, {"share", r.level_share[i]}});
  }
  Json json = {{"machine", r.machine},
               {"workload", r.workload},
               {"policy", r.policy},
               {"workers", r.workers},
               {"throughput", r.throughput},
               {"unit", r.unit + "/s"},
               {"efficiency", r.efficiency},
               {"seconds", r.seconds},
               {"fills", fills},
               {"moves", moves},
               {"levels", levels}};
  if (r.sampling > 1) json["sampling"] = {{"one_line_in", r.sampling}, {"error", r.sampling_error}};
  return json;
}

/// The level at which most of the time was spent.
int usual_level(const sim::RunResult& r) {
  const auto most = std::max_element(r.level_share.begin(), r.level_share.end());
  return r.levels[static_cast<std::size_t>(most - r.level_share.begin())];
}

}  // namespace

std::string in_thousands(double value) {
  constexpr std::array<const char*, 5> prefixes = {"", " k", " M", " G", " T"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return base::three_digits(value) + prefixes[prefix];
}

std::string sim_json(const std::vector<sim::RunResult>& results) {
  Json list = Json::array();
  for (const auto& r : results) list.push_back(result_json(r));
  return base::json_text(Json{{"results", list}}, 2) + "\n";
}

std::string sim_table(const std::vector<sim::RunResult>& results, bool colour) {
  std::vector<Column> columns = {{"machine"},
                                 {"workload"},
                                 {"policy"},
                                 {"workers", Align::right},
                                 {"throughput", Align::right},
                                 {"", Align::left},
                                 {"chiplets", Align::right},
                                 {"moves", Align::right}};
  for (const char* name : {"L2", "chiplet", "other chiplet", "remote cache", "DRAM", "remote DRAM"}) {
    columns.push_back({name, Align::right});
  }
  std::vector<std::vector<Cell>> rows;
  for (const auto& r : results) {
    double all = 0, best = 0;
    for (const double f : r.fills) all += f;
    for (const auto& other : results) {
      if (other.machine == r.machine && other.workload == r.workload && other.workers == r.workers) {
        best = std::max(best, other.throughput);
      }
    }
    rows.push_back({{r.machine, ""},
                    {r.workload, ""},
                    {r.policy, ""},
                    {std::to_string(r.workers), ""},
                    {in_thousands(r.throughput), r.throughput >= best ? "1" : ""},
                    {r.unit + "/s", ""},
                    {std::to_string(usual_level(r)), ""},
                    {std::to_string(r.moves.size()), ""}});
    for (const double f : r.fills) rows.back().push_back({all > 0 ? fmt::format("{:.1f} %", 100 * f / all) : "–", ""});
  }
  return render_table(columns, rows, colour);
}

}  // namespace charm::cli
