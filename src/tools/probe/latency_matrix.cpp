#include "tools/probe/latency_matrix.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
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

constexpr std::size_t longest_line = most_of_a_cell * most_rows;

/// The lines of a stream. It is read in blocks, for matrices of large machines have hundreds of megabytes.
class Lines {
 public:
  explicit Lines(std::istream& in) : in_(in) {}

  /// The next line, which stays until the next call; false if there is none. Not much more of it is given than a row
  /// can have: what is no matrix may be one line without end.
  bool next(std::string_view& line) {
    std::size_t searched = from_;
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched);
      if (end != std::string::npos) {
        line = std::string_view(buffer_).substr(from_, end - from_);
        from_ = end + 1;
        return true;
      }
      searched = buffer_.size() - from_;  // where it will be after `read_more`
      if (searched > longest_line || !read_more()) break;
    }
    line = std::string_view(buffer_).substr(from_);
    from_ = buffer_.size();
    return !line.empty();
  }

 private:
  bool read_more() {
    constexpr std::size_t block = std::size_t{1} << 16;
    buffer_.erase(0, from_);
    from_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + block);
    in_.read(buffer_.data() + before, static_cast<std::streamsize>(block));
    buffer_.resize(before + static_cast<std::size_t>(in_.gcount()));
    return buffer_.size() > before;
  }

  std::istream& in_;
  std::string buffer_;
  std::size_t from_ = 0;  // what precedes it has been given
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
  if (!text.empty() && is_digit(text.front()) && is_digit(text.back())) return text;  // nearly all cells
  const char* blank = " \t\r\"";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool says_nothing(std::string_view cell) {
  if (!cell.empty() && is_digit(cell.front())) return false;
  return cell.empty() || cell == "-" || cell == "nan" || cell == "NaN" || cell == "NAN" || cell == "NA";
}

/// Splits a line at its commas.
class Cells {
 public:
  explicit Cells(std::string_view line) : rest_(line) {}
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), ',')) + 1;
  }
  /// Takes a cell that is digits with at most one point among them, as nearly all are; false leaves it to next(). So
  /// few digits are a whole number that a double has exactly, and the quotient by a power of ten is the nearest to the
  /// text.
  bool next_plain(double& value) {
    constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    std::uint64_t digits = 0;
    std::size_t count = 0;
    std::size_t before_point = powers.size();
    std::size_t at = 0;
    for (; at < rest_.size() && rest_[at] != ','; ++at) {
      if (is_digit(rest_[at])) {
        digits = 10 * digits + static_cast<std::uint64_t>(rest_[at] - '0');
        if (++count >= powers.size()) return false;
      } else if (rest_[at] == '.' && count > 0 && before_point == powers.size()) {
        before_point = count;
      } else {
        return false;
      }
    }
    if (count == 0 || count == before_point) return false;
    value = static_cast<double>(digits) / powers[before_point == powers.size() ? 0 : count - before_point];
    rest_.remove_prefix(std::min(rest_.size(), at + 1));
    return true;
  }
  std::string_view next() {
    const auto comma = rest_.find(',');
    const std::string_view cell = trim(rest_.substr(0, comma));
    rest_.remove_prefix(comma == std::string_view::npos ? rest_.size() : comma + 1);
    return cell;
  }

 private:
  std::string_view rest_;
};

/// One half of the cells, wherever the file has them. Of the upper half a row of the file is a column here, whose cells
/// lie far from each other; so a band of rows is collected, and written in pieces of a cache line.
class LowerHalf {
 public:
  /// Keeps the smaller of a pair's two directions. \param row not lower than that of the call before.
  void put(std::size_t row, std::size_t column, float ns) {
    if (column < row) {
      make_room(row);
      keep(cells_[begin_of(row) + column], ns);
      return;
    }
    if (row / band != band_begin_ / band) flush();
    band_begin_ = row - row % band;
    if ((column + 1) * band > collected_.size()) collected_.resize((column + 1) * band, nothing);
    collected_[column * band + row % band] = ns;
  }
  /// Row by row, NaN for what was not measured.
  std::vector<float> take() {
    flush();
    return std::move(cells_);
  }

 private:
  static constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::size_t band = 16;

  static std::size_t begin_of(std::size_t row) { return row == 0 ? 0 : row * (row - 1) / 2; }
  static void keep(float& cell, float ns) {
    if (!(cell <= ns)) cell = ns;
  }
  void make_room(std::size_t row) {
    if (const std::size_t end = begin_of(row + 1); end > cells_.size()) cells_.resize(end, nothing);
  }
  void flush() {
    if (collected_.empty()) return;
    const std::size_t columns = collected_.size() / band;
    make_room(columns - 1);
    for (std::size_t column = band_begin_; column < columns; ++column) {
      for (std::size_t r = 0; r < band && band_begin_ + r < column; ++r) {
        const float ns = collected_[column * band + r];
        if (ns == ns) keep(cells_[begin_of(column) + band_begin_ + r], ns);
      }
    }
    std::fill(collected_.begin(), collected_.end(), nothing);
  }

  std::vector<float> cells_;
  std::vector<float> collected_;  // by column, `band` rows from `band_begin_` on
  std::size_t band_begin_ = 0;
};

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
  LowerHalf lower_half;
  std::vector<std::size_t> widths;
  std::size_t columns = 0, widest = 0, last_row = 0, zeros = 0, filled = 0;
  Lines lines(in);
  std::string_view line;
  for (std::size_t row = 0; lines.next(line); ++row) {
    if (line.size() > longest_line) refuse(name, row + 1, "a line that is too long for a row", "at most 16384 cpus");
    Cells cells(line);
    const std::size_t width = trim(line).empty() ? 0 : cells.count();
    widths.push_back(width);
    if (width == 0) continue;
    last_row = row;
    if (width > columns) columns = width, widest = row;
    if (columns > most_rows || row >= most_rows) {
      refuse(name, row + 1, std::to_string(std::max(columns, row + 1)) + " cpus are too many", "at most 16384 cpus");
    }
    for (std::size_t column = 0; column < width; ++column) {
      double ns = 0;
      if (!cells.next_plain(ns)) {
        const std::string_view cell = cells.next();
        if (says_nothing(cell)) continue;
        ns = latency_of(cell, name, row + 1, column);
        if (ns < 0 && column != row) {
          refuse(name, row + 1, "column " + std::to_string(column + 1) + ": a latency of " + std::string(cell) + " ns",
                 "latencies are positive; leave pairs that were not measured blank");
        }
      }
      if (column == row) continue;
      if (ns > LatencyMatrix::highest_ns) {
        refuse(name, row + 1, "column " + std::to_string(column + 1) + ": a latency that no machine has",
               "latencies are in ns; leave pairs that were not measured blank");
      }
      if (ns == 0) {
        ++zeros;
        continue;
      }
      lower_half.put(row, column, static_cast<float>(ns));
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
  LatencyMatrix matrix(static_cast<int>(columns), lower_half.take());
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
