#include "workloads/files/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

constexpr std::string_view banner = "%%matrixmarket";

std::string lower_case(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

/// Reads a line field by field. Of several things that are wrong the first is kept, and what follows it is skipped.
class HeaderLine {
 public:
  explicit HeaderLine(std::string_view line) : at_(line.data()), rest_(line) {}

  /// The place of the next word in `known`.
  std::size_t word(const char* what, const std::vector<std::string>& known) {
    const std::string_view field = take_field(rest_);
    const auto found = std::find(known.begin(), known.end(), lower_case(field));
    if (found == known.end())
      fail(fmt::format("Matrix Market {} {} is not supported", what, shown(field)),
           fmt::format("use {}", fmt::join(known, ", ")));
    return found == known.end() ? 0 : static_cast<std::size_t>(found - known.begin());
  }

  std::int64_t whole(const char* kind, std::int64_t most) {
    std::int64_t value = 0;
    const auto wrong = read_whole(take_field(rest_), kind, 0, most, value);
    if (wrong) fail(wrong->what, wrong->remedy);
    return wrong ? 0 : value;
  }

  void end(const char* of_what, const char* remedy) {
    if (const std::string_view more = take_field(rest_); !more.empty())
      fail(fmt::format("{} stands after the {}", shown(more), of_what), remedy);
  }

  void fail(std::string what, std::string remedy) {
    if (!wrong_) wrong_ = FieldError{at_, std::move(what), std::move(remedy)};
  }

  [[nodiscard]] const std::optional<FieldError>& wrong() const { return wrong_; }

 private:
  const char* at_;
  std::string_view rest_;
  std::optional<FieldError> wrong_;
};

std::optional<FieldError> read_banner(std::string_view line, MatrixForms forms, MatrixHeader& header) {
  take_field(line);
  HeaderLine words(line);
  using Words = std::vector<std::string>;
  words.word("object", {"matrix"});
  header.array = words.word("format", forms.arrays ? Words{"coordinate", "array"} : Words{"coordinate"}) == 1;
  Words fields = {"pattern", "real", "integer", "double"};
  if (forms.complex) fields.emplace_back("complex");
  const std::size_t field = words.word("field", fields);
  header.pattern = field == 0;
  header.integers = field == 2;
  header.complex = field == 4;
  if (header.pattern && header.array) words.fail("an array cannot be a pattern", "use coordinate, or real");
  Words symmetries = {"general", "symmetric"};
  if (forms.skew_symmetric) symmetries.emplace_back("skew-symmetric");
  if (forms.complex) symmetries.emplace_back("hermitian");
  const std::size_t symmetry = words.word("symmetry", symmetries);
  header.symmetric = symmetry > 0;
  header.skew = symmetry > 0 && symmetries[symmetry] == "skew-symmetric";
  words.end("Matrix Market header", "remove it");
  return words.wrong();
}

std::optional<FieldError> read_size(std::string_view line, MatrixHeader& header) {
  HeaderLine numbers(line);
  header.size_line = line.data();
  header.rows = numbers.whole("number of rows", most_matrix_rows);
  header.columns = numbers.whole("number of columns", most_matrix_rows);
  if (header.array) {
    const std::int64_t below = header.rows * (header.rows - 1) / 2;
    header.entries = header.skew ? below : header.symmetric ? below + header.rows : header.rows * header.columns;
    numbers.end("size of the array", "write `rows columns`");
  } else {
    header.entries = numbers.whole("number of entries", INT64_MAX);
    numbers.end("matrix's size", "write `rows columns entries`");
  }
  if (header.rows == 0 || header.columns == 0)
    numbers.fail("the matrix is empty", "it needs a row and a column at least");
  if (header.symmetric && header.rows != header.columns)
    numbers.fail(fmt::format("a symmetric matrix of {} rows has {} columns", header.rows, header.columns),
                 "correct the size line");
  return numbers.wrong();
}

/// Where the next value of an array belongs: column by column, of a symmetric one the lower triangle.
void step_in_array(const MatrixHeader& header, MatrixEntry& entry) {
  if (++entry.row < header.rows) return;
  ++entry.column;
  entry.row = header.skew ? entry.column + 1 : header.symmetric ? entry.column : 0;
}

[[noreturn]] void throw_at(const TextFile& file, const TextBlock& block, const FieldError& error) {
  const auto before = static_cast<std::size_t>(error.at - block.text.data());
  throw bad_line(file.path(), block.line + count_lines(block.text.substr(0, before)), error.what, error.remedy);
}

}  // namespace

