#include "tools/cli/batch/judged.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "os/files/bounded_file.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using selector_training::Judgement;

/// The families that a model's data sheet says it was trained with.
std::set<std::string> seen_by(const std::string& file) {
  std::set<std::string> seen;
  const base::Json model = base::Json::parse(os::read_bounded(file).text, nullptr, false);
  if (!model.is_object() || !model.contains("sheet") || !model["sheet"].is_object()) return seen;
  for (const base::Json& family : model["sheet"].value("families", base::Json::array())) {
    if (family.is_string()) seen.insert(family.get<std::string>());
  }
  return seen;
}

/// One kind of model of a folder, by the family that it has not seen.
Judgement judge_kind(const std::string& folder, const std::string& kind,
                     const std::vector<selector_training::LabelledGraph>& graphs) {
  std::map<std::string, GraphSelector> without;
  return selector_training::judge(kind, graphs, [&](const std::string& family) -> const GraphSelector& {
    auto found = without.find(family);
    if (found == without.end()) {
      const std::string fold = folder + "/folds/" + family + "/" + kind + ".json";
      const bool trained = std::filesystem::exists(fold);  // else the final model has not seen the family, either
      found = without.emplace(family, GraphSelector::from_file(trained ? fold : folder + "/" + kind + ".json")).first;
    }
    return found->second;
  });
}

}  // namespace

Judged judge_models(const std::vector<std::string>& models,
                    const std::vector<selector_training::LabelledGraph>& graphs) {
  Judged out;
  for (const char* each : {"stream", "batch"}) {
    const GraphSelector always = GraphSelector::from(each);
    out.judgements.push_back(selector_training::judge(
        std::string("always-") + each, graphs, [&](const std::string&) -> const GraphSelector& { return always; }));
  }
  std::vector<Judgement> fair = out.judgements;  // what the verdict may rest on: judged by families that were not seen
  std::set<std::string> families;
  for (const selector_training::LabelledGraph& graph : graphs) families.insert(graph.plan.family);
  for (const std::string& path : models) {
    if (std::filesystem::is_directory(path)) {
      bool any = false;
      for (const GraphSelector::Kind& kind : GraphSelector::kinds()) {
        const std::string name(kind.name);
        if (!kind.reads_file || !std::filesystem::exists(path + "/" + name + ".json")) continue;
        fair.push_back(out.judgements.emplace_back(judge_kind(path, name, graphs)));
        any = true;
      }
      if (!any)
        throw Error(Errc::bad_input, path + " has no models", "give a folder that `charm batch train` has written");
      continue;
    }
    const GraphSelector selector = GraphSelector::from_file(path);
    const std::string name = selector.description().substr(0, selector.description().find(':'));
    out.judgements.push_back(
        selector_training::judge(name, graphs, [&](const std::string&) -> const GraphSelector& { return selector; }));
    const std::set<std::string> seen = seen_by(path);
    const bool all_new =
        std::none_of(families.begin(), families.end(), [&](const auto& f) { return seen.contains(f); });
    if (all_new)
      fair.push_back(out.judgements.back());
    else
      out.notes.push_back(path +
                          " was trained with some of these families, so its regret is too small and it cannot be the "
                          "default");
  }
  out.verdict = selector_training::verdict(fair);
  return out;
}

std::string judged_text(const Judged& judged) {
  auto interval = [](const selector_training::Mean& mean, const char* unit) {
    return fmt::format("{:.2f}{} ({:.2f} to {:.2f})", 100 * mean.value, unit, 100 * mean.at95.low,
                       100 * mean.at95.high);
  };
  using Align = Column::Align;
  std::vector<std::vector<Cell>> rows;
  for (const Judgement& each : judged.judgements)
    rows.push_back({{each.selector, ""},
                    {std::to_string(each.parameters), ""},
                    {interval(each.regret, " %"), ""},
                    {interval(each.gained, ""), ""},
                    {base::format_percent(each.right), ""},
                    {base::format_percent(each.batches), ""}});
  std::string text = render_table({{"selector"},
                                   {"numbers", Align::right},
                                   {"regret", Align::right},
                                   {"gained over stream", Align::right},
                                   {"right", Align::right},
                                   {"in batches", Align::right}},
                                  rows, false);
  std::vector<Column> columns{{"regret on"}, {"graphs", Align::right}};
  for (const Judgement& each : judged.judgements) columns.push_back({each.selector, Align::right});
  rows.clear();
  const auto& families = judged.judgements.front().families;
  for (std::size_t f = 0; f < families.size(); ++f) {
    std::vector<Cell> row{{families[f].family, ""}, {std::to_string(families[f].graphs), ""}};
    for (const Judgement& each : judged.judgements)
      row.push_back({fmt::format("{:.2f} %", 100 * each.families[f].regret), ""});
    rows.push_back(std::move(row));
  }
  text += "\n" + render_table(columns, rows, false) + "\n";
  for (const std::string& note : judged.notes) text += "Note: " + note + ".\n";
  return text + "Default: " + judged.verdict.selector + ", because " + judged.verdict.reason + ".\n";
}

base::Json judged_json(const Judged& judged) {
  base::Json selectors = base::Json::array();
  auto mean = [](const selector_training::Mean& from) {
    return base::Json{{"value", from.value}, {"low", from.at95.low}, {"high", from.at95.high}};
  };
  for (const Judgement& each : judged.judgements) {
    base::Json families = base::Json::array();
    for (const auto& family : each.families)
      families.push_back(
          {{"family", family.family}, {"graphs", family.graphs}, {"regret", family.regret}, {"right", family.right}});
    selectors.push_back({{"selector", each.selector},
                         {"parameters", each.parameters},
                         {"regret", mean(each.regret)},
                         {"gained", mean(each.gained)},
                         {"right", each.right},
                         {"in_batches", each.batches},
                         {"families", families}});
  }
  return {{"selectors", selectors},
          {"default", judged.verdict.selector},
          {"reason", judged.verdict.reason},
          {"notes", judged.notes}};
}

}  // namespace charm::cli
