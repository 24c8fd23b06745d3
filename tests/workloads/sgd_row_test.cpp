// The loops over several dense rows, against those over one, for any number of features.
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/sgd/row.hpp"

namespace charm::workloads::testing {
namespace {

std::vector<float> numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> within(-1, 1);
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& one : made) one = within(random);
  return made;
}

class DenseRows : public ::testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(OfFeatures, DenseRows, ::testing::Values(1, 7, 8, 15, 16, 17, 31, 100));

TEST_P(DenseRows, AStepWithTheNextProductIsTheStepAndThenTheProduct) {
  const Index n = GetParam();
  const auto rows = numbers(2 * n, 1);
  const float keep = .9F, gain = .3F;
  std::vector<float> right = numbers(n, 2);
  std::vector<float> found = right;
  for (Index j = 0; j < n; ++j) {
    float& w = right[static_cast<std::size_t>(j)];
    w = keep * (w + gain * rows[static_cast<std::size_t>(j)]);
  }
  const float product = step_and_dot(rows.data(), rows.data() + n, n, keep, gain, found.data());
  for (std::size_t j = 0; j < right.size(); ++j) EXPECT_FLOAT_EQ(found[j], right[j]) << j;
  EXPECT_NEAR(product, dot_dense<Plain>(rows.data() + n, right.data(), n), 1e-5);
}

TEST_P(DenseRows, ProductsAndSumsOfFourAreThoseOfEach) {
  const Index n = GetParam();
  const auto rows = numbers(4 * n, 3);
  const auto model = numbers(n, 4);
  const auto products = dot_dense_rows<4>(rows.data(), model.data(), n);
  const std::array<float, 4> factors = {.5F, -1, 2, .25F};
  std::vector<float> sums = numbers(n, 5);
  std::vector<float> right = sums;
  add_dense_rows(rows.data(), n, factors, sums.data());
  for (std::size_t row = 0; row < 4; ++row) {
    const float* x = rows.data() + Index(row) * n;
    EXPECT_NEAR(products[row], dot_dense<Plain>(x, model.data(), n), 1e-5) << row;
    for (std::size_t j = 0; j < right.size(); ++j) right[j] += factors[row] * x[j];
  }
  for (std::size_t j = 0; j < right.size(); ++j) EXPECT_NEAR(sums[j], right[j], 1e-6) << j;
}

}  // namespace
}  // namespace charm::workloads::testing
