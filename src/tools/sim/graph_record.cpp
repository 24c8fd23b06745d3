#include "tools/sim/graph_record.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/sim/embedded.hpp"

namespace charm::sim {
namespace {

using Json = base::Json;

/// Five digits are more than a workload's description is good for, and keep the file short.
double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

void normalise(Popularity& popularity) {
  double lines = 0, accesses = 0;
  for (const auto& c : popularity.classes) {
    lines += c.lines;
    accesses += c.accesses;
  }
  for (auto& c : popularity.classes) {
    c.lines /= lines;
    c.accesses /= accesses;
  }
}

}  // namespace

double GraphRecord::Run::edges() const {
  double sum = 0;
  for (const double step : steps) sum += step;
  return sum;
}

const GraphRecord::Run& GraphRecord::run(std::string_view kernel) const {
  for (const Run& r : runs) {
    if (r.kernel == kernel) return r;
  }
  throw Error(Errc::bad_input, "graph record " + name + " has no run of " + std::string(kernel),
              "record it again with charm sim record-graph");
}

Popularity popularity_of(std::vector<double> touches) {
  std::sort(touches.begin(), touches.end(), std::greater<>());
  double total = 0;
  for (const double t : touches) total += t;
  Popularity out;
  out.classes.clear();
  const auto all = static_cast<double>(touches.size());
  for (std::size_t from = 0; from < touches.size();) {
    const std::size_t to = std::min(touches.size(), from < 8 ? from + 1 : from * 3 / 2);
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += touches[i];
    out.classes.push_back({static_cast<double>(to - from) / all, sum / total});
    from = to;
  }
  return out;
}

GraphRecord parse_graph_record(const std::string& text, const std::string& origin) {
  try {
    const Json json = Json::parse(text);
    GraphRecord record;
    record.name = json.at("name").get<std::string>();
    record.vertices = json.at("vertices").get<double>();
    record.arcs = json.at("arcs").get<double>();
    for (const Json& run : json.at("runs")) {
      GraphRecord::Run out;
      out.kernel = run.at("kernel").get<std::string>();
      out.steps = run.at("steps").get<std::vector<double>>();
      out.writes = run.at("writes").get<double>();
      out.popularity.classes.clear();
      for (const Json& c : run.at("popularity")) {
        out.popularity.classes.push_back({c.at(0).get<double>(), c.at(1).get<double>()});
      }
      normalise(out.popularity);
      record.runs.push_back(std::move(out));
    }
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw Error(Errc::bad_input, "graph record " + origin + ": " + base::json_problem(error),
                "record it again with charm sim record-graph");
  }
}

std::string graph_record_json(const GraphRecord& record) {
  std::string out = "{\"name\": " + Json(record.name).dump() + ", \"vertices\": " + Json(record.vertices).dump() +
                    ", \"arcs\": " + Json(record.arcs).dump() + ", \"runs\": [\n";
  for (std::size_t r = 0; r < record.runs.size(); ++r) {
    const auto& run = record.runs[r];
    Json classes = Json::array();
    for (const auto& c : run.popularity.classes) classes.push_back({rounded(c.lines), rounded(c.accesses)});
    out += "  {\"kernel\": " + Json(run.kernel).dump() + ", \"writes\": " + Json(rounded(run.writes)).dump() +
           ", \"steps\": " + Json(run.steps).dump() + ",\n   \"popularity\": " + classes.dump() + "}" +
           (r + 1 < record.runs.size() ? ",\n" : "\n");
  }
  return out + "]}\n";
}

const GraphRecord& recorded_graph() {
  static const GraphRecord record = [] {
    const auto& file = embedded_graphs().front();
    return parse_graph_record(std::string(file.text), std::string(file.name));
  }();
  return record;
}

}  // namespace charm::sim
