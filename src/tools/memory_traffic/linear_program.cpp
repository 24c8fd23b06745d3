#include "tools/memory_traffic/linear_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace charm::memory_traffic {
namespace {

constexpr double none_left = 1e-9;

class Tableau {
 public:
  explicit Tableau(const LinearProgram& program)
      : variables_(program.value.size()), rows_(program.rows.size()), columns_(variables_ + rows_ + 1) {
    // Limits of very different size would drown in the tolerance: everything is measured by the largest.
    for (const double limit : program.limits) unit_ = std::max(unit_, limit);
    if (unit_ == 0) unit_ = 1;
    for (std::size_t r = 0; r < rows_; ++r) {
      std::vector<double> row(columns_, 0);
      std::copy(program.rows[r].begin(), program.rows[r].end(), row.begin());
      row[variables_ + r] = 1;
      row.back() = program.limits[r] / unit_;
      table_.push_back(std::move(row));
      basis_.push_back(variables_ + r);
    }
    gain_ = program.value;
    gain_.resize(columns_, 0);
    double largest = 1;
    for (const double cost : program.cost) largest = std::max(largest, std::abs(cost));
    for (const double cost : program.cost) saving_.push_back(-cost / largest);
    saving_.resize(columns_, 0);
  }

  std::vector<double> solve() {
    for (std::size_t entering = 0; (entering = next()) < columns_ - 1;) {
      const std::size_t row = leaving(entering);
      if (row == rows_) break;  // unbounded, which the caller rules out
      pivot(row, entering);
    }
    std::vector<double> x(variables_, 0);
    for (std::size_t r = 0; r < rows_; ++r) {
      if (basis_[r] < variables_) x[basis_[r]] = std::max(0.0, table_[r].back() * unit_);
    }
    return x;
  }

 private:
  /// The first column that gains; else the first that keeps the gain and saves cost (Bland).
  [[nodiscard]] std::size_t next() const {
    for (std::size_t c = 0; c + 1 < columns_; ++c) {
      if (gain_[c] > none_left) return c;
    }
    for (std::size_t c = 0; c + 1 < columns_; ++c) {
      if (std::abs(gain_[c]) <= none_left && saving_[c] > none_left) return c;
    }
    return columns_ - 1;
  }

  [[nodiscard]] std::size_t leaving(std::size_t entering) const {
    std::size_t best = rows_;
    double least = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (table_[r][entering] <= none_left) continue;
      const double ratio = table_[r].back() / table_[r][entering];
      const bool less = best == rows_ || ratio < least - 1e-12;
      if (less || (ratio <= least + 1e-12 && basis_[r] < basis_[best])) {
        best = r;
        least = less ? ratio : std::min(ratio, least);
      }
    }
    return best;
  }

  void pivot(std::size_t row, std::size_t entering) {
    std::vector<double>& pivot_row = table_[row];
    const double by = pivot_row[entering];
    for (double& value : pivot_row) value /= by;
    const auto clear = [&](std::vector<double>& other) {
      const double factor = other[entering];
      if (factor == 0) return;
      for (std::size_t c = 0; c < columns_; ++c) other[c] -= factor * pivot_row[c];
      other[entering] = 0;
    };
    for (std::size_t r = 0; r < rows_; ++r) {
      if (r != row) clear(table_[r]);
    }
    clear(gain_);
    clear(saving_);
    basis_[row] = entering;
  }

  std::size_t variables_, rows_, columns_;
  std::vector<std::vector<double>> table_;  // the last column is the limit
  std::vector<std::size_t> basis_;
  std::vector<double> gain_, saving_;
  double unit_ = 0;
};

}  // namespace

std::vector<double> solve(const LinearProgram& program) { return Tableau(program).solve(); }

}  // namespace charm::memory_traffic
