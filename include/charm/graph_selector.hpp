// Which schedule fits a task graph: its features, and the selectors that decide by them (ABSS §3.2).
#pragma once

#include <charm/task_graph.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace charm {

/// What is known of a graph before it runs: its shape, and the costs of its nodes as far as the runtime has measured
/// their kinds. The order of `names` is the order in models; new features are added at the end.
struct GraphFeatures {
  /// Number of features.
  static constexpr std::size_t count = 16;
  /// Their names, by which models refer to them.
  static const std::array<std::string_view, count> names;
  /// By number, in the order of `names`:
  /// - log_nodes, log_edges: natural logarithms of 1 + their number
  /// - depth: logarithm of 1 + the number of levels. A node's level is one more than the highest of its predecessors;
  ///   conditional edges do not count
  /// - log_width: logarithm of the mean number of nodes of a level
  /// - log_max_width: logarithm of the largest
  /// - width_per_worker: mean number of nodes of a level, by the number of workers
  /// - tail: mean share of the workers, 0 to 1, that are idle in the last round of a level if all nodes cost the same:
  ///   (p - n mod p) mod p / p for n nodes and p workers
  /// - mean_degree, degree_variation: of edges from a node; standard deviation by mean
  /// - max_in, max_out: logarithms of 1 + the largest number of edges to and from a node
  /// - conditional: share of the edges, 0 to 1
  /// - log_kinds: logarithm of the number of kinds
  /// - log_cost: logarithm of 1 + the mean cost of a node in nanoseconds; 0 where no kind was measured
  /// - cost_variation: standard deviation of the cost by its mean, within kinds and between them
  /// - cost_known: share of the nodes whose kind was measured, 0 to 1
  std::array<double, count> values = {};

  /// The features of a graph; a graph within it (composed_of) counts as one node. \param workers 0: as many as the
  /// runtime has, or one without a runtime. \throws Error (bad_input) for a cycle, and while the graph runs.
  static GraphFeatures of(task_graph& graph, int workers = 0);
  /// The value of that name. \throws Error (bad_input).
  [[nodiscard]] double operator[](std::string_view name) const;
};

namespace detail {
struct SelectorModel;
}
class GraphSelector;
namespace task_dag {
/// What the selector chooses with, for the modules of the runtime.
const detail::SelectorModel* model_of(const GraphSelector& selector) noexcept;
}  // namespace task_dag

/// Chooses between stream and batch. Selectors are values, made from a description:
/// - "stream", "batch": always that
/// - "tree:FILE", "logistic:FILE", "gcn:FILE": a decision tree, a logistic regression, or a graph convolutional network
///   from a file (docs/design/graph-selectors.md has the format; `charm batch train` writes such files)
class GraphSelector {
 public:
  /// A kind of selector.
  struct Kind {
    std::string_view name;     ///< the first word of its description
    std::string_view summary;  ///< what it is
    bool reads_file;           ///< whether ":FILE" follows
  };
  /// All kinds.
  static std::vector<Kind> kinds();

  /// The default, "stream".
  GraphSelector();
  /// \throws Error (bad_input): an unknown word, a file that cannot be read, a model that is not one (with the line and
  /// what is wrong).
  static GraphSelector from(std::string_view description);
  /// From a model's file of any kind. \throws as from().
  static GraphSelector from_file(const std::string& file);
  /// A model from its text. \param kind the kind that it must be; empty: any. \param origin for errors.
  static GraphSelector from_text(std::string_view kind, const std::string& text,
                                 const std::string& origin = "the model");

  /// \return stream or batch. Takes at most a microsecond. \throws Error (bad_input) if the selector needs_nodes().
  [[nodiscard]] GraphSchedule choose(const GraphFeatures& features) const;
  /// The same for a graph that is not running, and for any selector. Time and memory grow with the graph.
  /// \param workers as in GraphFeatures::of(). \throws Error (bad_input) for a cycle, and while the graph runs.
  [[nodiscard]] GraphSchedule choose(task_graph& graph, int workers = 0) const;
  /// The probability that batch is faster, 0 to 1. \throws as choose().
  [[nodiscard]] double batch_probability(const GraphFeatures& features) const;
  /// The same. A network does not look at graphs of more than 2^20 nodes and answers "stream".
  [[nodiscard]] double batch_probability(task_graph& graph, int workers = 0) const;
  /// The description that it was made from.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  /// Whether choose() looks at the graph at all.
  [[nodiscard]] bool needs_features() const noexcept { return model_ != nullptr; }
  /// Whether it looks at single nodes, so that the features of the graph are not enough.
  [[nodiscard]] bool needs_nodes() const noexcept;
  /// Number of trained parameters.
  [[nodiscard]] std::size_t parameters() const noexcept;

 private:
  friend const detail::SelectorModel* task_dag::model_of(const GraphSelector& selector) noexcept;
  GraphSelector(std::string description, double constant, std::shared_ptr<const detail::SelectorModel> model);
  std::string description_;
  double constant_ = 0;
  std::shared_ptr<const detail::SelectorModel> model_;
};

/// Gives the selector to a graph and sets its schedule to automatic. \throws Error (bad_input) while it runs.
void set_selector(task_graph& graph, GraphSelector selector);

}  // namespace charm
