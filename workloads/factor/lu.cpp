// Multifrontal LU with partial pivoting, P A Q = L U. A front has all rows that have something in its pivot columns, so
// pivots come from all of them and no pivot is ever delayed: the price is that fronts are those of A^T A.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "workloads/factor/blas.hpp"
#include "workloads/factor/panels.hpp"

namespace charm::workloads::factor {
namespace {

class Lu final : public Panels {
 public:
  Lu(const SparseMatrix& a, FrontTree tree, const TileOptions& options)
      : Panels(a, std::move(tree), options), parts_(tree_.fronts.size()) {
    build();
  }

  [[nodiscard]] double error() const override {
    const std::vector<double> b = right_side(a_);
    return backward_error(a_, solve(b), b);
  }

  [[nodiscard]] double log_determinant() const override {
    double sum = 0;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
      for (int j = 0; j < tree_.fronts[f].pivots; ++j) sum += std::log(std::fabs(*at(static_cast<int>(f), j, j)));
    return sum;
  }

 protected:
  [[nodiscard]] int panels(int front) const override {
    return pivot_tiles(tree_.fronts[static_cast<std::size_t>(front)]);
  }

  void opened(int number) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
    Part& part = parts_[static_cast<std::size_t>(number)];
    part.exchanges.assign(static_cast<std::size_t>(front.pivots), 0);
    part.rows = front.own_rows;
    for (const int c : front.children) {
      const Front& child = tree_.fronts[static_cast<std::size_t>(c)];
      const auto& rows = parts_[static_cast<std::size_t>(c)].rows;
      for (std::size_t i = 0; i < child.row_to_parent.size(); ++i)
        part.rows[static_cast<std::size_t>(child.row_to_parent[i])] = rows[static_cast<std::size_t>(child.pivots) + i];
    }
  }

  void factor_panel(int f, int /*number*/, const Range& panel) override {
    int* const exchanges = parts_[static_cast<std::size_t>(f)].exchanges.data() + panel.first;
    const int info =
        getrf(panel.rows, panel.columns, at(f, panel.first, panel.first), leading(f, panel.first), exchanges);
    if (info == 0 && panel.rows >= panel.columns) return;
    const Front& front = tree_.fronts[static_cast<std::size_t>(f)];
    const Position place = front.first + panel.first + std::max(info, 1) - 1;
    throw Error(Errc::bad_input,
                fmt::format("{} is singular: no pivot is left for column {}", a_.name,
                            tree_.order[static_cast<std::size_t>(place)] + 1),
                "give a matrix that is not");
  }

  void update(int f, int /*number*/, const Range& panel, int first, int end) override {
    const int distance = leading(f, first);
    const int pivots = leading(f, 0);
    double* const top = at(f, panel.first, first);
    const double* const triangle = at(f, panel.first, panel.first);
    const int* const exchanges = parts_[static_cast<std::size_t>(f)].exchanges.data() + panel.first;
    laswp(end - first, top, distance, panel.columns, exchanges);
    trsm('L', 'L', 'N', 'U', panel.columns, end - first, triangle, pivots, top, distance);
    gemm('N', 'N', panel.rows - panel.columns, end - first, panel.columns, -1, triangle + panel.columns, pivots, top,
         distance, top + panel.columns, distance);
  }

  /// Rows of L that later panels have exchanged, the names of the rows, and U to the right of the pivots, which must
  /// outlive the contribution.
  void finished(int f) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(f)];
    Part& part = parts_[static_cast<std::size_t>(f)];
    const std::vector<int> starts = tiles(front);
    for (int k = 0; k < panels(f); ++k) {
      const Range panel = range(front, starts, k);
      const int* const exchanges = part.exchanges.data() + panel.first;
      if (k > 0) laswp(panel.first, at(f, panel.first, 0), leading(f, 0), panel.columns, exchanges);
      const auto first = static_cast<std::size_t>(panel.first);
      for (std::size_t i = 0; i < static_cast<std::size_t>(panel.columns); ++i)
        std::swap(part.rows[first + i], part.rows[first + static_cast<std::size_t>(exchanges[i]) - 1]);
    }
    const int rest = front.columns - front.pivots;
    part.upper = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(rest) *
                                                          static_cast<std::size_t>(front.pivots));
    for (int j = 0; j < rest; ++j)
      std::copy_n(at(f, 0, front.pivots + j), front.pivots,
                  part.upper.get() + static_cast<std::ptrdiff_t>(j) * front.pivots);
  }

 private:
  struct Part {
    std::vector<int> exchanges;  // as LAPACK counts them, from a panel's first row
    std::vector<Position> rows;  // the row of A that stands in each row of the front
    std::unique_ptr<double[]> upper;
  };

  [[nodiscard]] std::vector<double> solve(const std::vector<double>& b) const {
    std::vector<double> left = b;  // by row of A
    std::vector<double> y(b.size());
    std::vector<double> rest;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
      const Front& front = tree_.fronts[f];
      const auto number = static_cast<int>(f);
      const std::vector<Position>& rows = parts_[f].rows;
      const int p = front.pivots;
      double* const own = y.data() + front.first;
      for (int i = 0; i < p; ++i) own[i] = left[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
      trsm('L', 'L', 'N', 'U', p, 1, at(number, 0, 0), front.rows, own, p);
      rest.assign(static_cast<std::size_t>(front.rows - p), 0.0);
      gemm('N', 'N', front.rows - p, 1, p, 1, at(number, 0, 0) + p, front.rows, own, p, rest.data(),
           std::max(1, front.rows - p));
      for (std::size_t i = 0; i < rest.size(); ++i)
        left[static_cast<std::size_t>(rows[static_cast<std::size_t>(p) + i])] -= rest[i];
    }
    std::vector<double> x(b.size());
    for (std::size_t f = tree_.fronts.size(); f-- > 0;) {
      const Front& front = tree_.fronts[f];
      const int p = front.pivots;
      double* const own = y.data() + front.first;
      rest.clear();
      for (auto place = front.places.begin() + p; place != front.places.end(); ++place)
        rest.push_back(y[static_cast<std::size_t>(*place)]);
      gemm('N', 'N', p, 1, front.columns - p, -1, parts_[f].upper.get(), p, rest.data(), std::max(1, front.columns - p),
           own, p);
      trsm('L', 'U', 'N', 'N', p, 1, at(static_cast<int>(f), 0, 0), front.rows, own, p);
    }
    for (std::size_t k = 0; k < x.size(); ++k) x[static_cast<std::size_t>(tree_.order[k])] = y[k];
    return x;
  }

  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Elimination> make_lu(const SparseMatrix& a, FrontTree tree, const TileOptions& options) {
  return std::make_unique<Lu>(a, std::move(tree), options);
}

}  // namespace charm::workloads::factor
