// L-BFGS (see reference.hpp). J. Nocedal, S. Wright, "Numerical Optimization", 2nd edition, algorithms 7.4 and 7.5,
// with backtracking until the objective falls as Armijo's rule asks. Pairs whose curvature is not positive are left
// out.
#include "workloads/sgd/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/objective.hpp"

namespace charm::workloads {
namespace {

constexpr std::size_t remembered_pairs = 10;
constexpr double armijo = 1e-4;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// a + factor * b
std::vector<double> moved(std::vector<double> a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

struct CurvaturePair {
  std::vector<double> step, change;
  double inverse = 0;  // 1 / (step . change)
};

/// The gradient times the approximate inverse of the Hessian (algorithm 7.4).
std::vector<double> preconditioned(std::vector<double> q, const std::deque<CurvaturePair>& pairs) {
  std::vector<double> alphas;
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    alphas.push_back(pair->inverse * product(pair->step, q));
    q = moved(std::move(q), -alphas.back(), pair->change);
  }
  if (!pairs.empty()) {
    const auto& last = pairs.back();
    const double scale = 1 / (last.inverse * product(last.change, last.change));
    for (double& x : q) x *= scale;
  }
  for (const auto& pair : pairs) {
    const double beta = pair.inverse * product(pair.change, q);
    q = moved(std::move(q), alphas.back() - beta, pair.step);
    alphas.pop_back();
  }
  return q;
}

}  // namespace

template <Executor E>
Reference solve_reference(E& e, const Samples& samples, double gap, int most) {
  Reference at;
  at.model.assign(static_cast<std::size_t>(samples.features), 0);
  std::vector<double> slope;
  at.objective = exact_objective(e, samples, at.model, &slope);
  at.passes = 1;
  const double first = at.objective;
  std::deque<CurvaturePair> pairs;
  while (true) {
    at.gap = product(slope, slope) / (2 * samples.lambda());
    if (at.gap <= gap * (first - at.objective) || at.gap == 0 || at.passes >= most) return at;
    const std::vector<double> direction = preconditioned(slope, pairs);
    const double descent = product(direction, slope);
    double length = pairs.empty() ? 1 / std::sqrt(product(slope, slope)) : 1;
    std::vector<double> model, next;
    double objective = 0;
    for (; at.passes < most; length /= 2) {
      model = moved(at.model, -length, direction);
      objective = exact_objective(e, samples, model, &next);
      ++at.passes;
      if (objective <= at.objective - armijo * length * descent) break;
      if (length < 1e-12) return at;  // no digit of the objective is left to gain
    }
    if (!(objective <= at.objective)) return at;
    CurvaturePair pair{moved(model, -1, at.model), moved(next, -1, slope), 0};
    const double curvature = product(pair.step, pair.change);
    if (curvature > 0) {
      pair.inverse = 1 / curvature;
      pairs.push_back(std::move(pair));
      if (pairs.size() > remembered_pairs) pairs.pop_front();
    }
    at.model = std::move(model);
    at.objective = objective;
    slope = std::move(next);
  }
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Reference solve_reference<Type>(Type&, const Samples&, double, int);
CHARM_SGD_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
