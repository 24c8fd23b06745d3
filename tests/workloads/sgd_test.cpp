// SGD for logistic regression: loss and gradient against plain loops, the reference against Newton's method, every
// descent against the reference, and who shares a replica.
#include "workloads/sgd/sgd.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <cmath>
#include <rapidcheck.h>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/sgd/by_column.hpp"
#include "workloads/sgd/generate.hpp"
#include "workloads/sgd/objective.hpp"
#include "workloads/sgd/reference.hpp"
#include "workloads/sgd/sgd_bench.hpp"
#include "workloads/sgd_executors.hpp"

namespace charm::workloads::testing {
namespace {

using Vector = std::vector<double>;

Samples samples_of(Index rows, Index features, double density, std::uint64_t seed = 1) {
  SerialExecutor e;
  return generate_samples(e, {rows, features, density, seed});
}

/// The samples as a plain matrix.
std::vector<Vector> matrix_of(const Samples& s) {
  std::vector<Vector> rows(static_cast<std::size_t>(s.rows), Vector(static_cast<std::size_t>(s.features)));
  for (Index r = 0; r < s.rows; ++r) {
    const Index first = s.sparse() ? s.offsets[r] : r * s.features;
    const Index last = s.sparse() ? s.offsets[r + 1] : first + s.features;
    for (Index i = first; i < last; ++i)
      rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(s.sparse() ? s.columns[i] : i - first)] =
          static_cast<double>(s.values[i]);
  }
  return rows;
}

struct Plainly {
  double objective = 0;
  Vector gradient;
  std::vector<Vector> hessian;
};

/// As the formula is written.
Plainly plainly(const Samples& s, const Vector& w) {
  const std::size_t n = w.size();
  Plainly out{0, Vector(n), std::vector<Vector>(n, Vector(n))};
  const auto rows = matrix_of(s);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = s.labels[static_cast<Index>(r)];
    double z = 0;
    for (std::size_t j = 0; j < n; ++j) z += rows[r][j] * w[j];
    const double p = 1 / (1 + std::exp(-y * z));
    out.objective += -std::log(p);
    for (std::size_t j = 0; j < n; ++j) {
      out.gradient[j] -= y * (1 - p) * rows[r][j];
      for (std::size_t k = 0; k < n; ++k) out.hessian[j][k] += p * (1 - p) * rows[r][j] * rows[r][k];
    }
  }
  const auto count = static_cast<double>(s.rows);
  out.objective /= count;
  for (std::size_t j = 0; j < n; ++j) {
    out.objective += w[j] * w[j] / (2 * count);
    out.gradient[j] = (out.gradient[j] + w[j]) / count;
    for (std::size_t k = 0; k < n; ++k) out.hessian[j][k] = (out.hessian[j][k] + (j == k ? 1 : 0)) / count;
  }
  return out;
}

/// Solves a x = b by elimination with pivots.
Vector solve(std::vector<Vector> a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r) pivot = std::fabs(a[r][i]) > std::fabs(a[pivot][i]) ? r : pivot;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = a[r][i] / a[i][i];
      for (std::size_t k = 0; k < n; ++k) a[r][k] -= factor * a[i][k];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= a[i][i];
  return b;
}

/// The least objective, by Newton's method with halved steps.
double least_by_newton(const Samples& s) {
  Vector w(static_cast<std::size_t>(s.features));
  Plainly at = plainly(s, w);
  for (int i = 0; i < 20; ++i) {
    const Vector step = solve(at.hessian, at.gradient);
    for (double length = 1; length > 1e-6; length /= 2) {
      Vector next = w;
      for (std::size_t j = 0; j < w.size(); ++j) next[j] -= length * step[j];
      Plainly there = plainly(s, next);
      if (there.objective > at.objective) continue;
      w = next;
      at = there;
      break;
    }
  }
  return at.objective;
}

Array<float> narrowed(const Vector& w) {
  Array<float> out(static_cast<Index>(w.size()));
  for (std::size_t j = 0; j < w.size(); ++j) out[static_cast<Index>(j)] = static_cast<float>(w[j]);
  return out;
}

