// The graph network as a selector, and its file.
//
// "Both" is the class of graphs where the two schedules differ by less than 2 % (ABSS §3.2), so whatever is chosen
// there costs next to nothing: the odds of batch against stream decide, which is the paper's rule (both: stream) where
// "both" is unlikely.
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "task_dag/gcn.hpp"
#include "task_dag/selector_model.hpp"

namespace charm::task_dag {

namespace {

/// The numbers of a matrix, given as a list of rows.
void read_matrix(const base::SortedJson& model, const char* name, std::size_t columns, std::span<float> out) {
  const std::size_t rows = out.size() / columns;
  const base::SortedJson& list = model.at(name);
  auto wrong = [&] {
    return std::invalid_argument("a '" + std::string(name) + "' that is not " + std::to_string(rows) + " rows of " +
                                 std::to_string(columns) + " numbers");
  };
  if (!list.is_array() || list.size() != rows) throw wrong();
  std::size_t at = 0;
  for (const base::SortedJson& row : list) {
    if (!row.is_array() || row.size() != columns) throw wrong();
    for (const base::SortedJson& number : row) {
      if (!number.is_number()) throw wrong();
      out[at++] = static_cast<float>(
          finite(static_cast<double>(number.get<float>()), "a number in '" + std::string(name) + "'"));
    }
  }
}
void read_vector(const base::SortedJson& model, const char* name, std::span<float> out) {
  read_matrix(base::SortedJson{{name, base::SortedJson::array({model.at(name)})}}, name, out.size(), out);
}

struct Network final : detail::SelectorModel {
  Gcn gcn;

  explicit Network(const base::SortedJson& json) {
    const auto names = json.at("features").get<std::vector<std::string>>();
    for (std::size_t i = 0; i < Gcn::inputs; ++i) {
      if (i >= names.size() || names[i] != NodeTable::names[i])
        throw std::invalid_argument("features of nodes that are not those of this version, which are " + [] {
          std::string all;
          for (const std::string_view name : NodeTable::names) all += (all.empty() ? "" : ", ") + std::string(name);
          return all;
        }());
    }
    if (names.size() != Gcn::inputs) throw std::invalid_argument("more features of nodes than there are");
    read_vector(json, "mean", gcn.mean);
    read_vector(json, "scale", gcn.scale);
    for (const float scale : gcn.scale) {
      if (!(scale > 0)) throw std::invalid_argument("a scale that is not above 0");
    }
    read_matrix(json, "convolution1", Gcn::hidden, gcn.convolution1);
    read_matrix(json, "convolution2", Gcn::hidden, gcn.convolution2);
    read_matrix(json, "dense1", Gcn::hidden, gcn.dense1);
    read_vector(json, "bias1", gcn.bias1);
    read_matrix(json, "dense2", Gcn::classes, gcn.dense2);
    read_vector(json, "bias2", gcn.bias2);
  }
  [[nodiscard]] double batch_probability(const SelectorInput& input) const override {
    if (input.nodes == nullptr || input.nodes->nodes == 0 || input.nodes->nodes > Gcn::most_nodes) return 0;
    const std::array<float, Gcn::classes> logits = gcn.logits(*input.nodes);
    return 1 / (1 + std::exp(static_cast<double>(logits[1]) - static_cast<double>(logits[0])));
  }
  [[nodiscard]] bool needs_nodes() const noexcept override { return true; }
  [[nodiscard]] std::size_t parameters() const noexcept override { return Gcn::parameters; }
};

}  // namespace

SelectorModelPointer read_gcn(const base::SortedJson& model) { return std::make_shared<Network>(model); }

}  // namespace charm::task_dag
