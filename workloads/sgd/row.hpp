// What a kernel does with one row: the product with a model, and adding the row to one. The model may be written by
// other workers meanwhile (Relaxed) or not (Plain); only the plain loops over dense rows can become vector
// instructions. Invariant: all sums over a row are taken in the same order by the same function for the same access.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "workloads/relaxed.hpp"
#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

/// A model that nobody else writes.
struct Plain {
  static constexpr std::size_t lanes = 16;
  static float get(const float& w) { return w; }
  static void put(float& w, float value) { w = value; }
};

/// A model that other workers read and write without locking.
struct Relaxed {
  static constexpr std::size_t lanes = 8;  ///< a register each, with some left for the elements
  static float get(const float& w) { return load(w); }
  static void put(float& w, float value) { store(w, value); }
};

/// x . w over n elements. Sums are kept apart so that none waits for the one before.
template <class Access>
float dot_dense(const float* x, const float* w, Index n) {
  constexpr std::size_t lanes = Access::lanes;
  std::array<float, lanes> sums{};
  Index i = 0;
  for (; i + Index{lanes} <= n; i += Index{lanes}) {
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += x[i + Index(k)] * Access::get(w[i + Index(k)]);
  }
  float total = 0;
  for (; i < n; ++i) total += x[i] * Access::get(w[i]);
  for (const float sum : sums) total += sum;
  return total;
}

template <class Access>
float dot(const Samples& samples, Index row, const float* w) {
  if (!samples.sparse()) return dot_dense<Access>(&samples.values[row * samples.features], w, samples.features);
  float total = 0;
  for (Index i = samples.offsets[row]; i < samples.offsets[row + 1]; ++i)
    total += samples.values[i] * Access::get(w[samples.columns[i]]);
  return total;
}

/// sum += factor * row. \param sum float or double, one a feature.
template <class T>
void add_row(const Samples& samples, Index row, T factor, T* sum) {
  if (samples.sparse()) {
    for (Index i = samples.offsets[row]; i < samples.offsets[row + 1]; ++i)
      sum[samples.columns[i]] += factor * static_cast<T>(samples.values[i]);
    return;
  }
  const float* x = &samples.values[row * samples.features];
  for (Index j = 0; j < samples.features; ++j) sum[j] += factor * static_cast<T>(x[j]);
}

/// w = keep * (w + gain * x), and the product of the new w with the next row, in one pass over the model: the same as
/// dot_dense<Plain>() after it.
inline float step_and_dot(const float* x, const float* next, Index n, float keep, float gain, float* w) {
  constexpr std::size_t lanes = Plain::lanes;
  std::array<float, lanes> sums{};
  Index i = 0;
  for (; i + Index{lanes} <= n; i += Index{lanes}) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const Index j = i + Index(k);
      w[j] = keep * (w[j] + gain * x[j]);
      sums[k] += next[j] * w[j];
    }
  }
  float total = 0;
  for (; i < n; ++i) {
    w[i] = keep * (w[i] + gain * x[i]);
    total += next[i] * w[i];
  }
  for (const float sum : sums) total += sum;
  return total;
}

/// The products of some dense rows with w, of which each part is read once for all of them.
template <std::size_t rows>
std::array<float, rows> dot_dense_rows(const float* x, const float* w, Index n) {
  constexpr std::size_t lanes = 8;
  std::array<std::array<float, lanes>, rows> sums{};
  Index i = 0;
  for (; i + Index{lanes} <= n; i += Index{lanes}) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < lanes; ++k) sums[row][k] += x[Index(row) * n + i + Index(k)] * w[i + Index(k)];
    }
  }
  std::array<float, rows> totals{};
  for (std::size_t row = 0; row < rows; ++row) {
    for (Index rest = i; rest < n; ++rest) totals[row] += x[Index(row) * n + rest] * w[rest];
    for (const float sum : sums[row]) totals[row] += sum;
  }
  return totals;
}

/// sum += factors[0] * the first of some dense rows + factors[1] * the next, and so on. A sum is read and written once
/// for all of them: with thousands of features the sums of a gradient do not stay in the first-level cache beside a
/// row.
template <std::size_t rows>
void add_dense_rows(const float* x, Index features, const std::array<float, rows>& factors, float* sum) {
  for (Index j = 0; j < features; ++j) {
    float total = sum[j];
    for (std::size_t k = 0; k < rows; ++k) total += factors[k] * x[Index(k) * features + j];
    sum[j] = total;
  }
}

/// log(1 + exp(-margin)), without overflow.
inline double logistic_loss(double margin) {
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

/// 1 / (1 + exp(margin)): by how much the loss falls as the margin grows.
inline double logistic_slope(double margin) {
  if (margin < 0) return 1 / (1 + std::exp(margin));
  const double small = std::exp(-margin);
  return small / (1 + small);
}

}  // namespace charm::workloads
