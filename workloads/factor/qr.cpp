// Multifrontal QR by Householder reflections, A Q = (orthogonal) R, for matrices of full column rank; R is kept, as
// SPQR keeps it. A front is factorised beyond its pivot columns, so that its contribution is a trapezoid.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "workloads/factor/blas.hpp"
#include "workloads/factor/panels.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads::factor {
namespace {

/// Memory of the calls of LAPACK, of each thread.
double* scratch(std::size_t size) {
  thread_local std::vector<double> memory;
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

class Qr final : public Panels {
 public:
  Qr(const SparseMatrix& a, FrontTree tree, const TileOptions& options)
      : Panels(a, std::move(tree), options), parts_(tree_.fronts.size()) {
    // Below this a diagonal element of R is rounding: the rule of SPQR.
    double longest = 0;
    for (Position j = 0; j < a.columns; ++j) {
      double sum = 0;
      for (Position p = a.starts[static_cast<std::size_t>(j)]; p < a.starts[static_cast<std::size_t>(j) + 1]; ++p)
        sum += a.values[static_cast<std::size_t>(p)] * a.values[static_cast<std::size_t>(p)];
      longest = std::max(longest, sum);
    }
    nothing_ =
        20 * static_cast<double>(a.rows + a.columns) * std::numeric_limits<double>::epsilon() * std::sqrt(longest);
    for (std::size_t f = 0; f < parts_.size(); ++f)
      parts_[f].reflections.resize(static_cast<std::size_t>(panels(static_cast<int>(f))));
    build();
  }

  /// R^T R z against A^T A z for two vectors: that decides R but for the signs of its rows.
  [[nodiscard]] double error() const override {
    const double scale = norm_frobenius(a_) * norm_frobenius(a_);
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      std::vector<double> z(tree_.order.size());
      double length = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] = static_cast<double>(random_at(seed, i) >> 11U) * 0x1p-52 - 1;
        length += z[i] * z[i];
      }
      const std::vector<double> expected = multiply_transposed(a_, multiply(a_, z));
      const std::vector<double> found = square(z);
      double wrong = 0;
      for (std::size_t i = 0; i < z.size(); ++i) wrong += (expected[i] - found[i]) * (expected[i] - found[i]);
      const double share = std::sqrt(wrong / length) / scale;
      if (!(share <= worst)) worst = share;
    }
    return worst;
  }

  [[nodiscard]] double log_determinant() const override {
    double sum = 0;
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f)
      for (int j = 0; j < tree_.fronts[f].pivots; ++j) sum += std::log(std::fabs(r(f, j, j)));
    return sum;
  }

 protected:
  [[nodiscard]] int panels(int number) const override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
    const std::vector<int> starts = tiles(front);
    return static_cast<int>(std::lower_bound(starts.begin(), starts.end() - 1, front.rows) - starts.begin());
  }

  void factor_panel(int f, int number, const Range& panel) override {
    Reflections& made = parts_[static_cast<std::size_t>(f)].reflections[static_cast<std::size_t>(number)];
    made.count = std::min(panel.rows, panel.columns);
    if (made.count == 0) return;
    const auto count = static_cast<std::size_t>(made.count);
    made.block.resize(count * count);
    const int work_size = 32 * panel.columns;  // LAPACK's block size
    double* const work = scratch(static_cast<std::size_t>(work_size) + count);
    double* const lengths = work + work_size;
    double* const corner = at(f, panel.first, panel.first);
    const int distance = leading(f, panel.first);
    int info = 0;
    dgeqrf_(&panel.rows, &panel.columns, corner, &distance, lengths, work, &work_size, &info);
    dlarft_("F", "C", &panel.rows, &made.count, corner, &distance, lengths, made.block.data(), &made.count, 1, 1);
  }

  void update(int f, int number, const Range& panel, int first, int end) override {
    const Reflections& made = parts_[static_cast<std::size_t>(f)].reflections[static_cast<std::size_t>(number)];
    const int columns = end - first;
    if (made.count == 0 || columns <= 0) return;
    const int from = leading(f, panel.first);
    const int to = leading(f, first);
    double* const work = scratch(static_cast<std::size_t>(columns) * static_cast<std::size_t>(made.count));
    dlarfb_("L", "T", "F", "C", &panel.rows, &columns, &made.count, at(f, panel.first, panel.first), &from,
            made.block.data(), &made.count, at(f, panel.first, first), &to, work, &columns, 1, 1, 1, 1);
  }

  void finished(int f) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(f)];
    Part& part = parts_[static_cast<std::size_t>(f)];
    const int p = front.pivots;
    part.r =
        std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(p) * static_cast<std::size_t>(front.columns));
    for (int j = 0; j < front.columns; ++j)
      std::copy_n(at(f, 0, j), std::min(p, j + 1), part.r.get() + static_cast<std::ptrdiff_t>(j) * p);
    storage_[static_cast<std::size_t>(f)].pivots.reset();
    for (Reflections& made : part.reflections) made.block = {};
    for (int j = 0; j < p; ++j) {
      if (std::fabs(r(static_cast<std::size_t>(f), j, j)) > nothing_) continue;
      throw Error(Errc::bad_input,
                  fmt::format("{} has linearly dependent columns: column {} follows from others", a_.name,
                              tree_.order[static_cast<std::size_t>(front.first + j)] + 1),
                  "give a matrix of full rank");
    }
  }

 private:
  struct Reflections {
    int count = 0;
    std::vector<double> block;  // count x count, the triangle of the block reflector
  };
  struct Part {
    std::vector<Reflections> reflections;  // by panel
    std::unique_ptr<double[]> r;           // pivots x columns; below the diagonal nothing is set
  };

  [[nodiscard]] double r(std::size_t f, int row, int column) const {
    return parts_[f].r[static_cast<std::size_t>(column) * static_cast<std::size_t>(tree_.fronts[f].pivots) +
                       static_cast<std::size_t>(row)];
  }

  /// R^T R z, in the order of A's columns.
  [[nodiscard]] std::vector<double> square(const std::vector<double>& z) const {
    std::vector<double> out(z.size());
    for (std::size_t f = 0; f < tree_.fronts.size(); ++f) {
      const Front& front = tree_.fronts[f];
      const auto column = [&](int j) {
        return static_cast<std::size_t>(
            tree_.order[static_cast<std::size_t>(front.places[static_cast<std::size_t>(j)])]);
      };
      std::vector<double> y(static_cast<std::size_t>(front.pivots));
      for (int j = 0; j < front.columns; ++j)
        for (int i = 0; i < std::min(front.pivots, j + 1); ++i)
          y[static_cast<std::size_t>(i)] += r(f, i, j) * z[column(j)];
      for (int j = 0; j < front.columns; ++j)
        for (int i = 0; i < std::min(front.pivots, j + 1); ++i)
          out[column(j)] += r(f, i, j) * y[static_cast<std::size_t>(i)];
    }
    return out;
  }

  std::vector<Part> parts_;
  double nothing_ = 0;
};

}  // namespace

std::unique_ptr<Elimination> make_qr(const SparseMatrix& a, FrontTree tree, const TileOptions& options) {
  return std::make_unique<Qr>(a, std::move(tree), options);
}

}  // namespace charm::workloads::factor
