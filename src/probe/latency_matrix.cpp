#include "probe/latency_matrix.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "os/files/bounded_file.hpp"

namespace charm::probe {
namespace {

constexpr int most_rows = 16384;
constexpr std::size_t most_of_a_cell = 64;

/// The next line, but no more of it than a row can have: what is no matrix may be one line without end.
bool next_line(std::istream& in, std::string& line) {
  line.clear();
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > most_of_a_cell * most_rows) return true;
  }
  return !line.empty();
}

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

LatencyMatrix::LatencyMatrix(int rows) : LatencyMatrix(rows, {}) {}

LatencyMatrix::LatencyMatrix(int rows, std::vector<float> lower_half) : rows_(rows), ns_(std::move(lower_half)) {
  ns_.resize(rows < 2 ? 0 : index(rows - 1, rows - 2) + 1, std::numeric_limits<float>::quiet_NaN());
}

bool LatencyMatrix::measured(int i, int j) const { return !std::isnan(at(i, j)); }

void LatencyMatrix::set(int i, int j, double ns) {
  if (i != j) ns_[index(i, j)] = static_cast<float>(ns);
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
  // The widest row tells how large the matrix is, so that the cells of one half are kept until all rows are read.
  std::vector<float> lower_half;  // row by row, NaN for what is not measured
  std::vector<std::size_t> widths;
  std::size_t columns = 0, widest = 0, last_row = 0, zeros = 0, filled = 0;
  std::string line;
  for (std::size_t row = 0; next_line(in, line); ++row) {
    if (line.size() > most_of_a_cell * most_rows)
      refuse(name, row + 1, "a line that is too long for a row", "at most 16384 cpus");
    const auto cells = trim(line).empty() ? std::vector<std::string_view>{} : split(line);
    widths.push_back(cells.size());
    if (cells.empty()) continue;
    last_row = row;
    if (cells.size() > columns) columns = cells.size(), widest = row;
    if (columns > most_rows || row >= most_rows) {
      refuse(name, row + 1, std::to_string(std::max(columns, row + 1)) + " cpus are too many", "at most 16384 cpus");
    }
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (says_nothing(cells[column])) continue;
      const double ns = latency_of(cells[column], name, row + 1, column);
      if (column == row) continue;
      if (ns < 0) {
        refuse(name, row + 1,
               "column " + std::to_string(column + 1) + ": a latency of " + std::string(cells[column]) + " ns",
               "latencies are positive; leave pairs that were not measured blank");
      }
      if (ns == 0) {
        ++zeros;
        continue;
      }
      const std::size_t high = std::max(row, column);
      const std::size_t at = high * (high - 1) / 2 + std::min(row, column);
      if (at >= lower_half.size()) lower_half.resize((high + 1) * high / 2, std::numeric_limits<float>::quiet_NaN());
      if (!(static_cast<double>(lower_half[at]) <= ns)) lower_half[at] = static_cast<float>(ns);
      ++filled;
    }
  }
  if (columns == 0) {
    refuse(name, 1, "no latency matrix in it", "give a square CSV as core-to-core-latency --csv writes it");
  }
  widths.resize(last_row + 1);
  if (widths.size() > columns) {
    refuse(name, columns + 1,
           "row " + std::to_string(columns + 1) + " of a matrix that is " + std::to_string(columns) +
               " columns wide (row " + std::to_string(widest + 1) + ")",
           "give a square matrix, commas between the cells, without a header");
  }
  for (std::size_t row = 0; row < widths.size(); ++row) {
    // A writer that fills the lower half may leave the empty half away, but nothing else may be short.
    const std::size_t width = widths[row];
    if (width != 0 && width != columns && width != row && width != row + 1) {
      refuse(name, row + 1, std::to_string(width) + " cells where the matrix is " + std::to_string(columns) + " wide",
             "give every row the same number of cells; leave cells of unmeasured pairs blank");
    }
  }
  if (columns > 1 && filled == 0) {
    refuse(name, 1, "not one pair is measured", "give a matrix with at least one half filled");
  }
  LatencyMatrix matrix(static_cast<int>(columns), std::move(lower_half));
  if (widths.size() < columns) {
    matrix.notes.push_back(name + " has " + std::to_string(widths.size()) + " rows of " + std::to_string(columns) +
                           ": the last ones count as not measured.");
  }
  if (zeros > 0) {
    matrix.notes.push_back(name + " has " + std::to_string(zeros) + " cells of 0 ns: they count as not measured.");
  }
  return matrix;
}

LatencyMatrix read_latency_csv(const std::string& path) {
  const auto fail = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "latency matrix " + path + " " + problem, "name a readable CSV file");
  };
  // A file is read line by line, since those of large machines have hundreds of megabytes; a pipe has no second look.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    std::ifstream file(path);
    if (!file) fail(std::string("cannot be opened (") + std::strerror(errno) + ")");
    return read_latency_csv(file, path);
  }
  const os::BoundedText text = os::read_bounded(path);
  if (!text.problem.empty()) fail(text.problem);
  std::istringstream in(text.text);
  return read_latency_csv(in, path);
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
