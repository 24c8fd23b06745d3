#include "workloads/factor/matrix.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace charm::workloads::factor {
namespace {

std::size_t at(Position i) { return static_cast<std::size_t>(i); }

}  // namespace

SparseMatrix matrix_of(Position rows, Position columns, std::vector<Entry> entries, std::string name) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.column, a.row) < std::pair(b.column, b.row); });
  SparseMatrix a;
  a.rows = rows;
  a.columns = columns;
  a.name = std::move(name);
  a.starts.assign(at(columns) + 1, 0);
  a.indices.reserve(entries.size());
  a.values.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    if (i > 0 && entries[i - 1].row == e.row && entries[i - 1].column == e.column) {
      a.values.back() += e.value;
      continue;
    }
    a.indices.push_back(e.row);
    a.values.push_back(e.value);
    ++a.starts[at(e.column) + 1];
  }
  for (Position j = 0; j < columns; ++j) a.starts[at(j) + 1] += a.starts[at(j)];
  for (Position j = 0; j < columns; ++j) {
    for (Position p = a.starts[at(j)]; p < a.starts[at(j) + 1]; ++p) {
      if (std::isfinite(a.values[at(p)])) continue;
      throw Error(Errc::bad_input,
                  fmt::format("{}: entry ({}, {}) is {}", a.name, a.indices[at(p)] + 1, j + 1, a.values[at(p)]),
                  "a factorisation needs finite values");
    }
  }
  return a;
}

SparseMatrix transposed(const SparseMatrix& a) {
  SparseMatrix t;
  t.rows = a.columns;
  t.columns = a.rows;
  t.name = a.name;
  t.starts.assign(at(a.rows) + 1, 0);
  t.indices.resize(a.indices.size());
  t.values.resize(a.values.size());
  for (const Position row : a.indices) ++t.starts[at(row) + 1];
  for (Position i = 0; i < a.rows; ++i) t.starts[at(i) + 1] += t.starts[at(i)];
  std::vector<Position> next(t.starts.begin(), t.starts.end() - 1);
  for (Position j = 0; j < a.columns; ++j) {
    for (Position p = a.starts[at(j)]; p < a.starts[at(j) + 1]; ++p) {
      const std::size_t to = at(next[at(a.indices[at(p)])]++);
      t.indices[to] = j;
      t.values[to] = a.values[at(p)];
    }
  }
  return t;
}

bool is_symmetric(const SparseMatrix& a) {
  if (a.rows != a.columns) return false;
  const SparseMatrix t = transposed(a);
  return t.starts == a.starts && t.indices == a.indices && t.values == a.values;
}

std::vector<double> multiply(const SparseMatrix& a, const std::vector<double>& x) {
  std::vector<double> y(at(a.rows));
  for (Position j = 0; j < a.columns; ++j)
    for (Position p = a.starts[at(j)]; p < a.starts[at(j) + 1]; ++p)
      y[at(a.indices[at(p)])] += a.values[at(p)] * x[at(j)];
  return y;
}

std::vector<double> multiply_transposed(const SparseMatrix& a, const std::vector<double>& x) {
  std::vector<double> y(at(a.columns));
  for (Position j = 0; j < a.columns; ++j)
    for (Position p = a.starts[at(j)]; p < a.starts[at(j) + 1]; ++p)
      y[at(j)] += a.values[at(p)] * x[at(a.indices[at(p)])];
  return y;
}

double norm_infinity(const SparseMatrix& a) {
  std::vector<double> sums(at(a.rows));
  for (std::size_t p = 0; p < a.values.size(); ++p) sums[at(a.indices[p])] += std::fabs(a.values[p]);
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

double norm_frobenius(const SparseMatrix& a) {
  double sum = 0;
  for (const double value : a.values) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace charm::workloads::factor
