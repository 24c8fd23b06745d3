#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/rows.hpp"
#include "tools/cli/bench/json.hpp"
#include "tools/cli/bench/table.hpp"
#include "tools/cli/report/bars.hpp"
#include "tools/cli/report/curves.hpp"
#include "tools/cli/report/page.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/html/html.hpp"
#include "tools/html/scale.hpp"

using namespace charm::cli;
using charm::cli::test::row;

namespace {

using charm::test::has;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Format, KeepsThreeDigitsAndAUnitBetweenOneAndAThousand) {
  EXPECT_EQ(charm::base::format_seconds(0.00383), "3.83 ms");
  EXPECT_EQ(charm::base::format_seconds(0.0318), "31.8 ms");
  EXPECT_EQ(charm::base::format_seconds(11), "11.0 s");
  EXPECT_EQ(charm::base::format_seconds(0.99996), "1.00 s");
  EXPECT_EQ(charm::base::format_seconds(25e-9), "25.0 ns");
  EXPECT_EQ(charm::base::format_seconds(0), "0 s");
  EXPECT_EQ(charm::base::format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(charm::base::format_bytes(117U << 20U), "117 MiB");
  EXPECT_EQ(charm::base::format_bytes(0), "0 B");
  EXPECT_EQ(charm::base::three_digits(0.0913), "0.0913");
  EXPECT_EQ(charm::base::three_digits(9.996), "10.0");
  EXPECT_EQ(charm::base::three_digits(995.4), "995");
  EXPECT_EQ(charm::base::format_percent(0.0421), "4.2 %");
  EXPECT_EQ(charm::base::format_percent(1.204), "120 %");
}

TEST(Format, IsWithinHalfAPercentOfTheNumber) {
  EXPECT_TRUE(rc::check("three digits", [] {
    const double value = *rc::gen::inRange(1, 1000000000) * 1e-6;
    RC_ASSERT(std::abs(std::stod(charm::base::three_digits(value)) - value) <= value * 0.005 + 1e-12);
  }));
}

/// Labels below the x axis that come nearer to one another than they are wide, with digits of at most 8 pixels.
std::string labels_too_near(const std::string& picture) {
  const std::regex label(R"re(<text class="tick" x="([0-9.]+)" y="[0-9.]+" text-anchor="middle">([^<]*)</text>)re");
  std::string wrong;
  double end = -1000;
  int labels = 0;
  for (std::sregex_iterator at(picture.begin(), picture.end(), label), none; at != none; ++at, ++labels) {
    const double middle = std::stod((*at)[1]), half = 4.0 * static_cast<double>((*at)[2].length());
    if (middle - half < end) wrong += " " + (*at)[2].str();
    end = middle + half;
  }
  return labels < 2 ? "no labels" : wrong;
}

TEST(Curves, LabelsOfAnAxisDoNotOverlapWhereMovesAreCloseTogether) {
  // A controller's first moves come within the first seconds, and then one a minute.
  const CurveSeries moves{"chiplets", {{0, 1}, {0.4, 2}, {0.7, 1}, {1.05, 4}, {1.4, 1}, {2.2, 8}, {30, 4}, {59.7, 4}}};
  EXPECT_EQ(labels_too_near(curves("Moves", {moves}, true)), "");
  CurveSeries workers{"charm", {}};
  for (int w = 1; w <= 128; ++w) {
    workers.points.emplace_back(1000 + w, 1);
    EXPECT_EQ(w < 2 ? "" : labels_too_near(curves("Throughput", {workers})), "") << w;
  }
}

TEST(TextTable, AlignsColumnsByWhatIsSeenAndLeavesNoTrailingBlanks) {
  const std::string text =
      render_table({{"name"}, {"time", Column::Align::right}, {"note"}},
                   {{{"a", ""}, {"3 µs", ""}, {"", ""}}, {{"longer", ""}, {"12 µs", ""}, {"x", ""}}}, false);
  EXPECT_EQ(text,
            "name     time  note\n"
            "a        3 µs\n"
            "longer  12 µs  x\n");
}

TEST(TextTable, ColourChangesNothingButColour) {
  const std::vector<Column> columns = {{"name"}, {"value", Column::Align::right}};
  const std::vector<std::vector<Cell>> rows = {{{"a", "31"}, {"1", ""}}};
  const std::string plain = render_table(columns, rows, false);
  const std::string coloured = render_table(columns, rows, true);
  EXPECT_NE(plain, coloured);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

TEST(ResultsTable, ShowsEveryRowAndShoutsAWrongAnswer) {
  auto o = charm::cli::test::outcome({row("bfs", "charm", "local", {0.5, 0.5}), row("bfs", "openmp", "none", {1.0})});
  o.results[1].verified = false;
  const auto lines = lines_of(results_table(o, false));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(has(lines[0], "a graph: 8 vertices"));
  EXPECT_TRUE(has(lines[3], "500 ms") && has(lines[3], "local") && has(lines[3], "yes") &&
              has(lines[3], "2.00  MTEPS"));
  EXPECT_TRUE(has(lines[4], "openmp") && has(lines[4], "WRONG") && !has(lines[4], "none"));
}

TEST(ResultsJson, HasTheKeysThatScriptsReadWithTheirTypes) {
  auto o = charm::cli::test::outcome({row("bfs", "charm", "local", {0.5, 0.25, 1})});
  o.notes = {"a note"};
  o.placements = {{"local", {{0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}}}};
  const auto json = nlohmann::json::parse(results_json(charm::cli::test::host(), o));
  const auto& r = json.at("results").at(0);
  EXPECT_EQ(r.at("kernel"), "bfs");
  EXPECT_EQ(r.at("runtime"), "charm");
  EXPECT_EQ(r.at("policy"), "local");
  EXPECT_EQ(r.at("workers"), 2);
  EXPECT_EQ(r.at("input"), "a graph");
  EXPECT_DOUBLE_EQ(r.at("median_s"), 0.5);
  EXPECT_DOUBLE_EQ(r.at("min_s"), 0.25);
  EXPECT_DOUBLE_EQ(r.at("max_s"), 1);
  EXPECT_EQ(r.at("seconds").size(), 3U);
  EXPECT_DOUBLE_EQ(r.at("rate"), 2);
  EXPECT_EQ(r.at("unit"), "MTEPS");
  EXPECT_EQ(r.at("peak_rss_bytes"), 64U << 20U);
  EXPECT_EQ(r.at("verified"), true);
  const auto& host = json.at("host");
  for (const char* key : {"name", "machine", "cpus", "kernel", "compiler", "versions", "date", "notes", "settings"}) {
    EXPECT_TRUE(host.contains(key)) << key;
  }
  EXPECT_EQ(host.at("notes").at(0), "a note");
  EXPECT_EQ(host.at("settings").at(0).at("from"), "--workers");
  EXPECT_EQ(json.at("placements").at(0).at("worker_cores").at(1).at("cpu"), -1);
}

TEST(ResultsJson, IsJsonWhateverTheInputIsCalled) {
  auto o = charm::cli::test::outcome({row("bfs", "charm", "local", {1})});
  o.input.description = "graph \xff\"\n\x01.el";
  EXPECT_TRUE(nlohmann::json::accept(results_json(charm::cli::test::host(), o)));
}

TEST(AxisTicks, CoverTheTopInFewRoundSteps) {
  EXPECT_TRUE(rc::check("for any rate", [] {
    const double top = *rc::gen::inRange(1, 1000000000) * 1e-5;
    const auto ticks = charm::html::axis_ticks(top);
    RC_ASSERT(ticks.front() == 0);
    RC_ASSERT(ticks.back() >= top * (1 - 1e-6));
    RC_ASSERT(ticks.size() >= 4U && ticks.size() <= 6U);
    RC_ASSERT(ticks[ticks.size() - 2] < top);
  }));
  EXPECT_EQ(charm::html::axis_ticks(0).size(), 2U) << "an axis without rates is still an axis";
}

TEST(LogarithmicTicks, AreFewRoundNumbersWithinTheRange) {
  EXPECT_TRUE(rc::check("for any range", [] {
    const double low = std::exp(*rc::gen::inRange(-2000, 2000) * 0.01);
    const double high = low * std::exp(*rc::gen::inRange(1, 3000) * 0.01);
    for (const auto& ticks : {charm::html::logarithmic_ticks(low, high), charm::html::byte_ticks(low, high)}) {
      RC_ASSERT(ticks.size() <= 9U);
      RC_ASSERT(std::is_sorted(ticks.begin(), ticks.end()));
      for (const double tick : ticks) RC_ASSERT(tick >= low && tick <= high);
    }
    RC_ASSERT(charm::html::logarithmic_ticks(low, high).size() >= 1U);
  }));
  EXPECT_EQ(charm::html::logarithmic_ticks(0.9, 25), (std::vector<double>{1, 2, 5, 10, 20}));
  EXPECT_EQ(charm::html::logarithmic_ticks(1.58, 1.88).size(), 6U) << "1.6, 1.65 ... 1.85";
  EXPECT_EQ(charm::html::byte_ticks(3000, 20000), (std::vector<double>{4096, 8192, 16384}));
  for (const double low : {-1.0, 0.0, 5.0, double{NAN}}) EXPECT_TRUE(charm::html::logarithmic_ticks(low, 5).empty());
  EXPECT_TRUE(charm::html::logarithmic_ticks(1, INFINITY).empty());
}

TEST(LogarithmicPlace, IsWithinItsBoundsForEveryNumber) {
  const double all[] = {-1, 0, 1e-308, 1, 2, 1e308, INFINITY, NAN};
  for (double value : all) {
    for (double low : all) {
      for (double high : all) {
        const double place = charm::html::logarithmic_place(value, low, high);
        EXPECT_TRUE(place >= 0 && place <= 1) << value << ' ' << low << ' ' << high;
      }
    }
  }
  EXPECT_DOUBLE_EQ(charm::html::logarithmic_place(10, 1, 100), 0.5);
}

TEST(Bars, AreProportionalToTheMedianRate) {
  const std::string svg = rate_bars({row("bfs", "charm", "local", {0.5}), row("bfs", "tbb", "none", {1.0})});
  const std::regex rect("<rect class=\"(bar-[a-z]+)\"[^>]* width=\"([0-9.]+)\"");
  std::vector<std::pair<std::string, double>> bars;
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end; ++it) {
    bars.emplace_back((*it)[1], std::stod((*it)[2]));
  }
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].first, "bar-charm");
  EXPECT_NEAR(bars[0].second, 2 * bars[1].second, 0.11);
}

