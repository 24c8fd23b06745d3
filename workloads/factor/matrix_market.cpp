#include "workloads/factor/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/graph/fields.hpp"
#include "workloads/graph/text.hpp"

namespace charm::workloads::factor {
namespace {

constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

std::string lower_case(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

class MatrixFile {
 public:
  explicit MatrixFile(const std::string& path) : file_(path, {"matrix", "a Matrix Market file"}) {}

  SparseMatrix read() {
    std::string_view line;
    if (!next(line)) fail("the file is empty", "give a Matrix Market file");
    read_header(line);
    if (!next_with_content(line))
      fail("the file ends before the size line", "a matrix needs its size; the file may be truncated");
    read_size(line);
    while (next_with_content(line)) read_entry(line);
    if (seen_ < entries_)
      fail(fmt::format("the file ends after {} of {} entries", seen_, entries_),
           "the file is truncated, or its size line wrong");
    return matrix_of(rows_, columns_, std::move(triplets_), file_.path());
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw bad_line(file_.path(), std::max<std::int64_t>(line_, 1), what, remedy);
  }

  bool next(std::string_view& line) {
    while (rest_.empty()) {
      const TextBlock block = file_.next();
      if (block.text.empty()) return false;
      rest_ = block.text;
    }
    line = take_line(rest_);
    ++line_;
    return true;
  }

  bool next_with_content(std::string_view& line) {
    while (next(line)) {
      std::string_view copy = line;
      const std::string_view first = take_field(copy);
      if (!first.empty() && first.front() != '%') return true;
    }
    return false;
  }

  std::string word(std::string_view& line, const char* what, std::initializer_list<const char*> known) const {
    const std::string_view field = take_field(line);
    std::string found = lower_case(field);
    std::string list;
    for (const char* name : known) {
      if (found == name) return found;
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    fail(fmt::format("Matrix Market {} {} is not supported", what, shown(field)), "use " + list);
  }

  void read_header(std::string_view line) {
    if (lower_case(take_field(line)) != "%%matrixmarket")
      fail("the Matrix Market header is missing", "begin with `%%MatrixMarket matrix coordinate real general`");
    word(line, "object", {"matrix"});
    array_ = word(line, "format", {"coordinate", "array"}) == "array";
    const std::string field = word(line, "field", {"real", "double", "integer", "pattern"});
    pattern_ = field == "pattern";
    if (pattern_ && array_) fail("an array cannot be a pattern", "use coordinate, or real");
    const std::string symmetry = word(line, "symmetry", {"general", "symmetric", "skew-symmetric"});
    symmetric_ = symmetry != "general";
    skew_ = symmetry == "skew-symmetric";
    no_more(line, "header");
  }

  void no_more(std::string_view line, const char* after) const {
    if (const std::string_view more = take_field(line); !more.empty())
      fail(fmt::format("{} stands after the {}", shown(more), after), "remove it");
  }

  std::int64_t whole(std::string_view& line, const char* kind, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    if (auto wrong = read_whole(take_field(line), kind, least, most, value))
      fail(wrong->what, fmt::format("use whole numbers from {} to {}", least, most));
    return value;
  }

  void read_size(std::string_view line) {
    rows_ = whole(line, "number of rows", 0, most_rows);
    columns_ = whole(line, "number of columns", 0, most_rows);
    if (rows_ == 0 || columns_ == 0) fail("the matrix is empty", "a factorisation needs a row and a column at least");
    if (symmetric_ && rows_ != columns_)
      fail(fmt::format("a symmetric matrix of {} rows has {} columns", rows_, columns_), "correct the size line");
    const std::int64_t below = rows_ * (rows_ - 1) / 2;
    if (!array_)
      entries_ = whole(line, "number of entries", 0, INT64_MAX);
    else
      entries_ = skew_ ? below : symmetric_ ? below + rows_ : rows_ * columns_;
    no_more(line, "size");
    if (!array_ && (symmetric_ ? 2 : 1) * std::min(entries_, INT64_MAX / 2) < std::min(rows_, columns_))
      fail(fmt::format("{} entries are too few for {} rows and {} columns: the matrix is singular", entries_, rows_,
                       columns_),
           "correct the size line, or give a matrix of full rank");
    row_ = skew_ ? 1 : 0;
    // Not more than the file can hold is reserved on its word.
    triplets_.reserve(static_cast<std::size_t>(std::min<std::int64_t>(entries_, 1 << 20)));
  }

  void read_entry(std::string_view line) {
    if (seen_ == entries_) fail(fmt::format("an entry more than the {} of the size line", entries_), "correct it");
    ++seen_;
    Position row = row_;
    Position column = column_;
    if (!array_) {
      row = whole(line, "row", 1, rows_) - 1;
      column = whole(line, "column", 1, columns_) - 1;
    }
    double value = 1;
    if (!pattern_) {
      std::string_view field = take_field(line);
      if (field.empty()) fail("the entry has no value", "give each entry `row column value`, or say pattern");
      if (field.front() == '+') field.remove_prefix(1);
      if (read_number(field, value))
        fail(fmt::format("value {} is not a finite number", shown(field)), "use decimal numbers");
    }
    no_more(line, "entry");
    if (skew_ && row == column) fail("a skew-symmetric matrix has no diagonal", "remove the entry");
    triplets_.push_back({row, column, value});
    if (symmetric_ && row != column) triplets_.push_back({column, row, skew_ ? -value : value});
    if (array_ && ++row_ == rows_) {
      ++column_;
      row_ = skew_ ? column_ + 1 : symmetric_ ? column_ : 0;
    }
  }

  TextFile file_;
  std::string_view rest_;
  std::int64_t line_ = 0;
  bool array_ = false;
  bool pattern_ = false;
  bool symmetric_ = false;
  bool skew_ = false;
  Position rows_ = 0;
  Position columns_ = 0;
  std::int64_t entries_ = 0;
  std::int64_t seen_ = 0;
  Position row_ = 0;  // of the next entry of an array
  Position column_ = 0;
  std::vector<Entry> triplets_;
};

}  // namespace

SparseMatrix load_matrix(const std::string& path) { return MatrixFile(path).read(); }

}  // namespace charm::workloads::factor
