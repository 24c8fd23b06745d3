// `charm batch show`: the data sheet of a model, and what it says in words.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "os/files/bounded_file.hpp"
#include "tools/cli/batch/commands.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using base::Json;

void add_tree(std::string& text, const Json& nodes, std::size_t at, int depth, const std::string& condition) {
  const Json& node = nodes.at(at);
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  if (node.contains("batch")) {
    const double batch = node["batch"].get<double>();
    text += fmt::format("{}{}{} (batch {:.2f})\n", indent, condition, batch > 0.5 ? "batch" : "stream", batch);
    return;
  }
  if (!condition.empty()) text += indent + condition + "\n";
  const std::string feature = node["feature"].get<std::string>();
  const double threshold = node["threshold"].get<double>();
  const int below = condition.empty() ? depth : depth + 1;
  add_tree(text, nodes, node["below"].get<std::size_t>(), below, fmt::format("{} <= {:.3g}: ", feature, threshold));
  add_tree(text, nodes, node["above"].get<std::size_t>(), below, fmt::format("{} > {:.3g}: ", feature, threshold));
}

std::string weights_text(const Json& model) {
  std::vector<std::pair<double, std::string>> weights;
  for (const Json& term : model.at("terms"))
    weights.emplace_back(term.at("weight").get<double>(), term.at("feature").get<std::string>());
  std::sort(weights.begin(), weights.end(),
            [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  std::string text =
      fmt::format("intercept {:+.2f}; above 0 speaks for batch, by standard deviations of the feature:\n",
                  model.at("intercept").get<double>());
  for (const auto& [weight, feature] : weights) text += fmt::format("  {:+7.2f}  {}\n", weight, feature);
  return text;
}

std::string mean_text(const Json& mean) {
  return fmt::format("{:.2f} % ({:.2f} to {:.2f})", 100 * mean.value("value", 0.0), 100 * mean.value("low", 0.0),
                     100 * mean.value("high", 0.0));
}

/// \param file names it in errors.
std::string sheet_text(const Json& sheet, const std::string& file) try {
  const Json machine = sheet.value("machine", Json::object());
  std::string families;
  for (const Json& family : sheet.value("families", Json::array()))
    families += (families.empty() ? "" : ", ") + family.get<std::string>();
  std::vector<std::vector<Cell>> rows;
  auto row = [&](const char* name, std::string value) { rows.push_back({{name, ""}, {std::move(value), ""}}); };
  row("machine", fmt::format("{}, {} cores, {} chiplets, {}", machine.value("name", "unknown"),
                             machine.value("cores", 0), machine.value("chiplets", 0), machine.value("kernel", "")));
  row("workers", std::to_string(machine.value("workers", 0)));
  if (machine.contains("load")) row("load before", fmt::format("{:.1f}", machine.value("load", 0.0)));
  row("labelled", sheet.value("labelled", ""));
  row("trained", sheet.value("trained", ""));
  row("graphs", fmt::format("{} of {}; each run {} times by each schedule", sheet.value("graphs", 0), families,
                            sheet.value("pairs", 0)));
  row("regret", mean_text(sheet.value("regret", Json::object())) + ", on families that it had not seen");
  row("of the stream", mean_text(sheet.value("regret_of_stream", Json::object())));
  if (sheet.contains("accuracy_unseen"))
    row("accuracy", fmt::format("{:.0f} % trained, {:.0f} % unseen, of three classes (the paper: 90 and 72)",
                                100 * sheet.value("accuracy", 0.0), 100 * sheet.value("accuracy_unseen", 0.0)));
  row("default", sheet.value("default", "") + ", because " + sheet.value("reason", ""));
  return render_table({{"data sheet"}, {""}}, rows, false);
} catch (const Json::exception& error) {
  throw Error(Errc::bad_input, file + " has a data sheet that cannot be read: " + base::json_problem(error),
              "train the model again with `charm batch train`");
}

int show_kinds(const BatchShowOptions& options, Session& session) {
  Json kinds = Json::array();
  std::vector<std::vector<Cell>> rows;
  for (const GraphSelector::Kind& kind : GraphSelector::kinds()) {
    const std::string name = std::string(kind.name) + (kind.reads_file ? ":FILE" : "");
    kinds.push_back(
        {{"selector", name}, {"summary", kind.summary}, {"default", name == GraphSelector().description()}});
    rows.push_back({{name, ""},
                    {std::string(kind.summary) + (name == GraphSelector().description() ? " (the default)" : ""), ""}});
  }
  session.out << (options.output.json ? base::json_text(kinds, 2) + "\n"
                                      : render_table({{"selector"}, {"decides by"}}, rows, false));
  return exit_done;
}

}  // namespace

int batch_show(const BatchShowOptions& options, Session& session) {
  if (options.model.empty()) return show_kinds(options, session);
  const GraphSelector selector = GraphSelector::from_file(options.model);  // says what is wrong with a file
  const Json model = Json::parse(os::read_bounded(options.model).text);
  const Json sheet = model.value("sheet", Json());
  if (options.output.json) {
    session.out << base::json_text(
                       {{"selector", selector.description()}, {"parameters", selector.parameters()}, {"sheet", sheet}},
                       2)
                << '\n';
    return exit_done;
  }
  const std::string kind = model["model"].get<std::string>();
  std::string text = fmt::format("{}: {}, {}\n\n", options.model, kind, base::counted(selector.parameters(), "number"));
  if (kind == "tree") add_tree(text, model["nodes"], 0, 0, "");
  if (kind == "logistic") text += weights_text(model);
  if (kind != "gcn") text += "\n";
  text += sheet.is_object() ? sheet_text(sheet, options.model) : "It has no data sheet.\n";  // may throw
  session.out << text;
  return exit_done;
}

}  // namespace charm::cli
