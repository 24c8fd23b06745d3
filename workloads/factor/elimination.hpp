// A numeric factorisation over an assembly tree as a graph of tasks. What Cholesky, LU and QR have in common is here:
// which tasks there are, memory of the fronts, assembling a front from the matrix and its children.
//
// Tasks: small subtrees are bundled until they have `grain` operations, each bundle is one task. Other fronts are one
// task if they have at most two tiles of columns; else one opens the front, one assembles each tile of columns, the
// factorisation's own steps follow, and one finishes it. A front is opened when its children are finished.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "workloads/factor/dag.hpp"
#include "workloads/factor/fronts.hpp"

namespace charm::workloads::factor {

struct TileOptions {
  int tile = 128;      ///< columns (and, for Cholesky and GEMM, rows) of a tile
  double grain = 5e5;  ///< operations below which a subtree is not divided
};

/// The answer of a computation on tasks, and whether it is right.
class Computation : public TaskBody {
 public:
  [[nodiscard]] const TaskDag& dag() const { return dag_; }
  [[nodiscard]] virtual std::vector<std::string> kinds() const = 0;
  [[nodiscard]] virtual double flops() const = 0;
  /// Forgets the last answer. Before every run of the tasks.
  virtual void begin() { failure_ = nullptr, failed_ = false; }
  void run(Task task) noexcept final;
  /// After the run. \throws the first error of a task: Error (bad_input) for a matrix without such a factorisation.
  void end();
  /// How far the answer is from being right, by a check that does not repeat the computation: 0 is exact, and rounding
  /// leaves some 1e-16. After end().
  [[nodiscard]] virtual double error() const = 0;
  /// Logarithm of the magnitude of the determinant; for QR of R's. Not for a product.
  [[nodiscard]] virtual double log_determinant() const { return 0; }
  /// Bytes that a task leaves for those that come after it; 0: none, or unknown.
  [[nodiscard]] virtual double bytes_left(Task /*task*/) const { return 0; }
  /// "812 fronts, 1534 tasks, 1.2 M entries"
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  virtual void work(Task task) = 0;
  TaskDag dag_;

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

enum class StepKind : std::uint8_t { subtrees, front, open, assemble, potrf, trsm, update, panel, finish };

struct Step {
  StepKind kind = StepKind::front;
  std::int32_t front = 0;  ///< of subtrees: the number of the bundle
  std::int32_t i = 0, j = 0, k = 0;
};

class Elimination : public Computation {
 public:
  Elimination(const SparseMatrix& a, FrontTree tree, const TileOptions& options);
  [[nodiscard]] std::vector<std::string> kinds() const override;
  [[nodiscard]] double flops() const override { return tree_.flops; }
  void begin() override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double bytes_left(Task task) const override;
  [[nodiscard]] const FrontTree& tree() const { return tree_; }

 protected:
  /// First columns of the tiles, and the end. A tile has pivot columns only, or none.
  [[nodiscard]] std::vector<int> tiles(const Front& front) const;
  [[nodiscard]] int pivot_tiles(const Front& front) const;

  /// Makes the tasks; the derived class calls it when it is complete.
  void build();
  /// Adds the steps of a large front between assembling and finishing. \param assembled by tile.
  /// \returns those that finishing must wait for.
  virtual std::vector<Task> add_steps(int front, const std::vector<Task>& assembled) = 0;
  Task add(const Step& step);

  void work(Task task) final;
  virtual void step(const Step& step) = 0;
  virtual void factor_whole(int front) = 0;
  virtual void opened(int /*front*/) {}
  virtual void finished(int /*front*/) {}

  /// Element of a front. For Cholesky the rows of columns that stay begin with the row `pivots`.
  [[nodiscard]] double* at(int front, int row, int column) const;
  [[nodiscard]] int leading(int front, int column) const;  ///< distance between columns

  struct Storage {
    std::unique_ptr<double[]> pivots;  // rows x pivots; all that stays of Cholesky's and LU's left part
    std::unique_ptr<double[]> rest;    // the contribution, until the parent has it
    std::atomic<int> unassembled{0};
  };

  const SparseMatrix& a_;
  FrontTree tree_;
  TileOptions options_;
  std::vector<Storage> storage_;

 private:
  void open(int front);
  void assemble(int front, int first_column, int end_column);
  void add_contribution(int front, int child, int first_column, int end_column);
  void release_children(int front);
  void whole(int front);
  [[nodiscard]] double contribution_bytes(int front) const;
  std::vector<int> bundle();

  std::vector<Step> steps_;
  std::vector<std::vector<int>> bundles_;  // fronts, children before parents
};

std::unique_ptr<Elimination> make_cholesky(const SparseMatrix& a, FrontTree tree, const TileOptions& options);
std::unique_ptr<Elimination> make_lu(const SparseMatrix& a, FrontTree tree, const TileOptions& options);
std::unique_ptr<Elimination> make_qr(const SparseMatrix& a, FrontTree tree, const TileOptions& options);
/// By the method of the tree.
std::unique_ptr<Elimination> make_elimination(const SparseMatrix& a, FrontTree tree, const TileOptions& options);
/// The product a b of full square matrices that the seed draws.
std::unique_ptr<Computation> make_gemm(Position size, std::uint64_t seed, const TileOptions& options);

/// |b - A x| / (|A| |x| + |b|) in the maximum norm.
double backward_error(const SparseMatrix& a, const std::vector<double>& x, const std::vector<double>& b);
/// The right-hand side of the checks: A (1, 1/2, 1, 1/2, …).
std::vector<double> right_side(const SparseMatrix& a);

}  // namespace charm::workloads::factor
