// `charm batch generate`: task graphs in a file.
#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "os/files/output_file.hpp"
#include "tools/cli/batch/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

/// "16..2048", or "16" for both ends. \throws Error (bad_config).
std::pair<double, double> range_of(const std::string& text, const char* option, double least, double most) {
  const std::size_t dots = text.find("..");
  const std::string first = text.substr(0, dots), last = dots == std::string::npos ? first : text.substr(dots + 2);
  try {
    std::size_t used_first = 0, used_last = 0;
    const double low = std::stod(first, &used_first), high = std::stod(last, &used_last);
    if (used_first == first.size() && used_last == last.size() && low >= least && high <= most && low <= high)
      return {low, high};
  } catch (const std::exception&) {  // no number
  }
  throw Error(Errc::bad_config, fmt::format("{} was given '{}'", option, text),
              fmt::format("give two numbers from {:.0f} to {:.0f} as LEAST..MOST", least, most));
}

}  // namespace

int batch_generate(const BatchGenerateOptions& options, Session& session) {
  selector_training::GenerateOptions generate = options.generate;
  for (const std::string& name : split_list(options.families)) {
    if (name != "all") {
      generate.families.push_back(name);
      continue;
    }
    generate.families.clear();
    for (const selector_training::Family& family : selector_training::families())
      generate.families.emplace_back(family.name);
    break;
  }
  if (!options.nodes.empty()) {
    const auto [least, most] = range_of(options.nodes, "--nodes", 16, 1e6);
    generate.least_nodes = static_cast<std::size_t>(least);
    generate.most_nodes = static_cast<std::size_t>(most);
  }
  if (!options.work.empty())
    std::tie(generate.least_work, generate.most_work) =
        range_of(options.work, "--work", 1, selector_training::most_work);
  os::check_writable(options.file);
  const std::vector<selector_training::GraphPlan> plans = selector_training::generate(generate);
  std::string text = base::json_text(selector_training::file_header("graphs")) + "\n";
  struct Sum {
    std::size_t graphs = 0, nodes = 0, edges = 0;
  };
  std::map<std::string, Sum> sums;
  for (const selector_training::GraphPlan& plan : plans) {
    text += base::json_text(selector_training::plan_json(plan)) + "\n";
    Sum& sum = sums[plan.family];
    ++sum.graphs;
    sum.nodes += plan.nodes.size();
    sum.edges += plan.edges();
  }
  os::write_whole(options.file, text);
  if (options.output.json) {
    base::Json families = base::Json::array();
    for (const auto& [name, sum] : sums)
      families.push_back({{"family", name}, {"graphs", sum.graphs}, {"nodes", sum.nodes}, {"edges", sum.edges}});
    session.out << base::json_text({{"file", options.file}, {"graphs", plans.size()}, {"families", families}}, 2)
                << '\n';
    return exit_done;
  }
  std::vector<std::vector<Cell>> rows;
  for (const auto& [name, sum] : sums)
    rows.push_back({{name, ""},
                    {std::to_string(sum.graphs), ""},
                    {std::to_string(sum.nodes / sum.graphs), ""},
                    {std::to_string(sum.edges / sum.graphs), ""}});
  using Align = Column::Align;
  session.out << render_table(
      {{"family"}, {"graphs", Align::right}, {"mean nodes", Align::right}, {"mean edges", Align::right}}, rows, false);
  return exit_done;
}

}  // namespace charm::cli
