#include "probe/latency_matrix.hpp"

#include <charm/error.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <string_view>

namespace charm::probe {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr int most_rows = 16384;

std::string_view trim(std::string_view text) {
  const char* blank = " \t\r\"";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool says_nothing(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "nan" || cell == "NaN" || cell == "NAN" || cell == "NA";
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& what,
                         const std::string& remedy) {
  throw Error(Errc::bad_input, name + ":" + std::to_string(line) + ": " + what, remedy);
}

double latency_of(std::string_view cell, const std::string& name, std::size_t line, std::size_t column) {
  double ns = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), ns);
  if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(ns)) {
    refuse(name, line,
           "column " + std::to_string(column + 1) + ": '" + std::string(cell.substr(0, 40)) + "' is no number",
           "write latencies in ns, and leave pairs that were not measured blank");
  }
  return ns;
}

}  // namespace

LatencyMatrix::LatencyMatrix(int rows)
    : rows_(rows), ns_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows), unknown) {}

bool LatencyMatrix::measured(int i, int j) const { return !std::isnan(at(i, j)); }

void LatencyMatrix::set(int i, int j, double ns) {
  if (i != j) ns_[index(i, j)] = ns_[index(j, i)] = ns;
}

void LatencyMatrix::lower(int i, int j, double ns) {
  if (!measured(i, j) || ns < at(i, j)) set(i, j, ns);
}

std::vector<int> LatencyMatrix::unmeasured_rows() const {
  std::vector<int> rows;
  for (int i = 0; i < rows_; ++i) {
    bool any = false;
    for (int j = 0; j < rows_ && !any; ++j) any = measured(i, j);
    if (!any) rows.push_back(i);
  }
  return rows;
}

LatencyMatrix read_latency_csv(std::istream& in, const std::string& name) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  if (lines.empty()) {
    refuse(name, 1, "no latency matrix in it", "give a square CSV as core-to-core-latency --csv writes it");
  }

  std::size_t columns = 0;
  std::size_t widest = 0;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::size_t cells = split(lines[l]).size();
    if (cells > columns) columns = cells, widest = l;
  }
  if (columns > most_rows)
    refuse(name, widest + 1, std::to_string(columns) + " columns are too many", "at most 16384 cpus");
  if (lines.size() > columns) {
    refuse(name, columns + 1,
           "row " + std::to_string(columns + 1) + " of a matrix that is " + std::to_string(columns) + " columns wide",
           "give a square matrix, commas between the cells, without a header");
  }

  LatencyMatrix matrix(static_cast<int>(columns));
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (trim(lines[row]).empty()) continue;  // a row that is missing altogether
    const auto cells = split(lines[row]);
    // A writer that fills the lower half may leave the empty half away, but nothing else may be short.
    if (cells.size() != columns && cells.size() != row && cells.size() != row + 1) {
      refuse(name, row + 1,
             std::to_string(cells.size()) + " cells where the matrix is " + std::to_string(columns) + " wide",
             "give every row the same number of cells; leave cells of unmeasured pairs blank");
    }
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (says_nothing(cells[column])) continue;
      const double ns = latency_of(cells[column], name, row + 1, column);
      if (column == row) continue;
      if (ns <= 0) {
        refuse(name, row + 1,
               "column " + std::to_string(column + 1) + ": a latency of " + std::string(cells[column]) + " ns",
               "latencies are positive; leave pairs that were not measured blank");
      }
      matrix.lower(static_cast<int>(row), static_cast<int>(column), ns);
    }
  }
  if (lines.size() < columns) {
    matrix.notes.push_back(name + " has " + std::to_string(lines.size()) + " rows of " + std::to_string(columns) +
                           ": the last ones count as not measured.");
  }
  if (columns > 1 && matrix.unmeasured_rows().size() == columns) {
    refuse(name, 1, "not one pair is measured", "give a matrix with at least one half filled");
  }
  return matrix;
}

LatencyMatrix read_latency_csv(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw Error(Errc::bad_input, "cannot read latency matrix " + path, "name a readable CSV file");
  }
  return read_latency_csv(file, path);
}

void write_latency_csv(std::ostream& out, const LatencyMatrix& matrix) {
  for (int i = 0; i < matrix.rows(); ++i) {
    for (int j = 0; j < matrix.rows(); ++j) {
      if (j > 0) out << ',';
      if (j < i && matrix.measured(i, j)) out << matrix.at(i, j);
    }
    out << '\n';
  }
}

}  // namespace charm::probe
