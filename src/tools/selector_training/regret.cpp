#include "tools/selector_training/regret.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/random.hpp"
#include "task_dag/selector_model.hpp"
#include "tools/base/quantile.hpp"

namespace charm::selector_training {

namespace {

constexpr int resamples = 2000;

using Groups = std::vector<std::vector<std::size_t>>;  // graphs of each family

Mean mean_over(const std::vector<double>& values, const Groups& groups, std::uint64_t seed) {
  Mean mean;
  double sum = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  mean.value = sum / count;
  base::Random random(seed);
  std::vector<double> means;
  for (int r = 0; r < resamples; ++r) {
    double drawn = 0;
    for (const auto& group : groups) {
      for (std::size_t i = 0; i < group.size(); ++i) drawn += values[group[random.index(group.size())]];
    }
    means.push_back(drawn / count);
  }
  mean.at95 = {base::quantile(means, 0.025), base::quantile(means, 0.975)};
  return mean;
}

bool is_right(GraphSchedule chosen, std::string_view better) {
  return better == "both" || (better == "batch") == (chosen == GraphSchedule::batch);
}

}  // namespace

GraphSchedule choice_of(const GraphSelector& selector, const Label& label) {
  const detail::SelectorModel* model = task_dag::model_of(selector);
  const double probability = model != nullptr ? model->batch_probability({label.features, &label.nodes})
                                              : selector.batch_probability(label.features);
  return probability > 0.5 ? GraphSchedule::batch : GraphSchedule::stream;
}

Judgement judge(const std::string& name, const std::vector<LabelledGraph>& graphs,
                const std::function<const GraphSelector&(const std::string& family)>& selector_for,
                std::uint64_t seed) {
  Judgement out;
  out.selector = name;
  std::map<std::string, std::vector<std::size_t>> by_family;
  for (std::size_t i = 0; i < graphs.size(); ++i) by_family[graphs[i].plan.family].push_back(i);
  std::vector<double> regret(graphs.size()), gained(graphs.size());
  Groups groups;
  std::size_t right = 0, batches = 0;
  for (const auto& [family, members] : by_family) {
    groups.push_back(members);
    const GraphSelector& selector = selector_for(family);
    out.parameters = std::max(out.parameters, selector.parameters());
    Judgement::OfFamily part{family, members.size()};
    std::size_t right_here = 0;
    for (const std::size_t i : members) {
      const Label& label = graphs[i].label;
      const GraphSchedule chosen = choice_of(selector, label);
      regret[i] = label.regret(chosen);
      gained[i] = label.regret(GraphSchedule::stream) - regret[i];
      part.regret += regret[i] / static_cast<double>(members.size());
      right_here += is_right(chosen, label.better()) ? 1 : 0;
      batches += chosen == GraphSchedule::batch ? 1 : 0;
    }
    part.right = static_cast<double>(right_here) / static_cast<double>(members.size());
    right += right_here;
    out.families.push_back(std::move(part));
  }
  const auto count = static_cast<double>(graphs.size());
  out.regret = mean_over(regret, groups, seed);
  out.gained = mean_over(gained, groups, seed);
  out.right = static_cast<double>(right) / count;
  out.batches = static_cast<double>(batches) / count;
  return out;
}

Verdict verdict(const std::vector<Judgement>& judgements) {
  std::vector<const Judgement*> models;
  for (const Judgement& each : judgements) {
    if (each.parameters > 0) models.push_back(&each);
  }
  std::sort(models.begin(), models.end(), [](const Judgement* a, const Judgement* b) {
    return a->parameters != b->parameters ? a->parameters < b->parameters : a < b;  // as they stand in the vector
  });
  const auto best = std::max_element(models.begin(), models.end(), [](const Judgement* a, const Judgement* b) {
    return a->gained.value < b->gained.value;
  });
  auto gain_of = [](const Judgement& each) {
    return "'" + each.selector + "' loses " + base::format_percent(each.regret.value) +
           " on families that it has not seen, which gains " + base::three_digits(100 * each.gained.value) +
           " points over the stream (" + base::three_digits(100 * each.gained.at95.low) + " to " +
           base::three_digits(100 * each.gained.at95.high) + ")";
  };
  auto find = [&](const std::string& name) {
    return std::find_if(models.begin(), models.end(), [&](const Judgement* each) { return each->selector == name; });
  };
  for (const Judgement* each : models) {
    if (each->gained.at95.low < worth_shipping) continue;
    const auto tree = find("tree");
    if (each->selector == "gcn" && tree != models.end() && (*tree)->regret.value - each->regret.value <= as_good_as)
      return {"tree", "it is within half a point of the network: " + gain_of(**tree)};
    return {each->selector, gain_of(*each)};
  }
  if (models.empty()) return {"stream", "there is no model that was judged on families that it has not seen"};
  return {"stream", "no model gains a point of regret over it; the best, " + gain_of(**best)};
}

}  // namespace charm::selector_training
