#include "tools/cli/report/width_page.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/report/curves.hpp"
#include "tools/cli/report/dots.hpp"
#include "tools/cli/width/text.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

std::string scaling_picture(const width::Advice& advice) {
  std::vector<CurveSeries> series;
  const auto levels = in_order(advice);
  const auto series_named = [&](const std::string& name) -> CurveSeries& {
    for (auto& each : series) {
      if (each.name == name) return each;
    }
    return series.emplace_back(CurveSeries{name, {}});
  };
  for (auto each = levels.rbegin(); each != levels.rend(); ++each)
    series_named(each->level.policy.empty() ? "measured" : each->level.policy)
        .points.emplace_back(each->level.threads, speedup_of(advice, *each));
  if (const auto laws = laws_of(advice)) {
    const double fewest = levels.back().level.threads;
    for (const auto& [name, law] : {std::pair{"Amdahl", laws->amdahl}, std::pair{"universal law", laws->universal}}) {
      for (const auto& point : std::vector(series.front().points))
        series_named(name).points.emplace_back(point.first, law.seconds(fewest) / law.seconds(point.first));
    }
  }
  return curves("Speed-up by number of threads", series);
}

}  // namespace

std::string width_page(const Host& host, const width::Advice& advice, const std::string& command) {
  std::string body = "<header>\n<h1>How many threads</h1>\n";
  if (!advice.finalists.empty() && advice.as_fast.value_or(advice.best) != 0)
    body += "<p class=\"lead\">Use <code>" +
            html::escaped(as_shell_words(advice.last.series[advice.as_fast.value_or(advice.best)].program.words)) +
            "</code></p>\n";
  body += "<p><span class=\"verdict good\">" + html::escaped(width_answer(advice)) + "</span></p>\n";
  body += "<dl class=\"facts\">\n" + html::fact("Machine", host.machine) + html::fact("Host", host.name) +
          html::fact("System", host.kernel) + html::fact("Placed by the system", host.placed_by) +
          html::fact("Date", host.date) + "</dl>\n</header>\n";
  body += "<h2>Scaling</h2>\n<figure>\n<p class=\"sub\">Speed-up over the fewest threads that were tried.</p>\n" +
          scaling_picture(advice) + "</figure>\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& each : in_order(advice))
    rows.push_back({std::to_string(each.level.threads), each.level.policy.empty() ? "the system's" : each.level.policy,
                    std::to_string(each.seconds.size()), base::format_seconds(each.median()),
                    base::three_digits(speedup_of(advice, each)), base::three_digits(each.cpus_used())});
  body += html::html_table(
      {{"Threads", true}, {"Placement"}, {"Runs", true}, {"Time", true}, {"Speed-up", true}, {"Cpus used", true}},
      rows);
  body += html::notes("Laws of scaling", law_sentences(advice));
  body += html::notes("Notes", width_warnings(advice));
  if (!advice.last.series.empty()) {
    std::vector<DotSeries> times;
    for (const auto& series : advice.last.series) {
      times.push_back({series.program.name, {}});
      for (std::size_t run = 0; run < series.runs.size(); ++run)
        times.back().points.emplace_back(static_cast<double>(run + 1), series.runs[run].child.wall_s);
    }
    body +=
        "<h2>The last comparison</h2>\n<figure>\n<p class=\"sub\">Wall time of each run in seconds, by round; the axis "
        "does not begin at 0.</p>\n" +
        dots("Wall time of each run", times, {}) + "</figure>\n";
  }
  return html::html_page("How many threads", body, command);
}

}  // namespace charm::cli
