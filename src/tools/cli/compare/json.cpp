#include "tools/cli/compare/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/compare/export.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
using compare::Outcome;

Json ratio_json(const std::optional<compare::Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->value},
          {"low95", ratio->at95.low},
          {"high95", ratio->at95.high},
          {"low99", ratio->at99.low},
          {"high99", ratio->at99.high}};
}

template <class Figure>
Json each(const compare::Series& series, Figure figure) {
  Json values = Json::array();
  for (const auto& run : series.runs) values.push_back(figure(run.child));
  return values;
}

Json program_json(const Outcome& outcome, const compare::Series& series) {
  Json counters = Json::object();
  for (std::size_t i = 0; i < outcome.counters.size(); ++i) {
    Json values = Json::array();
    for (const auto& run : series.runs) {
      const std::optional<double> count = i < run.counts.size() ? run.counts[i] : std::nullopt;
      values.push_back(count ? Json(*count) : Json(nullptr));
    }
    counters[outcome.counters[i]] = values;
  }
  Json parameters = Json::object();
  for (const auto& [name, value] : series.program.parameters) parameters[name] = value;
  Json started = Json::array();
  for (const auto& run : series.runs) started.push_back(run.started_s);
  Json outputs = Json::array();
  for (const auto& output : series.outputs)
    outputs.push_back({{"hash", fmt::format("{:016x}", output.hash)}, {"bytes", output.bytes}});
  const auto index = static_cast<std::size_t>(&series - outcome.series.data());
  const auto spread = compare::spread_of(series.wall());
  return {{"name", series.program.name},
          {"command", series.program.words},
          {"parameters", parameters},
          {"mean_wall_s", spread.mean},
          {"sigma_wall_s", spread.sigma},
          {"min_wall_s", spread.least},
          {"max_wall_s", spread.most},
          {"median_wall_s", base::median(series.wall())},
          {"started_s", started},
          {"wall_s", series.wall()},
          {"failures", series.failures()},
          {"user_s", each(series, [](const auto& child) { return child.user_s; })},
          {"system_s", each(series, [](const auto& child) { return child.system_s; })},
          {"peak_rss_bytes", each(series, [](const auto& child) { return child.peak_bytes; })},
          {"peak_is_bound", series.peak_is_bound()},
          {"exit_code",
           each(series, [](const auto& child) { return child.signal != 0 ? 128 + child.signal : child.exit_code; })},
          {"counters", counters},
          {"outputs", outputs},
          {"output", word(compare::agreement(outcome, index))}};
}

Json comparison_of(const Outcome& outcome, const compare::Comparison& comparison) {
  const std::string& first = outcome.series.front().program.name;
  const std::string& second = outcome.series[comparison.second].program.name;
  Json counters = Json::object();
  for (std::size_t i = 0; i < outcome.counters.size(); ++i) {
    counters[outcome.counters[i]] = i < comparison.counts.size() ? ratio_json(comparison.counts[i]) : Json(nullptr);
  }
  const auto& verdict = comparison.verdict;
  return {{"first", first},
          {"second", second},
          {"finding", compare::word(verdict.finding)},
          {"verdict", compare::sentence(outcome, comparison)},
          {"largest_percent", verdict.largest * 100},
          {"runs_to_tell", verdict.runs_to_tell},
          {"by_fastest", verdict.by_fastest},
          {"wall", ratio_json(comparison.wall)},
          {"fastest_quarter", ratio_json(comparison.fastest)},
          {"cpu", ratio_json(comparison.cpu)},
          {"peak_rss", ratio_json(comparison.peak)},
          {"counters", counters}};
}

}  // namespace

std::string comparison_json(const Host& host, const Outcome& outcome, int exit_code) {
  Json programs = Json::array();
  for (const auto& series : outcome.series) programs.push_back(program_json(outcome, series));
  Json comparisons = Json::array();
  for (const auto& comparison : outcome.comparisons) comparisons.push_back(comparison_of(outcome, comparison));
  Json order = Json::array();
  for (const auto& round : outcome.order) {
    Json names = Json::array();
    for (const std::size_t program : round) names.push_back(outcome.series[program].program.name);
    order.push_back(names);
  }
  const Json all = {{"host", host_json(host)},
                    {"seed", outcome.seed},
                    {"runs", outcome.rounds},
                    {"warmup", outcome.warm_ups},
                    {"threshold_percent", outcome.rules.threshold * 100},
                    {"programs", programs},
                    {"order", order},
                    {"comparisons", comparisons},
                    {"disturbances", outcome.disturbances},
                    {"why_no_counters", outcome.why_no_counters},
                    {"metric", outcome.metric},
                    {"failed_runs", outcome.failed_runs},
                    {"exit_code", exit_code}};
  return base::json_text(all, 2) + "\n";
}

}  // namespace charm::cli
