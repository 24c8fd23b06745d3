// Factorisations: every task once and in order on every runtime, every kind of matrix against SuiteSparse and by
// residuals, and what is refused.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <rapidcheck.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "thorough.hpp"
#include "workloads/executors.hpp"
#include "workloads/factor/dag_run.hpp"
#include "workloads/factor/elimination.hpp"
#include "workloads/factor/factor_bench.hpp"
#include "workloads/factor/names.hpp"
#include "workloads/factor/reference.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads::testing {
namespace {

using namespace charm::workloads::factor;

constexpr double rounding = 1e-11;

using Use = std::function<void(const Runner&, const std::string& schedule)>;

/// f(runner, schedule) for every runtime, and both schedules of CHARM.
void on_every_runtime(const Use& f) {
  for (const std::string& runtime : runtimes()) {
    SCOPED_TRACE(runtime);
    f({runtime, 3}, "stream");
    if (runtime == "charm") f({runtime, 3}, "batch");
  }
}

/// The same for one that a property draws, or for all where a thorough test is asked for: OpenMP's threads spin, and
/// with more of them than processors each run takes long.
void on_some_runtime(const Use& f) {
  if (tests::thorough()) return on_every_runtime(f);
  const auto known = runtimes();
  const std::string runtime = known[*rc::gen::inRange<std::size_t>(0, known.size())];
  SCOPED_TRACE(runtime);
  f({runtime, 2}, *rc::gen::element<std::string>("stream", "batch"));
}

std::string refusal(const std::function<void()>& f, Errc code = Errc::bad_input) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

/// Notes how often each task has run, and whether all before it had ended.
class Witness final : public TaskBody {
 public:
  Witness(const TaskDag& dag, const std::vector<std::vector<Task>>& before)
      : before_(before), times_(static_cast<std::size_t>(dag.size())) {}
  void run(Task task) noexcept override {
    for (const Task earlier : before_[static_cast<std::size_t>(task)])
      if (times_[static_cast<std::size_t>(earlier)].load() != round) early = true;
    ++times_[static_cast<std::size_t>(task)];
  }
  [[nodiscard]] bool each_ran() const {
    return std::all_of(times_.begin(), times_.end(), [this](const auto& t) { return t.load() == round; });
  }
  int round = 1;
  std::atomic<bool> early{false};

