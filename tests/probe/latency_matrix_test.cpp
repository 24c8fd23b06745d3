#include "tools/probe/latency_matrix.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <rapidcheck.h>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace charm::probe;

namespace {

LatencyMatrix read(const std::string& text) {
  std::istringstream in(text);
  return read_latency_csv(in, "m.csv");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_input);
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
    return what;
  }
  return "";
}

TEST(LatencyCsv, ALowerAnUpperAndAFullMatrixSayTheSame) {
  for (const char* text : {",,\n1,,\n2,3,\n", ",1,2\n,,3\n,,\n", "0,1,2\n1,0,3\n2,3,0\n", "\n1\n2,3,\n"}) {
    const auto m = read(text);
    ASSERT_EQ(m.rows(), 3) << text;
    EXPECT_EQ(m.at(0, 1), 1);
    EXPECT_EQ(m.at(2, 0), 2);
    EXPECT_EQ(m.at(1, 2), 3);
    EXPECT_FALSE(m.measured(1, 1));
  }
}

TEST(LatencyCsv, OfTwoDirectionsTheSmallerStands) { EXPECT_EQ(read(",9\n7,\n").at(0, 1), 7); }

void expect_the_smaller_of_each_pair() {
  const int rows = *rc::gen::inRange(2, 60);
  std::vector<std::vector<std::string>> cells(static_cast<std::size_t>(rows));
  for (auto& row : cells) {
    row = *rc::gen::container<std::vector<std::string>>(
        static_cast<std::size_t>(rows),
        rc::gen::element<std::string>("", "0.1", "12", "7.25", "199.53371333333334", "1e2", " 40.5 ", "\"3\"",
                                      "12345678901234.567", "0.30000000000000004", "nan", ".5", "5."));
  }
  cells.back().back() = "1";  // so that the width is known
  cells.front().back() = "1";
  std::string text;
  for (const auto& row : cells) {
    for (std::size_t column = 0; column < row.size(); ++column) text += (column > 0 ? "," : "") + row[column];
    text += "\n";
  }
  const auto value = [](std::string cell) {
    std::erase_if(cell, [](char c) { return c == ' ' || c == '"'; });
    return cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr);
  };
  const auto m = read(text);
  RC_ASSERT(m.rows() == rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < i; ++j) {
      const double least = std::fmin(value(cells[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]),
                                     value(cells[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]));
      RC_ASSERT(m.measured(i, j) == !std::isnan(least));
      if (m.measured(i, j)) RC_ASSERT(m.at(i, j) == static_cast<double>(static_cast<float>(least)));
    }
  }
}

TEST(LatencyCsv, OfManyRowsEachPairHasTheSmallerOfItsCells) {
  EXPECT_TRUE(rc::check("of each pair the smaller cell", expect_the_smaller_of_each_pair));
}

TEST(LatencyCsv, PlainNumbersAreReadAsTheLibraryReadsThem) {
  for (const std::string cell : {"0.1", "0.3", "18.7", "199.5337133333", "100000000000000", "99999999999999.9",
                                 "3.00000000000001", "0007.50", "1234567.8901234"}) {
    EXPECT_EQ(read("," + cell + "\n,\n").at(0, 1),
              static_cast<double>(static_cast<float>(std::strtod(cell.c_str(), nullptr))))
        << cell;
  }
}

TEST(LatencyCsv, BlankCellsAndRowsAreNotMeasured) {
  const auto m = read(",,\n,,\nNaN, 3.5 ,\n");
  EXPECT_FALSE(m.measured(0, 1));
  EXPECT_FALSE(m.measured(0, 2));
  EXPECT_EQ(m.at(1, 2), 3.5);
  EXPECT_EQ(m.unmeasured_rows(), std::vector<int>{0});
  const auto cut = read(",,\n1,,\n");
  EXPECT_EQ(cut.rows(), 3);
  EXPECT_EQ(cut.unmeasured_rows(), std::vector<int>{2});
  EXPECT_EQ(cut.notes.size(), 1U);
}

TEST(LatencyCsv, ZerosAreNotMeasured) {
  const auto m = read("0,,\n1,0,\n2,0,0\n");
  EXPECT_FALSE(m.measured(1, 2));
  EXPECT_EQ(m.at(0, 2), 2);
  ASSERT_EQ(m.notes.size(), 1U);
  EXPECT_NE(m.notes[0].find("1 cells of 0 ns"), std::string::npos);
  EXPECT_NE(error_of("0,0\n0,0\n"), "");
}

TEST(LatencyCsv, ErrorsNameFileAndLine) {
  EXPECT_NE(error_of(",,\n1,,\n2,x,\n").find("m.csv:3: column 2: 'x'"), std::string::npos);
  EXPECT_NE(error_of(",,\n1,,\n2,-3,\n").find("m.csv:3"), std::string::npos);
  EXPECT_NE(error_of(",,,\n1,,,\n2\n3,4,5,\n").find("m.csv:3"), std::string::npos);
  EXPECT_NE(error_of(",\n1,\n1,\n").find("m.csv:3"), std::string::npos);
  EXPECT_NE(error_of(",,\n1,inf,\n2,3,\n"), "");
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of("\n\n"), "");
  EXPECT_NE(error_of(",,\n,,\n,,\n"), "");
  EXPECT_THROW(read_latency_csv("/nowhere/m.csv"), charm::Error);
  EXPECT_THROW(read_latency_csv("/"), charm::Error);
}

TEST(LatencyCsv, LinesMayBeLongerThanTheBlocksInWhichAFileIsRead) {
  constexpr int n = 700;  // a line of some 8 kB, a file of 6 MB
  std::string text;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      text += (j > 0 ? "," : "") + std::to_string(1000000 + std::max(i, j) * n + std::min(i, j));
    text += i + 1 < n ? "\n" : "";
  }
  const auto m = read(text);
  ASSERT_EQ(m.rows(), n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) ASSERT_EQ(m.at(i, j), static_cast<float>(1000000 + i * n + j));
  }
  const std::string wide(200000, ' ');
  EXPECT_EQ(read(wide + ",2" + wide + "\n" + wide + "\n").at(0, 1), 2);
  EXPECT_NE(error_of(std::string(3000000, '1')).find("too long"), std::string::npos);
}

TEST(LatencyCsv, OfALineWithoutEndNotMoreIsReadThanARowCanHave) {
  struct Endless final : std::streambuf {
    std::string block = std::string(4096, '1');
    std::size_t blocks = 0;
    int_type underflow() override {
      if (++blocks > 4096) return traits_type::eof();  // 16 MiB
      setg(block.data(), block.data(), block.data() + block.size());
      return traits_type::to_int_type(block.front());
    }
  } endless;
  std::istream in(&endless);
  EXPECT_THROW(read_latency_csv(in, "endless"), charm::Error);
  EXPECT_LT(endless.blocks, 512U) << "a row of 16384 cells has 1 MiB";
}

TEST(LatencyCsv, WhatIsWrittenIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const int n = *rc::gen::inRange(2, 12);
    LatencyMatrix m(n);
    m.set(0, 1, 12.5);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        if (*rc::gen::arbitrary<bool>()) m.set(i, j, *rc::gen::inRange(1, 4000) / 8.0);
      }
    }
    std::ostringstream out;
    write_latency_csv(out, m);
    const auto back = read(out.str());
    RC_ASSERT(back.rows() == n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) RC_ASSERT((m.measured(i, j) ? back.at(i, j) == m.at(i, j) : !back.measured(i, j)));
    }
  }));
}

}  // namespace
