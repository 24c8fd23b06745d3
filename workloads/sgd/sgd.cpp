// Kernel: SGD for logistic regression
//
// Returns a model whose objective (objective.hpp) is at most the target, or the best of the given number of epochs.
//
// Algorithm: an epoch is a pass in which every worker steps row by row on the replica that it uses; then the replicas
// are averaged, each by the number of rows that went into it, and all become the average; then a pass computes the
// loss. The first step is the largest that is safe for the longest row. After an epoch that lowers the objective it
// grows by a fifth; one that does not is undone, and the step halved ("bold driver"): so one rule fits any data,
// number of replicas and update.
//
// The penalty is applied implicitly (divide instead of subtract), which no step can make unstable. On sparse rows each
// entry takes the part of its feature, lambda n / (rows that have the feature), so that a pass over all rows applies
// the whole penalty and a row touches nothing but its own features (F. Niu et al., "Hogwild!", NIPS 2011, eq. 4).
//
// C. Zhang, C. Ré, "DimmWitted", PVLDB 7 (2014); CHARM §5.5. DimmWitted's column-wise access is in by_column.cpp.
#include "workloads/sgd/sgd.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "workloads/activity.hpp"
#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/objective.hpp"
#include "workloads/sgd/row.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

constexpr Index model_grain = 4096;
constexpr float growth = 1.2F;

/// Counters and buffers of one worker, on lines of their own.
struct alignas(128) WorkerState {
  Index rows = 0;
  std::vector<float> before, copy;
};

/// How far a step goes along its row, whose product with the model is given.
float gain_of(const Samples& samples, Index row, float rate, float product) {
  const auto label = static_cast<float>(samples.labels[row]);
  return rate * label * static_cast<float>(logistic_slope(static_cast<double>(label * product)));
}

/// What a step leaves of dense weights, for the penalty.
float keep_of(const Samples& samples, float rate) { return 1 / (1 + rate * static_cast<float>(samples.lambda())); }

template <class Access>
void step(const Samples& samples, const Array<float>& shares, Index row, float rate, float* w) {
  const float gain = gain_of(samples, row, rate, dot<Access>(samples, row, w));
  if (samples.sparse()) {
    for (Index i = samples.offsets[row]; i < samples.offsets[row + 1]; ++i) {
      const Index j = samples.columns[i];
      Access::put(w[j], (Access::get(w[j]) + gain * samples.values[i]) / (1 + rate * shares[j]));
    }
    return;
  }
  const float keep = keep_of(samples, rate);
  const float* x = &samples.values[row * samples.features];
  for (Index j = 0; j < samples.features; ++j) Access::put(w[j], keep * (Access::get(w[j]) + gain * x[j]));
}

/// Steps for dense rows on a model that nobody else writes: each goes over the model once, with the next row's product.
void dense_steps(const Samples& samples, Index lo, Index hi, float rate, float* w) {
  const Index n = samples.features;
  const float keep = keep_of(samples, rate);
  float product = dot<Plain>(samples, lo, w);
  for (Index row = lo; row < hi; ++row) {
    const float* x = &samples.values[row * n];
    const float* next = row + 1 < hi ? x + n : x;  // the last one's product is of no use
    product = step_and_dot(x, next, n, keep, gain_of(samples, row, rate, product), w);
  }
}

template <Executor E>
class Descending {
 public:
  Descending(E& e, const Samples& samples, const DescentOptions& options)
      : e_(e),
        samples_(samples),
        update_(options.update),
        exchange_(options.exchange),
        replicas_(e, options.replication, samples.features),
        states_(static_cast<std::size_t>(e.workers())),
        best_(samples.features),
        grain_(samples.grain(e.workers())) {
    std::fill(best_.begin(), best_.end(), 0.0F);
    if (update_ == Update::averaged) {
      // A block is worth the copies of the model that it makes.
      const Index each = samples.entries() / samples.rows + 1;
      grain_ = std::max(grain_, std::min(samples.rows / e.workers() + 1, 8 * samples.features / each + 1));
    }
    if (samples.sparse()) share_penalty();
    rate_ = options.step > 0 ? static_cast<float>(options.step) : safe_rate();
  }

  [[nodiscard]] std::size_t replicas() const { return replicas_.size(); }

  void pass() {
    for (auto& state : states_) state.rows = 0;
    for_parts(e_, samples_.rows, grain_, [&](Index lo, Index hi) {
      const RunningBody running;
      const int worker = e_.worker();
      WorkerState& state = states_[static_cast<std::size_t>(worker)];
      state.rows += hi - lo;
      run_block(replicas_.of(worker), state, lo, hi);
    });
    average();
  }

  [[nodiscard]] double objective() {
    double loss = mean_loss(e_, samples_, replicas_.models());
    if (exchange_ != nullptr) loss = exchange_->sum(loss * share_of_rows());
    return loss + penalty(samples_, replicas_[0].model);
  }

  /// Keeps the model if it is the best so far, and otherwise goes back to that one.
  void judge(double objective) {
    const bool first = std::isinf(best_objective_);
    const bool better = objective < best_objective_;  // false for NaN
    if (!first) rate_ *= better ? growth : 1.0F / 2;
    if (better) best_objective_ = objective;
    e_.parallel_for(0, samples_.features, model_grain, [&](Index lo, Index hi) {
      if (better) {
        std::copy(&replicas_[0].model[lo], replicas_[0].model.data() + hi, &best_[lo]);
      } else {
        for (std::size_t r = 0; r < replicas_.size(); ++r)
          std::copy(&best_[lo], best_.data() + hi, &replicas_[r].model[lo]);
      }
    });
  }