TEST(Objective, IsTheFormulaOnEveryExecutorDenseAndSparse) {
  EXPECT_TRUE(rc::check("loss, gradient, exact objective", [] {
    const auto rows = *rc::gen::inRange<Index>(2, 300);
    const auto features = *rc::gen::inRange<Index>(1, 40);
    const double density = *rc::gen::element(1.0, .5, .1);
    const Samples s = samples_of(rows, features, density, *rc::gen::inRange<std::uint64_t>(0, 1000));
    RC_ASSERT(s.sparse() == (density < 1));
    Vector w(static_cast<std::size_t>(features));
    for (double& x : w) x = .25 * *rc::gen::inRange(-20, 20);
    const Plainly right = plainly(s, w);
    const Array<float> model = narrowed(w);
    on_every_sgd_executor([&](auto& e) {
      const std::vector<const float*> models(static_cast<std::size_t>(e.workers()), model.data());
      EXPECT_NEAR(mean_loss(e, s, models) + penalty(s, model), right.objective, 1e-5 * (1 + right.objective));
      Vector exact_slope;
      EXPECT_NEAR(exact_objective(e, s, w, &exact_slope), right.objective, 1e-9 * (1 + right.objective));
      const Array<float> slope = gradient(e, s, model);
      for (std::size_t j = 0; j < w.size(); ++j) {
        EXPECT_NEAR(exact_slope[j], right.gradient[j], 1e-9);
        EXPECT_NEAR(static_cast<double>(slope[static_cast<Index>(j)]), right.gradient[j], 1e-5);
      }
    });
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(Objective, StandsMarginsThatOverflowAnExponential) {
  Samples s = samples_of(2, 1, 1);
  s.values[0] = 1;
  s.values[1] = 1;
  s.labels[0] = 1;
  s.labels[1] = -1;
  SerialExecutor e;
  Vector slope;
  EXPECT_NEAR(exact_objective(e, s, {5000}, &slope), 2500 + 5000.0 * 5000 / 4, 1e-6);
  EXPECT_NEAR(slope[0], .5 + 2500, 1e-9);
}

TEST(Reference, IsNewtonsSolution) {
  EXPECT_TRUE(rc::check("L-BFGS against Newton", [] {
    const auto rows = *rc::gen::inRange<Index>(2, 200);
    const auto features = *rc::gen::inRange<Index>(1, 8);
    const Samples s = samples_of(rows, features, *rc::gen::element(1.0, .6), *rc::gen::inRange<std::uint64_t>(0, 1000));
    const double least = least_by_newton(s);
    on_every_sgd_executor([&](auto& e) {
      const Reference found = solve_reference(e, s);
      EXPECT_GE(found.objective, least - 1e-9);
      EXPECT_LE(found.objective, least + found.gap + 1e-9);  // the certificate holds
      EXPECT_LE(found.gap, 1e-3 * (std::log(2.0) - found.objective) + 1e-12);
    });
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(Descent, ComesWithinTheBoundOfTheReferenceHoweverItIsReplicatedAndUpdated) {
  for (const double density : {1.0, .1}) {
    const Samples s = samples_of(300, 20, density, 3);
    const double least = least_by_newton(s);
    const double target = least + .05 * (std::log(2.0) - least);
    for (const auto replication : {Replication::core, Replication::chiplet, Replication::node, Replication::machine}) {
      for (const auto update : {Update::hogwild, Update::locked, Update::averaged}) {
        // Outside of the executors: a trace must end on the thread that it began on, and a fiber may not.
        SCOPED_TRACE(static_cast<int>(replication) * 10 + static_cast<int>(update));
        on_every_sgd_executor([&](auto& e) {
          const Descent found = descend(e, s, {replication, update, 500, target});
          const double exact = plainly(s, {found.model.begin(), found.model.end()}).objective;
          EXPECT_LE(found.objective, target);
          EXPECT_NEAR(exact, found.objective, 1e-5);
          EXPECT_GE(exact, least - 1e-6);
          EXPECT_GT(found.epochs, 0);
          if (replication == Replication::core) {
            EXPECT_EQ(found.replicas, static_cast<std::size_t>(e.workers()));
          } else if (replication == Replication::machine) {
            EXPECT_EQ(found.replicas, 1U);
          }
        });
      }
    }
  }
}

TEST(Descent, GoesOnToNearlyTheMinimum) {
  const Samples s = samples_of(500, 10, 1, 7);
  const double least = least_by_newton(s);
  SerialExecutor e;
  const Descent found = descend(e, s, {Replication::machine, Update::hogwild, 2000, least + 1e-4});
  EXPECT_LE(found.objective, least + 1e-4) << found.epochs;
}

TEST(Descent, ArrivesOnFeaturesThatAreNotCentred) {
  Samples s = samples_of(400, 6, 1, 11);
  for (float& value : s.values) value += 2;
  const double least = least_by_newton(s);
  const double target = least + .05 * (std::log(2.0) - least);
  on_every_sgd_executor([&](auto& e) {
    const Descent found = descend(e, s, {Replication::core, Update::hogwild, 500, target});
    EXPECT_LE(found.objective, target) << found.epochs;
  });
}

TEST(Columns, AreTheSamplesByFeature) {
  for (const double density : {1.0, .3, .02}) {
    const Samples s = samples_of(130, 90, density, 13);
    const auto rows = matrix_of(s);
    on_every_sgd_executor([&](auto& e) {
      const SampleColumns columns = columns_of(e, s);
      EXPECT_EQ(columns.values.size(), s.entries());
      for (Index j = 0; j < s.features; ++j) {
        Vector column(static_cast<std::size_t>(s.rows));
        double square = 0;
        const Index first = s.sparse() ? columns.offsets[j] : j * s.rows;
        const Index last = s.sparse() ? columns.offsets[j + 1] : first + s.rows;
        for (Index i = first; i < last; ++i) {
          const auto value = static_cast<double>(columns.values[i]);
          column[static_cast<std::size_t>(s.sparse() ? columns.rows[i] : i - first)] += value;
          square += value * value;
        }
        for (std::size_t row = 0; row < column.size(); ++row)
          ASSERT_EQ(column[row], rows[row][static_cast<std::size_t>(j)]) << "row " << row << ", feature " << j;
        EXPECT_NEAR(static_cast<double>(columns.squares[j]), square, 1e-5 * square);
      }
    });
  }
}

TEST(DescentByColumn, ComesWithinTheBoundOfTheReference) {
  for (const double density : {1.0, .1}) {
    Samples s = samples_of(300, 20, density, 3);
    for (const float shift : {0.0F, .5F}) {  // features that are not centred are alike: steps go too far together
      for (float& value : s.values) value += shift;
      const double least = least_by_newton(s);
      const double target = least + .05 * (std::log(2.0) - least);
      const bool even = shift > 0;
      on_every_sgd_executor([&](auto& e) {
        const SampleColumns columns = columns_of(e, s);
        const Descent found = descend_by_column(e, s, columns, {.epochs = 3000, .target = target});
        const double exact = plainly(s, {found.model.begin(), found.model.end()}).objective;
        EXPECT_LE(found.objective, target) << found.epochs << (even ? ", shifted" : "");
        EXPECT_NEAR(exact, found.objective, 1e-5);
        EXPECT_GE(exact, least - 1e-6);
      });
    }
  }
}

TEST(DescentByColumn, StopsAtTheEpochsItIsGivenAndNeverRises) {
  const Samples s = samples_of(200, 20, 1, 5);
  on_every_sgd_executor([&](auto& e) {
    const SampleColumns columns = columns_of(e, s);
    double before = std::log(2.0);
    for (int epochs = 0; epochs < 5; ++epochs) {
      const Descent found = descend_by_column(e, s, columns, {.epochs = epochs, .target = 0});
      EXPECT_LE(found.epochs, epochs);
      EXPECT_LE(found.objective, before + 1e-4);  // runs differ in who took which feature
      before = found.objective;
    }
  });
}

TEST(Descent, StopsAtTheEpochsItIsGivenWithTheBestThatItHad) {
  const Samples s = samples_of(200, 20, 1, 5);
  on_every_sgd_executor([&](auto& e) {
    const Descent found = descend(e, s, {Replication::core, Update::hogwild, 3, 0});
    EXPECT_EQ(found.epochs, 3);
    EXPECT_LT(found.objective, std::log(2.0));
    EXPECT_NEAR(plainly(s, {found.model.begin(), found.model.end()}).objective, found.objective, 1e-5);
  });
}

TEST(Replicas, AreSharedByTheWorkersOfACoreAChipletANodeOrTheMachine) {
  // Workers on chiplets 0 1 0 2 of nodes 0 0 0 1; two workers share a core.
  std::vector<WorkerCore> places(4);
  const int chiplets[] = {0, 1, 0, 2};
  const int cores[] = {0, 8, 0, 16};
  for (std::size_t w = 0; w < 4; ++w) {
    places[w].core = cores[w];
    places[w].chiplet = chiplets[w];
    places[w].node = w == 3 ? 1 : 0;
  }
  using Groups = std::vector<std::size_t>;
  EXPECT_EQ(group_workers(places, Replication::core), (Groups{0, 1, 2, 3}));
  EXPECT_EQ(group_workers(places, Replication::chiplet), (Groups{0, 1, 0, 2}));
  EXPECT_EQ(group_workers(places, Replication::node), (Groups{0, 0, 0, 1}));
  EXPECT_EQ(group_workers(places, Replication::machine), (Groups{0, 0, 0, 0}));
}

TEST(Samples, AreTheSameForAnyRuntimeAndAsWideAsAsked) {
  for (const double density : {1.0, .3, .01}) {
    const Samples right = samples_of(300, 50, density, 9);
    on_every_sgd_executor([&](auto& e) {
      const Samples s = generate_samples(e, {300, 50, density, 9});
      EXPECT_EQ(s.bytes(), sample_bytes({300, 50, density, 9}));
      EXPECT_TRUE(std::equal(s.values.begin(), s.values.end(), right.values.begin(), right.values.end()));
      EXPECT_TRUE(std::equal(s.columns.begin(), s.columns.end(), right.columns.begin(), right.columns.end()));
      EXPECT_TRUE(std::equal(s.labels.begin(), s.labels.end(), right.labels.begin(), right.labels.end()));
    });
    EXPECT_EQ(right.entries(), 300 * std::max<Index>(1, std::lround(density * 50)));
    for (Index r = 0; right.sparse() && r < right.rows; ++r) {
      const std::set<Column> once(&right.columns[right.offsets[r]], right.columns.data() + right.offsets[r + 1]);
      EXPECT_EQ(static_cast<Index>(once.size()), right.offsets[r + 1] - right.offsets[r]);
      EXPECT_TRUE(*once.begin() >= 0 && *once.rbegin() < 50);
    }
    const std::set<int> labels(right.labels.begin(), right.labels.end());
    EXPECT_EQ(labels, (std::set<int>{-1, 1}));
  }
  EXPECT_FALSE(std::equal(samples_of(9, 9, 1, 1).values.begin(), samples_of(9, 9, 1, 1).values.end(),
                          samples_of(9, 9, 1, 2).values.begin()));
}

template <class F>
std::string refusal_of(F&& f, Errc code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

TEST(Samples, OutOfRangeAreRefused) {
  const SampleOptions bad[] = {{1, 5, 1, 1},
                               {-4, 5, 1, 1},
                               {10, 0, 1, 1},
                               {10, 5, 0, 1},
                               {10, 5, 2, 1},
                               {10, 5, NAN, 1},
                               {std::int64_t{1} << 31, 5, 1, 1}};
  for (const auto& options : bad)
    EXPECT_NE(refusal_of([&] { (void)SampleSet::generate(options, {}); }, Errc::bad_input), "");
  EXPECT_GT(sgd_bytes({INT32_MAX, INT32_MAX, 1, 1}, 64), std::uint64_t{1} << 62) << "does not wrap around";
}

TEST(SgdBench, RunsEveryKernelOnEveryRuntimeVerified) {
  for (const double density : {1.0, .2}) {
    const auto samples = SampleSet::generate({400, 40, density, 1}, {});
    EXPECT_NE(samples.describe().find("400 rows of 40 features"), std::string::npos);
    for (const auto& runtime : sgd_runtimes()) {
      for (const auto& kernel : sgd_kernels()) {
        for (const auto& update : sgd_updates()) {
          const auto run = run_sgd(kernel, {runtime, 3}, samples, {update, 500, .05}, 2);
          EXPECT_TRUE(run.verified) << kernel << " on " << runtime << ": " << run.detail;
          EXPECT_EQ(run.seconds.size(), 2U);
          EXPECT_EQ(run.unit, "GB/s");
          EXPECT_GT(rate(run), 0);
        }
      }
    }
  }
}

TEST(SgdBytes, OfThePapersDataSetAreBelow8GiB) {
  // CHARM §5.1: "approximately 6,250 MB"; 200,000 rows of its 8,192 features in single precision are that.
  const SampleOptions paper{200000, 8192, 1, 1};
  EXPECT_EQ(sample_bytes(paper) >> 20U, 6250U);
  EXPECT_LT(sgd_bytes(paper, 128), std::uint64_t{8} << 30U);
}

/// The penalty and the first step may be given; the reference solution follows the penalty.
TEST(SgdBench, TakesAPenaltyAndAStep) {
  const auto samples = SampleSet::generate({.rows = 400, .features = 40, .l2 = .05}, {});
  EXPECT_NE(samples.describe().find("l2 0.05"), std::string::npos) << samples.describe();
  for (const auto& kernel : sgd_kernels()) {
    const auto run = run_sgd(kernel, {}, samples, {.step = .5});
    EXPECT_TRUE(run.verified) << kernel << ": " << run.detail;
  }
  // One epoch of hardly any step leaves the model where it was.
  EXPECT_FALSE(run_sgd("sgd-machine", {}, samples, {.epochs = 1, .step = 1e-9}).verified);
  EXPECT_NE(refusal_of([&] { run_sgd("loss", {}, samples, {.step = -1}); }, Errc::bad_config).find("step"),
            std::string::npos);
}

TEST(Descent, MinimisesWithThePenaltyThatIsGiven) {
  Samples weak = samples_of(300, 20, 1, 7), strong = samples_of(300, 20, 1, 7);
  strong.l2 = .5;
  SerialExecutor e;
  const auto size = [&](const Samples& s) {
    double square = 0;
    for (const double w : solve_reference(e, s).model) square += w * w;
    return square;
  };
  EXPECT_LT(size(strong), size(weak) / 4);
}

TEST(SgdBench, FailsADescentThatDoesNotArrive) {
  const auto samples = SampleSet::generate({400, 40, 1, 1}, {});
  const auto run = run_sgd("sgd-machine", {}, samples, {"hogwild", 1, 1e-3});
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.detail.find("after 1 epoch "), std::string::npos) << run.detail;
}

TEST(SgdBench, RefusesWhatItDoesNotKnow) {
  const auto samples = SampleSet::generate({40, 4, 1, 1}, {});
  EXPECT_NE(refusal_of([&] { run_sgd("bfs", {}, samples); }, Errc::bad_config).find("sgd-chiplet"), std::string::npos);
  EXPECT_NE(refusal_of([&] { run_sgd("loss", {}, samples, {"wild"}); }, Errc::bad_config).find("hogwild"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { run_sgd("loss", {}, samples, {"locked", 0}); }, Errc::bad_config), "");
  EXPECT_NE(refusal_of([&] { run_sgd("loss", {}, samples, {"locked", 1, NAN}); }, Errc::bad_config), "");
}

}  // namespace
}  // namespace charm::workloads::testing
