#include "tools/cli/width/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "base/present.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/text.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
using width::Advice;

constexpr double longest_bar = 30;

std::string bar(double share) {
  const auto full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * longest_bar));
  std::string text;
  for (int i = 0; i < full; ++i) text += "█";
  return text;
}

const std::string& name(const Advice& advice, std::size_t finalist) {
  return advice.last.series[finalist].program.name;
}

const compare::Comparison& against_full(const Advice& advice, std::size_t finalist) {
  return advice.last.comparisons[finalist - 1];
}

/// The level to use: the fewest threads that are as fast as the best.
std::size_t advised(const Advice& advice) { return advice.as_fast.value_or(advice.best); }

}  // namespace

std::vector<width::Tried> in_order(const Advice& advice) {
  std::vector<width::Tried> all = advice.tried;
  std::sort(all.begin(), all.end(), [](const width::Tried& a, const width::Tried& b) {
    return a.level.threads != b.level.threads ? a.level.threads > b.level.threads : a.level.policy < b.level.policy;
  });
  return all;
}

double speedup_of(const Advice& advice, const width::Tried& tried) {
  const auto fewest =
      std::min_element(advice.tried.begin(), advice.tried.end(),
                       [](const width::Tried& a, const width::Tried& b) { return a.level.threads < b.level.threads; });
  return fewest->median() / tried.median();
}

std::optional<width::Laws> laws_of(const Advice& advice) {
  std::vector<width::Point> points;
  for (const width::Tried& each : advice.tried) {
    if (each.level.policy.empty() && each.median() > 0) points.push_back({each.level.threads, each.median()});
  }
  return width::fit(points);
}

std::string width_answer(const Advice& advice) {
  if (advice.last.series.empty()) return "Only one number of threads can be tried here.";
  std::string text;
  if (advice.best == 0) {
    text = name(advice, 0) + ": no other number was faster beyond doubt.";
  } else {
    const auto& comparison = against_full(advice, advice.best);
    const auto& ratio = base::present(comparison.judged());
    text = fmt::format("{}: {} times as fast as {} (95 %: {}){}.", name(advice, advice.best),
                       base::three_digits(1 / ratio.value), name(advice, 0),
                       interval_text({1 / ratio.at95.high, 1 / ratio.at95.low}),
                       comparison.verdict.by_fastest ? ", in the fastest quarter of the runs" : "");
  }
  if (advice.as_fast)
    text += fmt::format(" {}{} as fast, and leave{} {} cpus to others.", name(advice, *advice.as_fast),
                        advice.finalists[*advice.as_fast].threads == 1 ? " is" : " are",
                        advice.finalists[*advice.as_fast].threads == 1 ? "s" : "",
                        advice.finalists[advice.best].threads - advice.finalists[*advice.as_fast].threads);
  return text;
}

std::vector<std::string> law_sentences(const Advice& advice) {
  const auto laws = laws_of(advice);
  if (!laws) return {};
  const auto& universal = laws->universal;
  std::vector<std::string> lines = {fmt::format("Amdahl's law: {} % of the work is serial (off by {} % on average).",
                                                compare::percent_digits(laws->amdahl.contention),
                                                compare::percent_digits(laws->amdahl.error))};
  std::string text =
      fmt::format("Universal scalability law: contention {} %, coherence {} % for each pair of threads",
                  compare::percent_digits(universal.contention), compare::percent_digits(universal.coherence));
  if (const auto peak = universal.peak()) text += fmt::format("; fastest near {:.0f} threads", std::round(*peak));
  lines.push_back(text + fmt::format(" (off by {} %).", compare::percent_digits(universal.error)));
  return lines;
}

std::vector<std::string> width_warnings(const Advice& advice) {
  std::vector<std::string> lines;
  if (width::ignores_width(advice))
    lines.emplace_back(
        "with the fewest threads it used many more cpus: it does not take its number of threads from what it was told; "
        "write {threads} in its arguments, or give --variable NAME or --by mask");
  if (!advice.left_out.empty()) {
    const width::Tried fewest = in_order(advice).back();
    double least = fewest.median();
    for (const auto& each : advice.tried) least = std::min(least, each.median());
    lines.push_back(fmt::format("fewer than {} were not tried: {} took {} times as long as the fastest",
                                width::name_of(fewest.level), fewest.level.threads,
                                base::three_digits(fewest.median() / least)));
  }
  for (const auto& disturbance : advice.last.disturbances) lines.push_back("noise: " + disturbance);
  return lines;
}

std::string width_text(const Advice& advice, bool colour) {
  using Align = Column::Align;
  const auto levels = in_order(advice);
  double most = 0;
  for (const auto& each : levels) most = std::max(most, speedup_of(advice, each));
  std::vector<std::vector<Cell>> rows;
  for (const auto& each : levels) {
    const double speedup = speedup_of(advice, each);
    const bool used = !advice.finalists.empty() && each.level == advice.finalists[advised(advice)];
    rows.push_back({{std::to_string(each.level.threads), used ? "1" : ""},
                    {each.level.policy.empty() ? "the system's" : each.level.policy, ""},
                    {std::to_string(each.seconds.size()), ""},
                    {base::format_seconds(each.median()), ""},
                    {base::three_digits(speedup), ""},
                    {base::three_digits(each.cpus_used()), ""},
                    {bar(speedup / most), ""}});
  }
  std::string text = render_table({{"threads", Align::right},
                                   {"placement"},
                                   {"runs", Align::right},
                                   {"time", Align::right},
                                   {"speed-up", Align::right},
                                   {"cpus used", Align::right},
                                   {""}},
                                  rows, colour);
  text += "\n" + width_answer(advice) + "\n";
  for (const auto& line : law_sentences(advice)) text += line + "\n";
  for (const auto& line : width_warnings(advice)) text += "note: " + line + "\n";
  if (!advice.finalists.empty() && advised(advice) != 0)
    text += "\nUse: " + as_shell_words(advice.last.series[advised(advice)].program.words) + "\n";
  return text;
}

std::string width_json(const Host& host, const Advice& advice) {
  Json levels = Json::array();
  for (const auto& each : in_order(advice))
    levels.push_back({{"threads", each.level.threads},
                      {"policy", each.level.policy},
                      {"seconds", each.seconds},
                      {"median_s", each.median()},
                      {"speedup", speedup_of(advice, each)},
                      {"cpus_used", each.cpus_used()}});
  Json json{{"machine", host.machine},
            {"levels", levels},
            {"left_out", advice.left_out},
            {"answer", width_answer(advice)},
            {"notes", width_warnings(advice)}};
  if (!advice.finalists.empty()) {
    const auto& level = advice.finalists[advised(advice)];
    json["threads"] = level.threads;
    json["policy"] = level.policy;
    json["command"] = advice.last.series[advised(advice)].program.words;
    json["seed"] = advice.last.seed;
  }
  if (const auto laws = laws_of(advice)) {
    const auto law = [](const width::Law& each) {
      Json one{{"serial_or_contention", each.contention}, {"coherence", each.coherence}, {"error", each.error}};
      if (const auto peak = each.peak()) one["peak_threads"] = *peak;
      return one;
    };
    json["amdahl"] = law(laws->amdahl);
    json["universal"] = law(laws->universal);
  }
  return base::json_text(json, 2) + "\n";
}

}  // namespace charm::cli
