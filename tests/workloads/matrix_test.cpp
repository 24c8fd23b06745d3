// Matrices of factorisations: what is generated, and what is read from Matrix Market files or refused.
#include <charm/error.hpp>

#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/factor/generate.hpp"
#include "workloads/factor/matrix_market.hpp"
#include "workloads/factor/names.hpp"

namespace charm::workloads::factor {
namespace {

using Triples = std::vector<std::tuple<Position, Position, double>>;

Triples triples(const SparseMatrix& a) {
  Triples out;
  for (Position j = 0; j < a.columns; ++j)
    for (Position p = a.starts[static_cast<std::size_t>(j)]; p < a.starts[static_cast<std::size_t>(j) + 1]; ++p)
      out.emplace_back(a.indices[static_cast<std::size_t>(p)], j, a.values[static_cast<std::size_t>(p)]);
  return out;
}

TEST(Matrix, AddsEntriesAtOnePlaceAndTransposes) {
  const SparseMatrix a = matrix_of(2, 3, {{1, 2, 4}, {0, 0, 1}, {1, 2, 3}, {1, 0, 2}}, "m");
  EXPECT_EQ(triples(a), (Triples{{0, 0, 1}, {1, 0, 2}, {1, 2, 7}}));
  EXPECT_EQ(triples(transposed(a)), (Triples{{0, 0, 1}, {0, 1, 2}, {2, 1, 7}}));
  EXPECT_EQ(multiply(a, {1, 1, 1}), (std::vector<double>{1, 9}));
  EXPECT_EQ(multiply_transposed(a, {1, 1}), (std::vector<double>{3, 0, 7}));
  EXPECT_EQ(norm_infinity(a), 9);
  EXPECT_THROW(matrix_of(1, 1, {{0, 0, std::numeric_limits<double>::quiet_NaN()}}, "m"), Error);
  EXPECT_THROW(matrix_of(1, 1, {{0, 0, 1e308}, {0, 0, 1e308}}, "m"), Error);
}

TEST(Matrix, IsGeneratedAsItsKindSays) {
  for (const std::string& kind : factor_matrices()) {
    for (const std::int64_t size : {1, 2, 30, 100}) {
      const MatrixOptions options{kind, size, 5};
      const SparseMatrix a = generate_matrix(options);
      SCOPED_TRACE(kind + " " + std::to_string(size));
      EXPECT_LE(a.columns, size);
      EXPECT_EQ(a.rows, kind == "tall" ? 2 * a.columns : a.columns);
      EXPECT_LE(a.entries(), 2 * generated_entries(options));
      EXPECT_EQ(a.full(), a.entries() == a.rows * a.columns);
      const bool symmetric =
          kind.starts_with("laplace") || kind == "spd" || kind == "arrow" || kind == "kkt" || kind == "dense-spd";
      if (size > 2) {
        EXPECT_EQ(is_symmetric(a), symmetric);
      }
      EXPECT_EQ(triples(a), triples(generate_matrix(options)));
      if (size == 100 && !kind.starts_with("laplace")) {
        EXPECT_NE(triples(a), triples(generate_matrix({kind, size, 6})));
      }
    }
  }
  EXPECT_EQ(generate_matrix({"laplace2d", 99, 1}).columns, 81);
  EXPECT_EQ(generate_matrix({"laplace3d", 63, 1}).columns, 27);
  EXPECT_EQ(generate_matrix({"laplace3d", 64, 1}).columns, 64);
  EXPECT_THROW(generate_matrix({"hilbert", 5, 1}), Error);
  EXPECT_THROW(generate_matrix({"dense", 1 << 20, 1}), Error);
}

class MatrixFiles : public ::testing::Test {
 protected:
  SparseMatrix read(const std::string& text) { return load_matrix(folder_.file("a.mtx", text)); }
  std::string refusal(const std::string& text) {
    const std::string path = folder_.file("a.mtx", text);
    try {
      load_matrix(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      const std::string what = error.what();
      EXPECT_EQ(what.find('\n'), std::string::npos);
      EXPECT_EQ(what.find(path), 0U) << what;
      return what.substr(path.size());
    }
    return "";
  }
  test::Folder folder_;
};

TEST_F(MatrixFiles, AreReadInEveryForm) {
  const Triples expected = {{0, 0, 1.5}, {1, 0, -2}, {0, 1, -2}};
  EXPECT_EQ(
      triples(read("%%MatrixMarket matrix coordinate real general\n% note\n\n2 2 3\n1 1 1.5\n2 1 -2\n1 2 -2e0\n")),
      expected);
  EXPECT_EQ(triples(read("%%MatrixMarket MATRIX Coordinate Real Symmetric\n2 2 2\n1 1 +1.5\n2 1 -2")), expected);
  EXPECT_EQ(triples(read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n")),
            (Triples{{1, 0, 3}, {0, 1, -3}}));
  EXPECT_EQ(triples(read("%%MatrixMarket matrix coordinate pattern general\n1 2 2\n1 1\n1 2\n")),
            (Triples{{0, 0, 1}, {0, 1, 1}}));
  EXPECT_EQ(triples(read("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")),
            (Triples{{0, 0, 1}, {1, 0, 2}, {0, 1, 3}, {1, 1, 4}}));
  EXPECT_EQ(triples(read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n")),
            (Triples{{0, 0, 1}, {1, 0, 2}, {0, 1, 2}, {1, 1, 3}}));
}

TEST_F(MatrixFiles, AreRefusedWithTheLineThatIsWrong) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const std::pair<std::string, std::string> cases[] = {
      {"1 1 1\n", ":1: the Matrix Market header"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n", ":1: Matrix Market field 'complex'"},
      {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n", ":1: Matrix Market symmetry"},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", ":1: an array cannot be a pattern"},
      {head, ":2: the file ends before the size line"},
      {head + "2 2\n", ":2: the line ends before the number of entries"},
      {head + "2 2 4 4\n", ":2: '4' stands after the matrix's size"},
      {head + "0 2 0\n", ":2: the matrix is empty"},
      {head + "2 2 1\n1 1 1\n", ":2: 1 entries are too few"},
      {head + "2 2 2\n1 1 1\n", ":4: the file ends after 1 of 2 entries"},
      {head + "1 1 1\n1 1 1\n1 1 1\n", ":4: an entry more than the 1"},
      {head + "2 2 2\n1 1 1\n3 1 1\n", ":4: row 3 is out of range"},
      {head + "2 2 2\n1 1 1\n0 1 1\n", ":4: row 0 is out of range"},
      {head + "2 2 2\n1 1 1\n1 -1 1\n", ":4: column -1 is negative"},
      {head + "2 2 2\n1 1 nan\n2 2 1\n", ":3: value 'nan' is not a finite number"},
      {head + "2 2 2\n1 1 inf\n2 2 1\n", ":3: value 'inf' is not a finite number"},
      {head + "2 2 2\n1 1\n2 2 1\n", ":3: the entry has no value"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 .5\n", ":3: value '.5' of an integer matrix"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", ":4: an entry more than the 1"},
      {"%%MatrixMarket matrix array real general\n2 1 2\n1\n2\n", ":2: '2' stands after the size of the array"},
      {head + "2 2 2\n1 1 1 1\n2 2 1\n", ":3: '1' stands after the entry"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 2\n", ":2: a symmetric matrix of 2 rows has 3 columns"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
       ":3: a skew-symmetric matrix has no diagonal"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text).find(expected), 0U) << text << refusal(text);
  EXPECT_NE(refusal("").find("the file is empty"), std::string::npos);
  EXPECT_THROW(load_matrix(folder_.path("none.mtx")), Error);
}

TEST_F(MatrixFiles, OfAFewBytesDoNotAskForGigabytes) {
  const std::string refused = refusal("%%MatrixMarket matrix coordinate real general\n1 2000000000 1\n1 1 1\n");
  EXPECT_NE(refused.find("or allow it with --file-memory"), std::string::npos) << refused;
}

}  // namespace
}  // namespace charm::workloads::factor