 private:
  const std::vector<std::vector<Task>>& before_;
  std::vector<std::atomic<int>> times_;
};

TEST(FactorDag, RunsEveryTaskOnceAfterItsPredecessorsAndAgain) {
  EXPECT_TRUE(rc::check("random graphs", [] {
    const int size = *rc::gen::inRange(0, 200);
    TaskDag dag;
    std::vector<std::vector<Task>> before(static_cast<std::size_t>(size));
    for (Task t = 0; t < size; ++t) {
      dag.add(t % 2);
      const int edges = t == 0 ? 0 : *rc::gen::inRange(0, 4);
      for (int e = 0; e < edges; ++e) {
        const Task from = *rc::gen::inRange<Task>(0, t);
        dag.edge(from, t);
        before[static_cast<std::size_t>(t)].push_back(from);
      }
    }
    dag.finish();
    on_some_runtime([&](const Runner& runner, const std::string& schedule) {
      const auto run = make_dag_run(runner, dag, {"a", "b"}, schedule);
      Witness witness(dag, before);
      for (witness.round = 1; witness.round <= 3; ++witness.round) {
        run->run(witness);
        EXPECT_TRUE(witness.each_ran());
      }
      EXPECT_FALSE(witness.early);
    });
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

/// Runs the tasks in an order that the edges allow and that the seed draws: an edge that is missing shows on any
/// machine.
void run_shuffled(const TaskDag& dag, TaskBody& body, std::uint64_t seed) {
  std::vector<int> left(static_cast<std::size_t>(dag.size()));
  std::vector<Task> ready;
  for (Task t = 0; t < dag.size(); ++t) {
    left[static_cast<std::size_t>(t)] = dag.predecessors(t);
    if (dag.predecessors(t) == 0) ready.push_back(t);
  }
  for (std::uint64_t i = 0; !ready.empty(); ++i) {
    std::swap(ready[random_at(seed, i) % ready.size()], ready.back());
    const Task task = ready.back();
    ready.pop_back();
    body.run(task);
    dag.successors(task, [&](Task after) {
      if (--left[static_cast<std::size_t>(after)] == 0) ready.push_back(after);
    });
  }
}

Method method_for(const SparseMatrix& a, int choice) {
  if (a.rows != a.columns || choice == 2) return Method::qr;
  return choice == 0 && is_symmetric(a) ? Method::cholesky : Method::lu;
}

TEST(FactorFronts, AreATreeThatCoversTheColumnsAndFollowsCholmodsOrder) {
  EXPECT_TRUE(rc::check("analysis", [] {
    const auto kinds = factor_matrices();
    const SparseMatrix a =
        generate_matrix({kinds[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(kinds.size())))],
                         *rc::gen::inRange<std::int64_t>(1, 150), *rc::gen::inRange<std::uint64_t>(0, 100)});
    FrontTree tree;
    try {
      tree = analyse(a, method_for(a, *rc::gen::inRange(0, 3)));
    } catch (const Error&) {
      RC_DISCARD("singular");
    }
    Position next = 0;
    std::size_t entries = 0;
    for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
      const Front& front = tree.fronts[f];
      RC_ASSERT(front.first == next);
      next += front.pivots;
      entries += front.entries.size();
      RC_ASSERT(std::is_sorted(front.places.begin(), front.places.end()));
      RC_ASSERT((front.parent < 0) == (front.columns == front.pivots));
      if (front.parent < 0) continue;
      RC_ASSERT(front.parent > static_cast<int>(f));
      const Front& parent = tree.fronts[static_cast<std::size_t>(front.parent)];
      for (std::size_t i = 0; i < front.to_parent.size(); ++i)
        RC_ASSERT(parent.places[static_cast<std::size_t>(front.to_parent[i])] ==
                  front.places[i + static_cast<std::size_t>(front.pivots)]);
    }
    RC_ASSERT(next == a.columns);
    RC_ASSERT(tree.method == Method::cholesky || entries == a.values.size());
  }));
}

TEST(Factorisations, AreRightForEveryKindOfMatrixOnEveryRuntime) {
  std::set<std::string> tried;
  EXPECT_TRUE(rc::check("residual and determinant", [&] {
    const auto kinds = factor_matrices();
    const std::string kind = kinds[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(kinds.size())))];
    const SparseMatrix a =
        generate_matrix({kind, *rc::gen::inRange<std::int64_t>(1, 150), *rc::gen::inRange<std::uint64_t>(0, 1000)});
    const Method method = method_for(a, *rc::gen::inRange(0, 3));
    const TileOptions options{*rc::gen::element(8, 13, 64), *rc::gen::element(0.0, 2e3, 1e9)};
    std::unique_ptr<Elimination> made;
    Reference reference;
    try {
      made = make_elimination(a, analyse(a, method), options);
      reference = ask_suitesparse(a, method);
    } catch (const Error&) {
      RC_DISCARD("singular by its structure");
    }
    if (!reference.wrong.empty()) RC_DISCARD("singular");
    tried.insert(kind + std::to_string(static_cast<int>(method)));
    on_some_runtime([&](const Runner& runner, const std::string& schedule) {
      const auto run = make_dag_run(runner, made->dag(), made->kinds(), schedule);
      for (int again = 0; again < 2; ++again) {
        made->begin();
        run->run(*made);
        made->end();
        EXPECT_LE(made->error(), rounding) << kind << ", " << made->describe();
        EXPECT_NEAR(made->log_determinant(), reference.log_determinant, allowed_difference(reference, a.columns))
            << kind;
      }
    });
    made->begin();
    run_shuffled(made->dag(), *made, *rc::gen::inRange<std::uint64_t>(0, 1000));
    made->end();
    EXPECT_LE(made->error(), rounding) << kind << " in another order, " << made->describe();
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
  EXPECT_GE(tried.size(), 8U) << "hardly any kind of matrix was tried";
}

TEST(Factorisations, AreNotSaidToBeRightForAnotherMatrix) {
  for (const char* kind : {"laplace2d", "random", "tall"}) {
    SparseMatrix a = generate_matrix({kind, 100, 3});
    const auto made = make_elimination(a, analyse(a, method_for(a, 0)), {8, 1e3});
    SerialExecutor e;
    const auto run = make_dag_run({"serial", 1}, made->dag(), made->kinds());
    made->begin();
    run->run(*made);
    made->end();
    EXPECT_LE(made->error(), rounding);
    a.values[a.values.size() / 2] += 1e-6;
    EXPECT_GT(made->error(), 1e-11) << kind;
  }
}

SparseMatrix small(std::vector<Entry> entries, Position rows, Position columns) {
  return matrix_of(rows, columns, std::move(entries), "m");
}

TEST(Factorisations, EndWithTheErrorOfATaskOnEveryRuntimeAndCanRunAgain) {
  SparseMatrix a = generate_matrix({"laplace2d", 400, 1});
  const auto made = make_cholesky(a, analyse(a, Method::cholesky), {8, 0});
  const double diagonal = a.values[0];
  on_every_runtime([&](const Runner& runner, const std::string& schedule) {
    const auto run = make_dag_run(runner, made->dag(), made->kinds(), schedule);
    a.values[0] = -1;
    made->begin();
    run->run(*made);
    EXPECT_NE(refusal([&] { made->end(); }).find("not positive definite"), std::string::npos);
    a.values[0] = diagonal;
    made->begin();
    run->run(*made);
    made->end();
    EXPECT_LE(made->error(), rounding);
  });
}

TEST(Factorisations, RefuseMatricesThatHaveNone) {
  const SparseMatrix zero_column = small({{0, 0, 1}, {1, 0, 1}, {2, 2, 1}}, 3, 3);
  EXPECT_NE(refusal([&] { analyse(zero_column, Method::lu); }).find("singular by its structure"), std::string::npos);
  EXPECT_NE(refusal([&] { analyse(zero_column, Method::qr); }).find("singular by its structure"), std::string::npos);
  const SparseMatrix twice = small({{0, 0, 1}, {1, 0, 2}, {0, 1, 2}, {1, 1, 4}}, 2, 2);
  for (const Method method : {Method::lu, Method::qr}) {
    EXPECT_FALSE(ask_suitesparse(twice, method).wrong.empty());
    const auto made = make_elimination(twice, analyse(twice, method), {});
    made->begin();
    for (Task t = 0; t < made->dag().size(); ++t) made->run(t);
    EXPECT_FALSE(refusal([&] { made->end(); }).empty());
  }
  const SparseMatrix indefinite = small({{0, 0, 1}, {1, 1, -1}, {1, 0, .5}, {0, 1, .5}}, 2, 2);
  EXPECT_NE(ask_suitesparse(indefinite, Method::cholesky).wrong.find("not positive definite"), std::string::npos);
}

TEST(FactorBench, RunsVerifiedTrialsAndSaysWhyAKernelDoesNotFit) {
  FactorInput spd = FactorInput::generate({"dense-spd", 70, 1});
  for (const std::string& kernel : factor_kernels()) {
    on_every_runtime([&](const Runner& runner, const std::string& schedule) {
      const FactorRun found = run_factor(kernel, runner, spd, {16, 1e3, schedule}, 2);
      EXPECT_TRUE(found.run.verified) << kernel << ": " << found.run.detail;
      EXPECT_EQ(found.run.seconds.size(), 2U);
      EXPECT_GT(found.run.work.front(), 1e4);
    });
  }
  FactorInput tall = FactorInput::generate({"tall", 30, 1});
  EXPECT_NE(refusal([&] { tall.prepare("cholesky", {}); }).find("not square"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("lu", {}); }).find("not square"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("lq", {}); }).find("take qr"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("gemm", {}); }).find("full"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("svd", {}); }, Errc::bad_config).find("'svd'"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("qr", {}, 1); }).find("memory"), std::string::npos);
  EXPECT_NE(refusal([&] { tall.prepare("qr", {4}); }, Errc::bad_config).find("tiles"), std::string::npos);
  FactorInput kkt = FactorInput::generate({"kkt", 60, 1});
  EXPECT_NE(refusal([&] { kkt.prepare("cholesky", {}); }).find("not positive definite"), std::string::npos);
  FactorInput band = FactorInput::generate({"band", 60, 1});
  EXPECT_NE(refusal([&] { band.prepare("cholesky", {}); }).find("not symmetric"), std::string::npos);
}

