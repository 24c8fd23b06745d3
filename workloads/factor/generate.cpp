// The kinds:
//  laplace2d, laplace3d  five- and seven-point Laplacians with Dirichlet boundaries: positive definite
//  spd      symmetric, about 8 entries a row at random, diagonally dominant: positive definite, much fill
//  arrow    a diagonal with 4 dense rows and columns in front: positive definite; all fill unless it is reordered
//  band     8 diagonals below and 12 above, no dominance: needs pivots
//  random   about 5 entries a row at random and a weak diagonal: needs pivots
//  kkt      [H B'; B 0] of an optimisation with constraints: symmetric, indefinite, a third of the diagonal is zero
//  tall     twice as many rows as columns: least squares
//  dense, dense-spd  full matrices, general and positive definite
#include "workloads/factor/generate.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/factor/names.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads::factor {
namespace {

using Entries = std::vector<Entry>;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  /// In [-1, 1).
  double value() { return static_cast<double>(random_at(seed_, next_++) >> 11U) * 0x1p-52 - 1; }
  /// In [0, below).
  Position place(Position below) {
    return static_cast<Position>(random_at(seed_, next_++) % static_cast<std::uint64_t>(below));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

void both(Entries& out, Position i, Position j, double value) {
  out.push_back({i, j, value});
  out.push_back({j, i, value});
}

Position root(Position size, int power) {
  auto side = static_cast<Position>(std::pow(static_cast<double>(size), 1.0 / power));
  const auto points = [&](Position s) { return power == 2 ? s * s : s * s * s; };
  while (points(side + 1) <= size) ++side;
  while (side > 1 && points(side) > size) --side;
  return std::max<Position>(side, 1);
}

Entries laplacian(Position side, int dimensions) {
  const Position planes = dimensions == 3 ? side : 1;
  Entries out;
  for (Position z = 0; z < planes; ++z) {
    for (Position y = 0; y < side; ++y) {
      for (Position x = 0; x < side; ++x) {
        const Position i = (z * side + y) * side + x;
        out.push_back({i, i, 2.0 * dimensions});
        if (x + 1 < side) both(out, i, i + 1, -1);
        if (y + 1 < side) both(out, i, i + side, -1);
        if (z + 1 < planes) both(out, i, i + side * side, -1);
      }
    }
  }
  return out;
}

/// Sets the diagonal so that each row exceeds the sum of its other entries.
void dominate(Entries& out, Position n) {
  std::vector<double> sums(static_cast<std::size_t>(n), .5);
  for (const Entry& e : out) sums[static_cast<std::size_t>(e.row)] += std::fabs(e.value);
  for (Position i = 0; i < n; ++i) out.push_back({i, i, sums[static_cast<std::size_t>(i)]});
}

Entries spd(Position n, Draw& draw) {
  Entries out;
  for (Position i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) {
      const Position j = draw.place(n);
      if (i != j) both(out, i, j, draw.value());
    }
  }
  dominate(out, n);
  return out;
}

Entries arrow(Position n, Draw& draw) {
  Entries out;
  const Position head = std::min<Position>(4, n);
  for (Position i = 0; i < n; ++i)
    for (Position j = 0; j < std::min(i, head); ++j) both(out, i, j, draw.value());
  dominate(out, n);
  return out;
}

Entries band(Position n, Draw& draw) {
  Entries out;
  for (Position j = 0; j < n; ++j)
    for (Position i = std::max<Position>(0, j - 12); i < std::min(n, j + 9); ++i) out.push_back({i, j, draw.value()});
  return out;
}

Entries random_rows(Position rows, Position columns, Draw& draw) {
  Entries out;
  for (Position i = 0; i < rows; ++i) {
    out.push_back({i, i % columns, .5 + .5 * std::fabs(draw.value())});
    for (int k = 0; k < 4; ++k) out.push_back({i, draw.place(columns), draw.value()});
  }
  return out;
}

Entries kkt(Position n, Draw& draw) {
  const Position constraints = n / 3;
  const Position variables = n - constraints;
  Entries out;
  for (Position i = 0; i + 1 < variables; ++i) both(out, i, i + 1, draw.value());
  dominate(out, variables);
  for (Position c = 0; c < constraints; ++c) {
    // Each constraint has a variable of its own, which the others weigh less than: none follows from the others.
    both(out, variables + c, c, 2);
    for (int k = 0; k < 2; ++k) both(out, variables + c, draw.place(variables), .4 * draw.value());
  }
  return out;
}

Entries dense(Position n, Draw& draw, bool definite) {
  Entries out;
  out.reserve(static_cast<std::size_t>(n * n));
  for (Position j = 0; j < n; ++j) {
    for (Position i = definite ? j : 0; i < n; ++i) {
      if (!definite)
        out.push_back({i, j, draw.value()});
      else if (i == j)
        out.push_back({i, i, static_cast<double>(n)});
      else
        both(out, i, j, draw.value());
    }
  }
  return out;
}

}  // namespace

std::int64_t generated_entries(const MatrixOptions& options) {
  const std::int64_t n = options.size;
  std::int64_t a_row = 10;
  if (options.kind.starts_with("dense")) a_row = n;
  if (options.kind == "band") a_row = 21;
  if (options.kind == "laplace3d") a_row = 7;
  return n > most_entries / a_row ? most_entries + 1 : n * a_row;
}

SparseMatrix generate_matrix(const MatrixOptions& options) {
  const std::string& kind = options.kind;
  const auto known = factor_matrices();
  if (std::find(known.begin(), known.end(), kind) == known.end())
    throw Error(Errc::bad_config, fmt::format("matrix '{}' is unknown", kind),
                fmt::format("choose among {}", fmt::join(known, ", ")));
  if (options.size < 1)
    throw Error(Errc::bad_input, fmt::format("a matrix of {} columns is empty", options.size), "use 1 or more");
  if (generated_entries(options) > most_entries)
    throw Error(Errc::bad_input, fmt::format("a {} matrix of {} columns has too many entries", kind, options.size),
                "take a smaller --size");
  Draw draw(options.seed);
  Position n = options.size;
  Position rows = n;
  Entries entries;
  if (kind == "laplace2d" || kind == "laplace3d") {
    const int dimensions = kind == "laplace2d" ? 2 : 3;
    const Position side = root(n, dimensions);
    rows = n = dimensions == 2 ? side * side : side * side * side;
    entries = laplacian(side, dimensions);
  } else if (kind == "spd") {
    entries = spd(n, draw);
  } else if (kind == "arrow") {
    entries = arrow(n, draw);
  } else if (kind == "band") {
    entries = band(n, draw);
  } else if (kind == "random") {
    entries = random_rows(n, n, draw);
  } else if (kind == "kkt") {
    entries = kkt(n, draw);
  } else if (kind == "tall") {
    rows = 2 * n;
    entries = random_rows(rows, n, draw);
  } else {
    entries = dense(n, draw, kind == "dense-spd");
  }
  return matrix_of(rows, n, std::move(entries), kind);
}

}  // namespace charm::workloads::factor
