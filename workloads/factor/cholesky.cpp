// Multifrontal Cholesky, A = L L^T. Large fronts are divided in both directions: the tile graph of the dense algorithm.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "workloads/factor/blas.hpp"
#include "workloads/factor/elimination.hpp"

namespace charm::workloads::factor {
namespace {

class Cholesky final : public Elimination {
 public:
  Cholesky(const SparseMatrix& a, FrontTree tree, const TileOptions& options)
      : Elimination(a, std::move(tree), options) {
    build();
  }

  [[nodiscard]] double error() const override {
    const std::vector<double> b = right_side(a_);
    return backward_error(a_, solve(b), b);
  }

  [[nodiscard]] double log_determinant() const override {
    double sum = 0;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
      for (int j = 0; j < tree_.fronts[f].pivots; ++j) sum += 2 * std::log(*at(static_cast<int>(f), j, j));
    return sum;
  }

 protected:
  std::vector<Task> add_steps(int number, const std::vector<Task>& assembled) override {
    const int pivots = pivot_tiles(tree_.fronts[static_cast<std::size_t>(number)]);
    const auto count = static_cast<int>(assembled.size());
    // The task that has last changed tile (i, j).
    std::vector<Task> last(static_cast<std::size_t>(count) * static_cast<std::size_t>(count));
    const auto tile = [&](int i, int j) -> Task& {
      return last[static_cast<std::size_t>(i) * static_cast<std::size_t>(count) + static_cast<std::size_t>(j)];
    };
    for (int i = 0; i < count; ++i)
      for (int j = 0; j <= i; ++j) tile(i, j) = assembled[static_cast<std::size_t>(j)];
    for (int k = 0; k < pivots; ++k) {
      const Task diagonal = add({StepKind::potrf, number, 0, 0, k});
      dag_.edge(tile(k, k), diagonal);
      tile(k, k) = diagonal;
      for (int i = k + 1; i < count; ++i) {
        const Task solved = add({StepKind::trsm, number, i, 0, k});
        dag_.edge(diagonal, solved);
        dag_.edge(tile(i, k), solved);
        tile(i, k) = solved;
      }
      for (int j = k + 1; j < count; ++j) {
        for (int i = j; i < count; ++i) {
          const Task updated = add({StepKind::update, number, i, j, k});
          dag_.edge(tile(i, k), updated);
          if (i != j) dag_.edge(tile(j, k), updated);
          dag_.edge(tile(i, j), updated);
          tile(i, j) = updated;
        }
      }
    }
    if (pivots == count) return {tile(count - 1, count - 1)};
    std::vector<Task> ends;
    for (int j = pivots; j < count; ++j)
      for (int i = j; i < count; ++i) ends.push_back(tile(i, j));
    return ends;
  }

  void step(const Step& todo) override {
    const int f = todo.front;
    const std::vector<int> starts = tiles(tree_.fronts[static_cast<std::size_t>(f)]);
    const auto first = [&](int tile) { return starts[static_cast<std::size_t>(tile)]; };
    const auto size = [&](int tile) { return first(tile + 1) - first(tile); };
    const auto tile = [&](int i, int j) { return at(f, first(i), first(j)); };
    const int pivots = leading(f, 0);
    const int k = todo.k;
    if (todo.kind == StepKind::potrf) return factor_diagonal(f, first(k), size(k));
    if (todo.kind == StepKind::trsm)
      return trsm('R', 'L', 'T', 'N', size(todo.i), size(k), tile(k, k), pivots, tile(todo.i, k), pivots);
    const int distance = leading(f, first(todo.j));
    if (todo.i == todo.j)
      syrk(size(todo.i), size(k), tile(todo.i, k), pivots, tile(todo.i, todo.j), distance);
    else
      gemm('N', 'T', size(todo.i), size(todo.j), size(k), -1, tile(todo.i, k), pivots, tile(todo.j, k), pivots,
           tile(todo.i, todo.j), distance);
  }

  void factor_whole(int f) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(f)];
    const int p = front.pivots;
    const int rest = front.columns - p;
    factor_diagonal(f, 0, p);
    if (rest == 0) return;
    const int pivots = leading(f, 0);
    trsm('R', 'L', 'T', 'N', rest, p, at(f, 0, 0), pivots, at(f, p, 0), pivots);
    syrk(rest, p, at(f, p, 0), pivots, at(f, p, p), leading(f, p));
  }

 private:
  void factor_diagonal(int f, int column, int size) {
    const int info = potrf(size, at(f, column, column), leading(f, column));
    // Reference LAPACK refuses a NaN, and OpenBLAS need not.
    const double pivot = info == 0 ? *at(f, column + size - 1, column + size - 1) : -1;
    if (info == 0 && std::isfinite(pivot)) return;
    const Front& front = tree_.fronts[static_cast<std::size_t>(f)];
    const Position place = front.first + column + std::max(info, 1) - 1;
    throw Error(Errc::bad_input,
                fmt::format("{} is not positive definite: the pivot of column {} is not above 0", a_.name,
                            tree_.order[static_cast<std::size_t>(place)] + 1),
                "take lu, or a matrix that is positive definite");
  }

  [[nodiscard]] std::vector<double> solve(const std::vector<double>& b) const {
    std::vector<double> y(b.size());
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = b[static_cast<std::size_t>(tree_.order[k])];
    std::vector<double> rest;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
      const Front& front = tree_.fronts[f];
      const auto number = static_cast<int>(f);
      const int p = front.pivots;
      double* const own = y.data() + front.first;
      trsm('L', 'L', 'N', 'N', p, 1, at(number, 0, 0), front.rows, own, p);
      rest.assign(static_cast<std::size_t>(front.columns - p), 0.0);
      gemm('N', 'N', front.columns - p, 1, p, 1, at(number, 0, 0) + p, front.rows, own, p, rest.data(),
           std::max(1, front.columns - p));
      for (std::size_t i = 0; i < rest.size(); ++i)
        y[static_cast<std::size_t>(front.places[static_cast<std::size_t>(p) + i])] -= rest[i];
    }
    for (std::size_t f = tree_.fronts.size(); f-- > 0;) {
      const Front& front = tree_.fronts[f];
      const auto number = static_cast<int>(f);
      const int p = front.pivots;
      double* const own = y.data() + front.first;
      rest.clear();
      for (auto place = front.places.begin() + p; place != front.places.end(); ++place)
        rest.push_back(y[static_cast<std::size_t>(*place)]);
      gemm('T', 'N', p, 1, front.columns - p, -1, at(number, 0, 0) + p, front.rows, rest.data(),
           std::max(1, front.columns - p), own, p);
      trsm('L', 'L', 'T', 'N', p, 1, at(number, 0, 0), front.rows, own, p);
    }
    std::vector<double> x(y.size());
    for (std::size_t k = 0; k < y.size(); ++k) x[static_cast<std::size_t>(tree_.order[k])] = y[k];
    return x;
  }
};

}  // namespace

std::unique_ptr<Elimination> make_cholesky(const SparseMatrix& a, FrontTree tree, const TileOptions& options) {
  return std::make_unique<Cholesky>(a, std::move(tree), options);
}

}  // namespace charm::workloads::factor
