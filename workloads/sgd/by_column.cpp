// Kernel: coordinate descent for logistic regression
//
// Returns a model whose objective is at most the target, or that of the last of the given number of epochs.
//
// Algorithm: an epoch minimises, feature by feature, a quadratic that touches the objective at the present model and
// lies above it elsewhere: its curvature is x^2/4, the largest that the loss has. So there is no exponential in the
// loop over the features: a feature's entries are multiplied with the residuals, the weight steps to the minimum of its
// parabola, and the residuals follow. Each worker has residuals of its own, which know of its own steps alone; so there
// are no races. The changes of all workers are added at the end of the epoch. That may go too far where features of
// different workers are alike; the step is then halved until the objective falls, which it does for short ones, because
// each worker's change leads downhill. The products of all rows with the model are kept, so that to try a length takes
// a pass over these alone.
//
// Column access is DimmWitted's (C. Zhang, C. Ré, PVLDB 7 (2014), §3.2), which there has one model for the machine, and
// whose residuals are shared without locks.
#include "workloads/sgd/by_column.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/executor/parts.hpp"
#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/row.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

constexpr Index row_grain = 4096;
constexpr double shortest_step = 1e-6;

template <Executor E>
class ByColumn {
 public:
  ByColumn(E& e, const Samples& samples, const SampleColumns& columns)
      : e_(e),
        samples_(samples),
        columns_(columns),
        model_(samples.features),
        change_(samples.features),
        products_(samples.rows),
        moves_(samples.rows),
        residuals_(samples.rows),
        of_workers_(static_cast<std::size_t>(e.workers())) {
    e_.parallel_for(0, samples.features, row_grain,
                    [this](Index lo, Index hi) { std::fill(&model_[lo], model_.data() + hi, 0.0F); });
    e_.parallel_for(0, samples.rows, row_grain,
                    [this](Index lo, Index hi) { std::fill(&products_[lo], products_.data() + hi, 0.0F); });
    objective_ = loss_after(0);
  }

  /// Finds how the model is to change, and how the products with it.
  void pass() {
    e_.parallel_for(0, samples_.rows, row_grain, [this](Index lo, Index hi) {
      for (Index row = lo; row < hi; ++row) {
        const auto label = static_cast<float>(samples_.labels[row]);
        residuals_[row] = label * static_cast<float>(logistic_slope(static_cast<double>(label * products_[row])));
      }
    });
    for (Own& own : of_workers_) own.used = false;
    const Index each = columns_.values.size() / samples_.features + 1;
    const Index grain = std::max<Index>(2048 / each + 1, samples_.features / (Index{e_.workers()} * 32) + 1);
    e_.parallel_for(0, samples_.features, grain, [this](Index lo, Index hi) {
      Own& own = of_workers_[static_cast<std::size_t>(e_.worker())];
      if (!own.used) {
        if (own.residuals.size() == 0) own.residuals = Array<float>(samples_.rows);
        std::copy(residuals_.begin(), residuals_.end(), own.residuals.begin());
        own.used = true;
      }
      for (Index j = lo; j < hi; ++j) change_[j] = step(j, own.residuals.data());
    });
    e_.parallel_for(0, samples_.rows, row_grain, [this](Index lo, Index hi) {
      std::fill(&moves_[lo], moves_.data() + hi, 0.0F);
      for (const Own& own : of_workers_) {
        if (!own.used) continue;
        for (Index row = lo; row < hi; ++row) moves_[row] += 4 * (residuals_[row] - own.residuals[row]);
      }
    });
  }

  /// Goes as far as the objective falls. Returns false where it cannot.
  bool advance() {
    for (double length = 1; length > shortest_step; length /= 2) {
      const double there = loss_after(length);
      if (!(there < objective_)) continue;
      const auto scale = static_cast<float>(length);
      e_.parallel_for(0, samples_.rows, row_grain, [&](Index lo, Index hi) {
        for (Index row = lo; row < hi; ++row) products_[row] += scale * moves_[row];
      });
      for (Index j = 0; j < samples_.features; ++j) model_[j] += scale * change_[j];
      objective_ = there;
      return true;
    }
    return false;
  }

  [[nodiscard]] double objective() const { return objective_; }
  Array<float> take() { return std::move(model_); }

 private:
  /// What a worker has to itself.
  struct alignas(128) Own {
    Array<float> residuals;
    bool used = false;  ///< in this epoch
  };

  /// The step of one feature; the residuals follow it.
  float step(Index j, float* residuals) {
    const auto rows = static_cast<double>(samples_.rows);
    const double curvature = static_cast<double>(columns_.squares[j]) / (4 * rows) + samples_.lambda();
    const bool sparse = samples_.sparse();
    const Index first = sparse ? columns_.offsets[j] : j * samples_.rows;
    const Index last = sparse ? columns_.offsets[j + 1] : first + samples_.rows;
    const float* x = columns_.values.data() + first;
    const Index count = last - first;
    double along = 0;
    if (sparse) {
      for (Index i = 0; i < count; ++i) along += static_cast<double>(x[i] * residuals[columns_.rows[first + i]]);
    } else {
      along = static_cast<double>(dot_dense<Plain>(x, residuals, count));
    }
    const double slope = samples_.lambda() * static_cast<double>(model_[j]) - along / rows;
    const auto move = static_cast<float>(-slope / curvature);
    const float quarter = move / 4;
    if (sparse) {
      for (Index i = 0; i < count; ++i) residuals[columns_.rows[first + i]] -= quarter * x[i];
    } else {
      for (Index i = 0; i < count; ++i) residuals[i] -= quarter * x[i];
    }
    return move;
  }

  /// The objective after `length` of the change.
  [[nodiscard]] double loss_after(double length) {
    const auto scale = static_cast<float>(length);
    const double loss = e_.parallel_reduce(
        Index{0}, samples_.rows, row_grain, 0.0,
        [&](Index lo, Index hi, double total) {
          for (Index row = lo; row < hi; ++row) {
            const float product = products_[row] + (length > 0 ? scale * moves_[row] : 0);
            total += logistic_loss(static_cast<double>(static_cast<float>(samples_.labels[row]) * product));
          }
          return total;
        },
        [](double a, double b) { return a + b; });
    double square = 0;
    for (Index j = 0; j < samples_.features; ++j) {
      const double w = static_cast<double>(model_[j]) + (length > 0 ? length * static_cast<double>(change_[j]) : 0);
      square += w * w;
    }
    return loss / static_cast<double>(samples_.rows) + samples_.lambda() / 2 * square;
  }

  E& e_;
  const Samples& samples_;
  const SampleColumns& columns_;
  Array<float> model_, change_;    // by feature
  Array<float> products_, moves_;  // by row: with the model, and with the change
  Array<float> residuals_;         // by row, at the beginning of the epoch
  std::vector<Own> of_workers_;
  double objective_ = 0;
};

}  // namespace

template <Executor E>
Descent descend_by_column(E& e, const Samples& samples, const SampleColumns& columns, const DescentOptions& options) {
  Descent result;
  ByColumn<E> descending(e, samples, columns);
  result.replicas = 1;
  while (descending.objective() > options.target && result.epochs < options.epochs) {
    result.update_seconds += seconds_of([&] { descending.pass(); });
    ++result.epochs;
    bool falls = false;
    result.loss_seconds += seconds_of([&] { falls = descending.advance(); });
    if (!falls) break;  // single precision can go no further
  }
  result.objective = descending.objective();
  result.model = descending.take();
  return result;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) \
  template Descent descend_by_column<Type>(Type&, const Samples&, const SampleColumns&, const DescentOptions&);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
