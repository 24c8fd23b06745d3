// The logistic regression: the logistic function of a weighted sum of features.
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "task_dag/selector_model.hpp"

namespace charm::task_dag {

namespace {

struct Logistic final : detail::SelectorModel {
  struct Term {
    std::size_t feature;
    double weight, mean, scale;
  };
  double intercept = 0;
  std::vector<Term> terms;

  explicit Logistic(const base::SortedJson& json)
      : intercept(finite(json.at("intercept").get<double>(), "an intercept")) {
    for (const base::SortedJson& from : json.at("terms")) {
      Term term{feature_number(from.at("feature").get<std::string>()),
                finite(from.at("weight").get<double>(), "a weight"), finite(from.value("mean", 0.0), "a mean"),
                finite(from.value("scale", 1.0), "a scale")};
      if (!(term.scale > 0)) throw std::invalid_argument("a scale that is not above 0");
      terms.push_back(term);
    }
  }
  [[nodiscard]] double batch_probability(const SelectorInput& input) const override {
    double sum = intercept;
    for (const Term& term : terms) sum += term.weight * (input.features.values[term.feature] - term.mean) / term.scale;
    return 1 / (1 + std::exp(-sum));
  }
  [[nodiscard]] std::size_t parameters() const noexcept override { return terms.size() + 1; }
};

}  // namespace

SelectorModelPointer read_logistic(const base::SortedJson& model) { return std::make_shared<Logistic>(model); }

}  // namespace charm::task_dag
