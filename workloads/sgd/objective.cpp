// Loss and gradient of logistic regression (see objective.hpp).
#include "workloads/sgd/objective.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "workloads/activity.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/row.hpp"

namespace charm::workloads {
namespace {

constexpr Index feature_grain = 4096;
constexpr Index rows_together = 4;  // of a gradient: they stay in the second-level cache

/// An array of `size` zeros for each worker that takes part, made by that worker so that it lies near it.
template <class T>
class PrivateSums {
 public:
  PrivateSums(int workers, Index size) : size_(size), sums_(static_cast<std::size_t>(workers)) {}
  T* of(int worker) {
    auto& mine = sums_[static_cast<std::size_t>(worker)];
    if (mine.size() == 0) {
      mine = Array<T>(size_);
      std::fill(mine.begin(), mine.end(), T{0});
    }
    return mine.data();
  }
  [[nodiscard]] double total(Index i) const {
    double sum = 0;
    for (const auto& one : sums_) sum += one.size() != 0 ? static_cast<double>(one[i]) : 0;
    return sum;
  }

 private:
  Index size_;
  std::vector<Array<T>> sums_;
};

/// The product in double precision, entry by entry.
double exact_dot(const Samples& samples, Index row, const std::vector<double>& w) {
  double sum = 0;
  const bool sparse = samples.sparse();
  const Index first = sparse ? samples.offsets[row] : row * samples.features;
  const Index last = sparse ? samples.offsets[row + 1] : first + samples.features;
  for (Index i = first; i < last; ++i) {
    const Index feature = sparse ? samples.columns[i] : i - first;
    sum += static_cast<double>(samples.values[i]) * w[static_cast<std::size_t>(feature)];
  }
  return sum;
}

}  // namespace

template <Executor E>
double mean_loss(E& e, const Samples& samples, const std::vector<const float*>& models) {
  const double sum = reduce_parts(
      e, samples.rows, samples.grain(e.workers()), 0.0,
      [&](Index lo, Index hi, double total) {
        const RunningBody running;
        const float* w = models[static_cast<std::size_t>(e.worker())];
        for (Index row = lo; row < hi; ++row)
          total +=
              logistic_loss(static_cast<double>(static_cast<float>(samples.labels[row]) * dot<Plain>(samples, row, w)));
        return total;
      },
      [](double a, double b) { return a + b; });
  return sum / static_cast<double>(samples.rows);
}

template <Executor E>
Array<float> gradient(E& e, const Samples& samples, const Array<float>& model) {
  PrivateSums<float> sums(e.workers(), samples.features);
  for_parts(e, samples.rows, samples.grain(e.workers()), [&](Index lo, Index hi) {
    const RunningBody running;
    float* mine = sums.of(e.worker());
    const auto factor = [&](Index row, float product) {
      const auto label = static_cast<float>(samples.labels[row]);
      return -label * static_cast<float>(logistic_slope(static_cast<double>(label * product)));
    };
    const Index features = samples.features;
    Index row = lo;
    for (; !samples.sparse() && row + rows_together <= hi; row += rows_together) {
      const float* x = &samples.values[row * features];
      auto factors = dot_dense_rows<rows_together>(x, model.data(), features);
      for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = factor(row + Index(k), factors[k]);
      add_dense_rows(x, features, factors, mine);
    }
    for (; row < hi; ++row) add_row(samples, row, factor(row, dot<Plain>(samples, row, model.data())), mine);
  });
  Array<float> result(samples.features);
  const double lambda = samples.lambda();
  e.parallel_for(0, samples.features, feature_grain, [&](Index lo, Index hi) {
    for (Index j = lo; j < hi; ++j)
      result[j] = static_cast<float>(sums.total(j) / static_cast<double>(samples.rows) +
                                     lambda * static_cast<double>(model[j]));
  });
  return result;
}

template <Executor E>
double exact_objective(E& e, const Samples& samples, const std::vector<double>& model, std::vector<double>* gradient) {
  PrivateSums<double> sums(e.workers(), samples.features);
  double loss = reduce_parts(
      e, samples.rows, samples.grain(e.workers()), 0.0,
      [&](Index lo, Index hi, double total) {
        double* mine = gradient != nullptr ? sums.of(e.worker()) : nullptr;
        for (Index row = lo; row < hi; ++row) {
          const double label = samples.labels[row];
          const double margin = label * exact_dot(samples, row, model);
          total += logistic_loss(margin);
          if (mine != nullptr) add_row(samples, row, -label * logistic_slope(margin), mine);
        }
        return total;
      },
      [](double a, double b) { return a + b; });
  loss /= static_cast<double>(samples.rows);
  double square = 0;
  for (const double w : model) square += w * w;
  if (gradient != nullptr) {
    gradient->resize(model.size());
    for (std::size_t j = 0; j < model.size(); ++j)
      (*gradient)[j] =
          sums.total(static_cast<Index>(j)) / static_cast<double>(samples.rows) + samples.lambda() * model[j];
  }
  return loss + samples.lambda() / 2 * square;
}

double penalty(const Samples& samples, const Array<float>& model) {
  double square = 0;
  for (const float w : model) square += static_cast<double>(w) * static_cast<double>(w);
  return samples.lambda() / 2 * square;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type)                                                   \
  template double mean_loss<Type>(Type&, const Samples&, const std::vector<const float*>&); \
  template Array<float> gradient<Type>(Type&, const Samples&, const Array<float>&);         \
  template double exact_objective<Type>(Type&, const Samples&, const std::vector<double>&, std::vector<double>*);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
