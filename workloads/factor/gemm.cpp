// The product of two full matrices by tiles (ABSS §4.3): a task for each tile of the result, which no other waits for.
#include <charm/page_block.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "workloads/factor/blas.hpp"
#include "workloads/factor/elimination.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads::factor {
namespace {

class Gemm final : public Computation {
 public:
  Gemm(Position size, std::uint64_t seed, const TileOptions& options)
      : n_(static_cast<int>(size)), tile_(options.tile), across_((n_ + tile_ - 1) / tile_) {
    const std::size_t entries = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    a_.resize(entries);
    b_.resize(entries);
    for (std::size_t i = 0; i < entries; ++i) {
      a_[i] = static_cast<double>(random_at(seed, i) >> 11U) * 0x1p-52 - 1;
      b_[i] = static_cast<double>(random_at(seed + 1, i) >> 11U) * 0x1p-52 - 1;
    }
    for (int i = 0; i < across_ * across_; ++i) dag_.add(0);
    dag_.finish();
  }

  [[nodiscard]] std::vector<std::string> kinds() const override { return {"gemm.tile"}; }
  [[nodiscard]] double flops() const override { return 2.0 * n_ * n_ * n_; }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} tasks, {:.3g} Gflop", dag_.size(), flops() / 1e9);
  }

  void begin() override {
    Computation::begin();
    // New pages each time, which the tasks are the first to touch: memory that malloc had kept would have no page
    // faults, and how much that is depends on what ran before.
    c_ = PageBlock(a_.size() * sizeof(double));
  }

  /// C z against A (B z), by the sizes of what is added: R. Freivalds, IFIP Congress 1977.
  [[nodiscard]] double error() const override {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<double>(random_at(7, i) >> 11U) * 0x1p-52 - 1;
    const auto times = [&](const double* matrix, const std::vector<double>& x) {
      std::vector<double> y(n);
      gemm('N', 'N', n_, 1, n_, 1, matrix, n_, x.data(), n_, y.data(), n_);
      return y;
    };
    const std::vector<double> expected = times(a_.data(), times(b_.data(), z));
    const std::vector<double> found = times(static_cast<const double*>(c_.data()), z);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double wrong = std::fabs(expected[i] - found[i]);
      if (!(wrong <= worst)) worst = wrong;
    }
    return worst / (static_cast<double>(n_) * n_);
  }

 protected:
  void work(Task task) override {
    const int i = task % across_ * tile_;
    const int j = task / across_ * tile_;
    const int rows = std::min(tile_, n_ - i);
    const int columns = std::min(tile_, n_ - j);
    const auto place = [this](int row, int column) { return static_cast<std::ptrdiff_t>(column) * n_ + row; };
    double* const tile = static_cast<double*>(c_.data()) + place(i, j);
    for (int c = 0; c < columns; ++c) std::fill_n(tile + place(0, c), rows, 0.0);
    for (int k = 0; k < n_; k += tile_)
      gemm('N', 'N', rows, columns, std::min(tile_, n_ - k), 1, a_.data() + place(i, k), n_, b_.data() + place(k, j),
           n_, tile, n_);
  }

 private:
  int n_;
  int tile_;
  int across_;
  std::vector<double> a_, b_;
  PageBlock c_;
};

}  // namespace

std::unique_ptr<Computation> make_gemm(Position size, std::uint64_t seed, const TileOptions& options) {
  return std::make_unique<Gemm>(size, seed, options);
}

}  // namespace charm::workloads::factor
