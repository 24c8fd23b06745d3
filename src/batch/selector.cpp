// Selectors by description, and the models that some of them read.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>

#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace charm {

namespace detail {

/// A trained model: features to the probability that batch is the faster.
struct SelectorModel {
  virtual ~SelectorModel() = default;
  [[nodiscard]] virtual double batch_probability(const GraphFeatures& features) const = 0;
};

}  // namespace detail

namespace {

using Json = nlohmann::json;
using Model = std::shared_ptr<const detail::SelectorModel>;

std::size_t feature_number(const std::string& name) {
  for (std::size_t i = 0; i < GraphFeatures::count; ++i) {
    if (GraphFeatures::names[i] == name) return i;
  }
  throw std::invalid_argument("the feature '" + name + "', which there is not");
}

double finite(double x, const char* what) {
  if (!std::isfinite(x)) throw std::invalid_argument(std::string(what) + " that is not a finite number");
  return x;
}

struct Tree final : detail::SelectorModel {
  struct Node {
    std::size_t feature = 0;
    double threshold = 0, probability = 0;  // of a leaf
    std::size_t below = 0, above = 0;       // 0: a leaf, since no branch leads to the root
  };
  std::vector<Node> nodes;

  /// Branches lead to later nodes only, so that every walk ends.
  explicit Tree(const Json& json) {
    const Json& list = json.at("nodes");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& from = list.at(i);
      Node node;
      if (from.contains("batch")) {
        node.probability = from.at("batch").get<double>();
        if (!(node.probability >= 0 && node.probability <= 1))
          throw std::invalid_argument("a leaf, node " + std::to_string(i) + ", whose 'batch' is not within 0 and 1");
      } else {
        node.feature = feature_number(from.at("feature").get<std::string>());
        node.threshold = finite(from.at("threshold").get<double>(), "a threshold");
        for (const auto& [name, to] : {std::pair{"below", &node.below}, std::pair{"above", &node.above}}) {
          const auto target = from.at(name).get<std::int64_t>();
          if (target <= static_cast<std::int64_t>(i) || target >= static_cast<std::int64_t>(list.size()))
            throw std::invalid_argument("node " + std::to_string(i) + ", whose '" + name +
                                        "' is not the number of a later node");
          *to = static_cast<std::size_t>(target);
        }
      }
      nodes.push_back(node);
    }
    if (nodes.empty()) throw std::invalid_argument("no nodes");
  }
  [[nodiscard]] double batch_probability(const GraphFeatures& features) const override {
    const Node* node = &nodes.front();
    while (node->below != 0)
      node = &nodes[features.values[node->feature] <= node->threshold ? node->below : node->above];
    return node->probability;
  }
};

struct Logistic final : detail::SelectorModel {
  struct Term {
    std::size_t feature;
    double weight, mean, scale;
  };
  double intercept = 0;
  std::vector<Term> terms;

  explicit Logistic(const Json& json) : intercept(finite(json.at("intercept").get<double>(), "an intercept")) {
    for (const Json& from : json.at("terms")) {
      Term term{feature_number(from.at("feature").get<std::string>()),
                finite(from.at("weight").get<double>(), "a weight"), finite(from.value("mean", 0.0), "a mean"),
                finite(from.value("scale", 1.0), "a scale")};
      if (!(term.scale > 0)) throw std::invalid_argument("a scale that is not above 0");
      terms.push_back(term);
    }
  }
  [[nodiscard]] double batch_probability(const GraphFeatures& features) const override {
    double sum = intercept;
    for (const Term& term : terms) sum += term.weight * (features.values[term.feature] - term.mean) / term.scale;
    return 1 / (1 + std::exp(-sum));
  }
};

constexpr const char* descriptions = "'stream', 'batch', 'tree:FILE' or 'logistic:FILE'";

}  // namespace

GraphSelector::GraphSelector() : GraphSelector("stream", 0, nullptr) {}
GraphSelector::GraphSelector(std::string description, double constant, Model model)
    : description_(std::move(description)), constant_(constant), model_(std::move(model)) {}

GraphSelector GraphSelector::from(std::string_view description) {
  if (description == "stream") return {"stream", 0, nullptr};
  if (description == "batch") return {"batch", 1, nullptr};
  const std::size_t colon = description.find(':');
  const std::string kind(description.substr(0, colon));
  if (colon == std::string_view::npos || colon + 1 == description.size() || (kind != "tree" && kind != "logistic"))
    throw Error(Errc::bad_input, "there is no selector '" + std::string(description) + "'",
                std::string("the selectors are ") + descriptions);
  const std::string file(description.substr(colon + 1));
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in)
    throw Error(Errc::bad_input, "the selector's model '" + file + "' cannot be read", "give the path of a file");
  return from_text(kind, text, file);
}

GraphSelector GraphSelector::from_text(std::string_view kind, const std::string& text, const std::string& origin) {
  try {
    const Json json = Json::parse(text);
    const std::string says = json.at("model").get<std::string>();
    if (says != kind)
      throw std::invalid_argument("a model of the kind '" + says + "' where '" + std::string(kind) + "' is wanted");
    if (json.at("version").get<int>() != 1) throw std::invalid_argument("a version other than 1");
    std::string description = std::string(kind) + ":" + origin;
    if (kind == "tree") return {std::move(description), 0, std::make_shared<Tree>(json)};
    if (kind == "logistic") return {std::move(description), 0, std::make_shared<Logistic>(json)};
    throw std::invalid_argument("a model of a kind that there is not");
  } catch (const std::invalid_argument& error) {
    throw Error(Errc::bad_input, origin + " has " + error.what(), "docs/task-graphs.md has the format of models");
  } catch (const Json::exception& error) {
    throw Error(Errc::bad_input, origin + " is no model of a selector: " + error.what(),
                "docs/task-graphs.md has the format of models");
  }
}

double GraphSelector::batch_probability(const GraphFeatures& features) const {
  return model_ != nullptr ? model_->batch_probability(features) : constant_;
}

GraphSchedule GraphSelector::choose(const GraphFeatures& features) const {
  return batch_probability(features) > 0.5 ? GraphSchedule::batch : GraphSchedule::stream;
}

}  // namespace charm