  [[nodiscard]] double best_objective() const { return best_objective_; }
  Array<float> take() { return std::move(best_); }

 private:
  void share_penalty() {
    shares_ = Array<float>(samples_.features);
    std::fill(shares_.begin(), shares_.end(), 0.0F);
    for (const Column j : samples_.columns) shares_[j] += 1;
    if (exchange_ != nullptr) exchange_->sum(std::span(shares_.data(), static_cast<std::size_t>(shares_.size())));
    const double whole = samples_.lambda() * static_cast<double>(samples_.rows_of_all());
    for (float& share : shares_) share = share > 0 ? static_cast<float>(whole / static_cast<double>(share)) : 0;
  }

  /// 1 / the steepest curvature of a row's loss, |x|^2 / 4.
  [[nodiscard]] float safe_rate() {
    double longest = reduce_parts(
        e_, samples_.rows, samples_.grain(e_.workers()), 0.0,
        [&](Index lo, Index hi, double most) {
          for (Index row = lo; row < hi; ++row) {
            const Index first = samples_.sparse() ? samples_.offsets[row] : row * samples_.features;
            const Index last = samples_.sparse() ? samples_.offsets[row + 1] : first + samples_.features;
            double square = 0;
            for (Index i = first; i < last; ++i)
              square += static_cast<double>(samples_.values[i]) * static_cast<double>(samples_.values[i]);
            most = std::max(most, square);
          }
          return most;
        },
        [](double a, double b) { return std::max(a, b); });
    if (exchange_ != nullptr) longest = exchange_->most(longest);
    return longest > 0 ? static_cast<float>(4 / longest) : 1.0F;
  }

  template <class Access>
  void steps(float* w, Index lo, Index hi) {
    if (std::is_same_v<Access, Plain> && !samples_.sparse()) return dense_steps(samples_, lo, hi, rate_, w);
    for (Index row = lo; row < hi; ++row) step<Access>(samples_, shares_, row, rate_, w);
  }

  void run_block(Replica& replica, WorkerState& state, Index lo, Index hi) {
    float* w = replica.model.data();
    if (replica.users == 1) return steps<Plain>(w, lo, hi);
    if (update_ == Update::hogwild) return steps<Relaxed>(w, lo, hi);
    if (update_ == Update::locked) {
      for (Index row = lo; row < hi; ++row) {
        const std::lock_guard lock(replica.mutex);
        step<Plain>(samples_, shares_, row, rate_, w);
      }
      return;
    }
    {
      const std::lock_guard lock(replica.mutex);
      state.before.assign(replica.model.begin(), replica.model.end());
    }
    state.copy = state.before;
    steps<Plain>(state.copy.data(), lo, hi);
    const float share = 1 / static_cast<float>(replica.users);
    const std::lock_guard lock(replica.mutex);
    for (std::size_t j = 0; j < state.copy.size(); ++j) w[j] += share * (state.copy[j] - state.before[j]);
  }

  [[nodiscard]] double share_of_rows() const {
    return static_cast<double>(samples_.rows) / static_cast<double>(samples_.rows_of_all());
  }

  /// All replicas, those of other processes too, become their mean, weighted by the rows that each has run.
  void average() {
    if (exchange_ == nullptr) return average_own();
    Array<float>& model = replicas_[0].model;
    average_own();
    e_.parallel_for(0, samples_.features, model_grain, [&](Index lo, Index hi) {
      for (Index j = lo; j < hi; ++j) model[j] *= static_cast<float>(share_of_rows());
    });
    exchange_->sum(std::span(model.data(), static_cast<std::size_t>(samples_.features)));
    e_.parallel_for(0, samples_.features, model_grain, [&](Index lo, Index hi) {
      for (std::size_t r = 1; r < replicas_.size(); ++r)
        std::copy(&model[lo], model.data() + hi, &replicas_[r].model[lo]);
    });
  }

  void average_own() {
    if (replicas_.size() == 1) return;
    std::vector<float> weights(replicas_.size());
    for (std::size_t w = 0; w < states_.size(); ++w)
      weights[replicas_.index_of(static_cast<int>(w))] +=
          static_cast<float>(states_[w].rows) / static_cast<float>(samples_.rows);
    e_.parallel_for(0, samples_.features, model_grain, [&](Index lo, Index hi) {
      for (Index j = lo; j < hi; ++j) {
        float mean = 0;
        for (std::size_t r = 0; r < replicas_.size(); ++r) mean += weights[r] * replicas_[r].model[j];
        for (std::size_t r = 0; r < replicas_.size(); ++r) replicas_[r].model[j] = mean;
      }
    });
  }

  E& e_;
  const Samples& samples_;
  Update update_;
  const Exchange* exchange_;
  Replicas replicas_;
  std::vector<WorkerState> states_;
  Array<float> shares_;  // sparse: the penalty that a row's entry of a feature applies
  Array<float> best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
  Index grain_;
  float rate_ = 1;
};

}  // namespace

template <Executor E>
Descent descend(E& e, const Samples& samples, const DescentOptions& options) {
  Descent result;
  Descending<E> descending(e, samples, options);
  result.replicas = descending.replicas();
  double objective = 0;
  result.loss_seconds += seconds_of([&] { objective = descending.objective(); });
  descending.judge(objective);
  while (descending.best_objective() > options.target && result.epochs < options.epochs) {
    result.update_seconds += seconds_of([&] { descending.pass(); });
    result.loss_seconds += seconds_of([&] { objective = descending.objective(); });
    ++result.epochs;
    descending.judge(objective);
  }
  result.objective = descending.best_objective();
  result.model = descending.take();
  return result;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Descent descend<Type>(Type&, const Samples&, const DescentOptions&);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
