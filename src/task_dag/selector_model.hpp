// Selectors as values in one registry: a name, what it is, and a function that reads its model. A new one is a file and
// a line in selector.cpp; charm::GraphSelector, the C interface, `charm batch` and its evaluation then offer it.
#pragma once

#include <charm/graph_selector.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "task_dag/node_table.hpp"

namespace charm::task_dag {

/// What selectors decide by.
struct SelectorInput {
  const GraphFeatures& features;
  const NodeTable* nodes;  // null unless the model needs_nodes()
};

}  // namespace charm::task_dag

namespace charm::detail {

/// A trained model: a graph to the probability that the batch is the faster.
struct SelectorModel {
  virtual ~SelectorModel() = default;
  [[nodiscard]] virtual double batch_probability(const task_dag::SelectorInput& input) const = 0;
  /// Whether it reads single nodes, and so needs the graph itself.
  [[nodiscard]] virtual bool needs_nodes() const noexcept { return false; }
  /// Numbers that were trained.
  [[nodiscard]] virtual std::size_t parameters() const noexcept = 0;
};

}  // namespace charm::detail

namespace charm::task_dag {

using SelectorModelPointer = std::shared_ptr<const detail::SelectorModel>;

struct SelectorEntry {
  GraphSelector::Kind kind;
  double constant = 0;                                                    // batch_probability() without a model
  SelectorModelPointer (*read)(const base::SortedJson& model) = nullptr;  // null: no model
};
std::span<const SelectorEntry> selector_entries();

/// The model of a selector; null if it has none.
const detail::SelectorModel* model_of(const GraphSelector& selector) noexcept;

// The readers. \throws std::invalid_argument, which goes on after "m.json has ...", and nlohmann::json::exception.
SelectorModelPointer read_tree(const base::SortedJson& model);
SelectorModelPointer read_logistic(const base::SortedJson& model);
SelectorModelPointer read_gcn(const base::SortedJson& model);

/// The number itself. \throws std::invalid_argument unless it is finite.
double finite(double number, const std::string& what);
/// \throws std::invalid_argument.
std::size_t feature_number(const std::string& name);

}  // namespace charm::task_dag