TEST(Bars, OfAWrongAnswerDoNotLookLikeTheOthers) {
  auto wrong = row("bfs", "charm", "local", {0.5});
  wrong.verified = false;
  const std::string svg = rate_bars({wrong});
  EXPECT_TRUE(has(svg, "bar-wrong"));
  EXPECT_FALSE(has(svg, "bar-charm"));
}

TEST(Comparison, ClaimsNoDifferenceWithinTheSpread) {
  const auto fast = row("bfs", "charm", "local", {0.50, 0.50, 0.50});
  EXPECT_EQ(comparison({fast, row("bfs", "tbb", "none", {1.0, 1.0})}), "charm local is fastest, 2.00× tbb");
  EXPECT_TRUE(has(comparison({fast, row("bfs", "tbb", "none", {0.4, 0.6, 0.6})}), "differ by less than their spread"));
  EXPECT_EQ(comparison({fast}), "");
}

TEST(Comparison, LeavesWrongAnswersOut) {
  auto wrong = row("bfs", "tbb", "none", {0.001});
  wrong.verified = false;
  const auto fast = row("bfs", "charm", "local", {0.5});
  EXPECT_EQ(comparison({wrong, fast, row("bfs", "serial", "none", {1.0})}), "charm local is fastest, 2.00× serial");
  EXPECT_EQ(comparison({wrong, fast}), "");
}