TEST(FactorBench, RecordsTheTasksOfAKernelForTheSimulator) {
  FactorInput spd = FactorInput::generate({"dense-spd", 70, 1});
  for (const std::string& kernel : factor_kernels()) {
    SCOPED_TRACE(kernel);
    const FactorTasks tasks = record_factor(kernel, spd, {16, 0}, 2);
    ASSERT_EQ(tasks.ns.size(), tasks.bytes.size());
    ASSERT_EQ(tasks.ns.size(), tasks.after.size());
    for (std::size_t t = 0; t < tasks.ns.size(); ++t) {
      EXPECT_GE(tasks.ns[t], 0);
      for (const int after : tasks.after[t]) EXPECT_GT(after, static_cast<int>(t));
    }
    EXPECT_GT(tasks.gflop, 0);
    EXPECT_EQ(tasks.bytes.back(), 0) << "the last task leaves nothing to others";
    if (kernel == "gemm") continue;
    // 5 tiles of columns of 70 rows; those of Cholesky are 16 by 16.
    EXPECT_EQ(*std::max_element(tasks.bytes.begin(), tasks.bytes.end()), 16 * 70 * sizeof(double));
    const auto tiles = std::count(tasks.bytes.begin(), tasks.bytes.end(), 16 * 16 * sizeof(double));
    EXPECT_EQ(tiles > 0, kernel == "cholesky");
  }
  FactorInput grid = FactorInput::generate({"laplace2d", 400, 1});
  const FactorTasks tasks = record_factor("lu", grid, {16, 1e4}, 1);
  // What a subtree leaves is added to its parent's front.
  EXPECT_FALSE(tasks.after.front().empty());
  EXPECT_GT(tasks.bytes.front(), 0);
}

}  // namespace
}  // namespace charm::workloads::testing