bool begins_with_matrix_banner(std::string_view text) {
  std::string_view line = take_line(text);
  return lower_case(take_field(line)) == banner;
}

std::optional<FieldError> take_matrix_header(std::string_view& text, MatrixForms forms, MatrixHeader& header) {
  if (!begins_with_matrix_banner(text))
    return FieldError{text.data(), "the Matrix Market header is missing",
                      "begin the file with `%%MatrixMarket matrix coordinate real general`"};
  std::string_view line = take_line(text);
  if (auto wrong = read_banner(line, forms, header)) return wrong;
  do {
    if (text.empty())
      return FieldError{text.data(), "the file ends before the size line",
                        "a matrix needs a line `rows columns entries`; the file may be truncated"};
    line = take_line(text);
  } while (is_matrix_comment(line));
  return read_size(line, header);
}

std::optional<FieldError> read_entry(std::string_view line, const MatrixHeader& header, MatrixEntry& entry) {
  const char* at = line.data();
  if (!header.array) {
    if (auto wrong = read_whole(take_field(line), "row", 1, header.rows, entry.row)) return wrong;
    if (auto wrong = read_whole(take_field(line), "column", 1, header.columns, entry.column)) return wrong;
    --entry.row;
    --entry.column;
  }
  if (!header.pattern) {
    std::string_view field = take_field(line);
    if (field.empty()) return FieldError{at, "the entry has no value", "a matrix that is not a pattern needs one"};
    if (auto wrong = read_number(field, "value", entry.value)) return wrong;
    double imaginary = 0;
    if (header.complex) {
      if (auto wrong = read_number(take_field(line), "imaginary part", imaginary)) return wrong;
    }
    if (header.integers && entry.value != std::floor(entry.value))
      return FieldError{at, fmt::format("value {} of an integer matrix is not whole", shown(field)),
                        "make the matrix real"};
  }
  if (const std::string_view more = take_field(line); !more.empty())
    return FieldError{at,
                      fmt::format("{} stands after the entry{}", shown(more), header.pattern ? " of a pattern" : ""),
                      "remove it"};
  if (header.skew && entry.row == entry.column)
    return FieldError{at, "a skew-symmetric matrix has no diagonal", "remove the entry"};
  return {};
}

FieldError surplus_entry(std::string_view line, const MatrixHeader& header) {
  return {line.data(), fmt::format("an entry more than the {} of the size line", header.entries),
          "correct the size line"};
}

FieldError missing_entries(const char* end, std::int64_t seen, const MatrixHeader& header) {
  return {end, fmt::format("the file ends after {} of {} entries", seen, header.entries),
          "the file is truncated, or its size line wrong"};
}

void for_each_entry(const InputFile& input, MatrixForms forms,
                    const std::function<std::optional<FieldError>(const MatrixHeader&)>& on_header,
                    const std::function<void(const MatrixEntry&)>& visit) {
  TextFile file(input, {"matrix", "a Matrix Market file"});
  TextBlock block = file.next();
  std::string_view text = block.text;
  MatrixHeader header;
  if (auto wrong = take_matrix_header(text, forms, header)) throw_at(file, block, *wrong);
  if (auto wrong = on_header(header)) throw_at(file, block, *wrong);
  MatrixEntry entry;
  if (header.skew) entry.row = 1;
  std::int64_t seen = 0;
  for (; !block.text.empty(); block = file.next(), text = block.text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (is_matrix_comment(line)) continue;
      if (seen == header.entries) throw_at(file, block, surplus_entry(line, header));
      if (auto wrong = read_entry(line, header, entry)) throw_at(file, block, *wrong);
      visit(entry);
      ++seen;
      if (header.array) step_in_array(header, entry);
    }
  }
  if (seen < header.entries) throw_at(file, block, missing_entries(block.text.data(), seen, header));
}

}  // namespace charm::workloads