TEST(Html, LeavesNothingThatCouldBeMarkup) {
  EXPECT_TRUE(rc::check("for any text", [](const std::string& text) {
    const std::string out = charm::html::escaped(text);
    RC_ASSERT(out.find_first_of("<>\"'") == std::string::npos);
  }));
  EXPECT_EQ(charm::html::escaped("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
  // Text that is no UTF-8 would make the whole document one that no reader accepts.
  EXPECT_EQ(charm::html::escaped("M\xC3\xBCller"), "M\xC3\xBCller");
  for (const char* bad : {"\xFF", "\x80", "\xC0", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xEF\xBF\xBF"})
    EXPECT_TRUE(charm::html::escaped(bad).starts_with("\xEF\xBF\xBD")) << bad;
}

Report report() {
  Report r;
  r.title = "A benchmark";
  r.command = "charm bench graph --file '<evil>.el'";
  r.host = charm::cli::test::host();
  r.outcome =
      charm::cli::test::outcome({row("bfs", "charm", "local", {0.5, 0.6}), row("pr", "charm", "local", {0.5, 0.6})});
  r.outcome.placements = {{"local", std::vector<charm::WorkerCore>(40, charm::WorkerCore{3, 7, 1, 0, 0})}};
  r.outcome.notes = {"degraded: <something>"};
  r.drawings = {{"local", "<svg id=\"machine\"></svg>"}};
  return r;
}

TEST(ReportPage, NeedsNothingButItself) {
  const std::string page = render_report(report());
  for (const char* reference : {"http://", "https://", "<script", "<link", "<img", "src=", "@import", "url("}) {
    EXPECT_FALSE(has(page, reference)) << reference;
  }
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(has(page, "prefers-color-scheme: dark"));
  EXPECT_TRUE(has(page, "@media print"));
}

TEST(ReportPage, ShowsWhatTheReaderNeedsToJudgeTheFigures) {
  const std::string page = render_report(report());
  for (const char* part :
       {"A CPU", "node1", "GCC 12", "Linux 6", "2030-01-01", "--workers", "0.1.0", "id=\"machine\"",
        "all 2 results verified", "degraded: &lt;something&gt;", "Breadth-first search", "PageRank"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_FALSE(has(page, "<evil>"));
}

TEST(ReportPage, ShowsTheCoreOfEveryWorker) {
  const std::string page = render_report(report());
  for (int worker = 0; worker < 40; ++worker) {
    EXPECT_TRUE(has(page, fmt::format("<tr><td class=\"number\">{}</td><td class=\"number\">7</td>", worker)))
        << worker;
  }
}

TEST(ReportPage, SaysInItsHeadThatAnAnswerIsWrong) {
  Report r = report();
  r.outcome.results[0].verified = false;
  EXPECT_TRUE(has(render_report(r), "1 of 2 results are wrong"));
}

// Such a page said that all results were verified, and that OpenMP had a fiftieth of CHARM's speed.
TEST(ReportPage, SaysInItsHeadThatTheRunWasDisturbed) {
  Report r = report();
  r.outcome.results.push_back(row("bfs", "openmp", "none", {5, 6}));
  std::swap(r.outcome.results[1], r.outcome.results[2]);
  EXPECT_TRUE(has(render_report(r), "charm local is fastest"));
  r.outcome.disturbances = {"other programs used 1.5 of 2 cpus: <cc1plus> (process 7) 1.5"};
  const std::string page = render_report(r);
  const std::string head = page.substr(page.find("<body"), page.find("</header>") - page.find("<body"));
  EXPECT_TRUE(has(head, "disturbed: other programs used 1.5 of 2 cpus: &lt;cc1plus&gt;"));
  EXPECT_FALSE(has(head, "verdict good"));
  EXPECT_TRUE(has(head, "All 3 results are right."));
  EXPECT_FALSE(has(page, "is fastest"));
  r.outcome.results[0].verified = false;
  EXPECT_TRUE(has(render_report(r), "1 of 3 results are wrong"));
}

TEST(ReportPage, HasAStyleForEachClass) {
  const std::string page = render_report(report());
  const auto style_end = page.find("</style>");
  const std::string style = page.substr(0, style_end);
  const std::regex classes("class=\"([^\"]*)\"");
  const std::string body = page.substr(style_end);
  for (std::sregex_iterator at(body.begin(), body.end(), classes), end; at != end; ++at) {
    std::istringstream names((*at)[1].str());
    for (std::string name; names >> name;) EXPECT_TRUE(has(style, "." + name)) << name;
  }
}

TEST(ReportPage, ShowsHowManyThreadsWereAtWork) {
  Report r = report();
  EXPECT_FALSE(has(render_report(r), "Threads at work"));
  r.outcome.results[0].concurrency = charm::workloads::ThreadConcurrency{1.5, 641, 1e-3, {1, 2, 1.5}};
  const std::string page = render_report(r);
  EXPECT_TRUE(has(page, "Threads at work"));
  EXPECT_TRUE(has(page, "1.5 of 2 on average; 641 threads took part"));
}

TEST(ReportPage, ClosesWhatItOpens) {
  Report with_all = report();
  with_all.outcome.results[0].concurrency = charm::workloads::ThreadConcurrency{1.5, 641, 1e-3, {1, 2, 1.5}};
  const std::string page = render_report(with_all);
  for (const char* tag :
       {"html", "head", "body", "header", "figure", "div", "table", "tbody", "tr", "td", "svg", "ul", "dl", "h2"}) {
    const std::regex open(fmt::format("<{}[ >]", tag));
    const std::regex close(fmt::format("</{}>", tag));
    const auto count = [&](const std::regex& what) {
      return std::distance(std::sregex_iterator(page.begin(), page.end(), what), std::sregex_iterator());
    };
    EXPECT_EQ(count(open), count(close)) << tag;
  }
}

}  // namespace
