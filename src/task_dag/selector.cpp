// The registry of selectors, and charm::GraphSelector, which is one of them with its model.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/registry.hpp"
#include "os/files/bounded_file.hpp"
#include "task_dag/gcn.hpp"
#include "task_dag/graph_state.hpp"
#include "task_dag/selector_model.hpp"

namespace charm::task_dag {

std::span<const SelectorEntry> selector_entries() {
  static constexpr std::array all = {
      SelectorEntry{{"stream", "every graph as a stream", false}},
      SelectorEntry{{"batch", "every graph in batches", false}, 1},
      SelectorEntry{{"tree", "a decision tree over the features of the graph", true}, 0, read_tree},
      SelectorEntry{{"logistic", "a logistic regression over the features of the graph", true}, 0, read_logistic},
      SelectorEntry{{"gcn", "a graph convolutional network over the nodes", true}, 0, read_gcn}};
  return all;
}

double finite(double number, const std::string& what) {
  if (!std::isfinite(number)) throw std::invalid_argument(what + " that is not a finite number");
  return number;
}

std::size_t feature_number(const std::string& name) {
  for (std::size_t i = 0; i < GraphFeatures::count; ++i) {
    if (GraphFeatures::names[i] == name) return i;
  }
  throw std::invalid_argument("the feature '" + name + "', which there is not");
}

const detail::SelectorModel* model_of(const GraphSelector& selector) noexcept { return selector.model_.get(); }

namespace {

/// The entry of a selector; null if there is none.
const SelectorEntry* selector_entry(std::string_view name) {
  for (const SelectorEntry& entry : selector_entries()) {
    if (entry.kind.name == name) return &entry;
  }
  return nullptr;
}

/// "'stream', 'batch', 'tree:FILE'".
std::string all_descriptions() {
  std::string all;
  for (const SelectorEntry& entry : selector_entries())
    all += (all.empty() ? "'" : ", '") + std::string(entry.kind.name) + (entry.kind.reads_file ? ":FILE'" : "'");
  return all;
}

std::string text_of(const std::string& file) {
  os::BoundedText read = os::read_bounded(file, {.bytes = std::size_t{64} << 20U});
  if (!read.problem.empty())
    throw Error(Errc::bad_input, "the selector's model '" + file + "' cannot be read: it " + read.problem,
                "give the path of a file that `charm batch train` has written");
  return std::move(read.text);
}

constexpr const char* where_format_is =
    "docs/design/graph-selectors.md has the format of models, and `charm batch train` writes them";

}  // namespace
}  // namespace charm::task_dag

namespace charm {

std::vector<GraphSelector::Kind> GraphSelector::kinds() {
  std::vector<Kind> kinds;
  for (const task_dag::SelectorEntry& entry : task_dag::selector_entries()) kinds.push_back(entry.kind);
  return kinds;
}

GraphSelector::GraphSelector() : GraphSelector("stream", 0, nullptr) {}
GraphSelector::GraphSelector(std::string description, double constant,
                             std::shared_ptr<const detail::SelectorModel> model)
    : description_(std::move(description)), constant_(constant), model_(std::move(model)) {}

GraphSelector GraphSelector::from(std::string_view description) {
  const std::size_t colon = description.find(':');
  const task_dag::SelectorEntry* entry = task_dag::selector_entry(description.substr(0, colon));
  const bool names_file = colon != std::string_view::npos;
  if (entry == nullptr || entry->kind.reads_file != names_file || (names_file && colon + 1 == description.size()))
    throw Error(Errc::bad_input, "there is no selector '" + std::string(description) + "'",
                "the selectors are " + task_dag::all_descriptions());
  if (!names_file) return {std::string(description), entry->constant, nullptr};
  const std::string file(description.substr(colon + 1));
  return from_text(entry->kind.name, task_dag::text_of(file), file);
}

GraphSelector GraphSelector::from_file(const std::string& file) { return from_text("", task_dag::text_of(file), file); }

GraphSelector GraphSelector::from_text(std::string_view kind, const std::string& text, const std::string& origin) {
  try {
    const base::SortedJson json = base::SortedJson::parse(text);
    const std::string says = json.at("model").get<std::string>();
    if (!kind.empty() && says != kind)
      throw std::invalid_argument("a model of the kind '" + says + "' where '" + std::string(kind) + "' is wanted");
    const task_dag::SelectorEntry* entry = task_dag::selector_entry(says);
    if (entry == nullptr || entry->read == nullptr)
      throw std::invalid_argument("a model of the kind '" + says + "', which there is not");
    if (const base::SortedJson& version = json.at("version"); version != 1)
      throw std::invalid_argument("version " + version.dump() + ", of which only 1 can be read");
    return {says + ":" + origin, 0, entry->read(json)};
  } catch (const std::invalid_argument& error) {
    throw Error(Errc::bad_input, origin + " has " + error.what(), task_dag::where_format_is);
  } catch (const nlohmann::json::exception& error) {
    throw Error(Errc::bad_input, origin + " is no model of a selector: " + base::json_problem(error),
                task_dag::where_format_is);
  }
}

bool GraphSelector::needs_nodes() const noexcept { return model_ != nullptr && model_->needs_nodes(); }

std::size_t GraphSelector::parameters() const noexcept { return model_ != nullptr ? model_->parameters() : 0; }

double GraphSelector::batch_probability(const GraphFeatures& features) const {
  if (needs_nodes())
    throw Error(Errc::bad_input, "the selector '" + description_ + "' cannot decide by the features of a graph alone",
                "give it the graph");
  return model_ != nullptr ? model_->batch_probability({features, nullptr}) : constant_;
}

double GraphSelector::batch_probability(task_graph& graph, int workers) const {
  if (model_ == nullptr) return constant_;
  if (!model_->needs_nodes()) return model_->batch_probability({GraphFeatures::of(graph, workers), nullptr});
  graph.check();
  const task_dag::NodeTable nodes = graph.size() <= task_dag::Gcn::most_nodes
                                        ? task_dag::NodeTable::of(detail::state_of(graph))
                                        : task_dag::NodeTable();
  return model_->batch_probability({GraphFeatures(), &nodes});
}

namespace {

GraphSchedule schedule_for(double batch_probability) {
  return batch_probability > 0.5 ? GraphSchedule::batch : GraphSchedule::stream;
}

}  // namespace

GraphSchedule GraphSelector::choose(const GraphFeatures& features) const {
  return schedule_for(batch_probability(features));
}
GraphSchedule GraphSelector::choose(task_graph& graph, int workers) const {
  return schedule_for(batch_probability(graph, workers));
}

}  // namespace charm
