#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;
using Align = Column::Align;

const char* shape_of(const sim::WidthPoint& point) {
  return point.level.shape == controller::WidthShape::packed ? "packed" : "thin";
}

std::string ratio(double a, double b) { return fmt::format("{:.3f}", b > 0 ? a / b : 1); }

}  // namespace

std::string widths_json(const std::vector<sim::WidthResult>& all) {
  Json list = Json::array();
  const auto point = [](const sim::WidthPoint& at) {
    return Json{
        {"workers", at.level.workers}, {"shape", shape_of(at)}, {"chiplets", at.spread}, {"throughput", at.rate}};
  };
  for (const auto& r : all) {
    list.push_back({{"machine", r.machine},
                    {"workload", r.workload},
                    {"workers", r.workers},
                    {"best", point(r.best)},
                    {"full", point(r.full)},
                    {"learning", r.learning},
                    {"learned", r.learned},
                    {"running", r.running},
                    {"worst_minute", r.worst_minute}});
  }
  return base::json_text(Json{{"widths", list}}, 2) + "\n";
}

std::string widths_table(const std::vector<sim::WidthResult>& all, bool colour) {
  std::vector<std::vector<Cell>> rows;
  double sum = 0, worst = 1, learning = 0, full = 0, minute = 1;
  for (const auto& r : all) {
    const double learned = r.learned / r.best.rate;
    sum += learned;
    worst = std::min(worst, learned);
    learning += r.learning / r.best.rate;
    full += r.full.rate / r.best.rate;
    minute = std::min(minute, r.worst_minute);
    const bool narrow = r.best.level.workers < r.workers;
    rows.push_back({{r.machine, ""},
                    {r.workload, ""},
                    {std::to_string(r.workers), ""},
                    {fmt::format("{}{}", r.best.level.workers, narrow ? std::string(", ") + shape_of(r.best) : ""), ""},
                    {std::to_string(r.best.spread), ""},
                    {ratio(r.full.rate, r.best.rate), ""},
                    {std::to_string(r.running), ""},
                    {fmt::format("{:.3f}", learned), learned < 0.9 ? "31" : ""},
                    {ratio(r.learning, r.best.rate), ""},
                    {fmt::format("{:.3f}", r.worst_minute), r.worst_minute < 0.97 ? "31" : ""}});
  }
  const auto count = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  return "How many workers are best, and what width=adaptive finds; speeds over the best number, shape and level:\n\n" +
         render_table({{"machine"},
                       {"workload"},
                       {"workers", Align::right},
                       {"best"},
                       {"on chiplets of", Align::right},
                       {"all of them", Align::right},
                       {"found", Align::right},
                       {"its speed", Align::right},
                       {"while learning", Align::right},
                       {"worst minute / all", Align::right}},
                      rows, colour) +
         fmt::format(
             "\n{} cases: found {:.3f} of the best on average and {:.3f} at worst, {:.3f} in the three minutes of "
             "learning; all workers {:.3f}. Worst minute {:.3f} of the same controller with all workers.\n",
             all.size(), sum / count, worst, learning / count, full / count, minute);
}

}  // namespace charm::cli
