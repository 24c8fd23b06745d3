// The fields of one line of a text file of numbers: cutting it up, and reading numbers with errors that say what is
// wrong with them. Returns values or a FieldError and never throws: lines are parsed inside loops of runtimes that
// exceptions cannot leave.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace charm::workloads {

struct FieldError {
  const char* at = nullptr;  ///< position in the text, from which the line number is counted
  std::string what;
  std::string remedy;
};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the first field off `line`; empty when there is none.
inline std::string_view take_field(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  std::string_view field = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return field;
}

/// Whether a line is blank, or begins with one of `marks` behind blanks.
template <class... Char>
bool is_blank_or_begins(std::string_view line, Char... marks) {
  for (const char c : line)
    if (!is_blank(c)) return ((c == marks) || ...);
  return true;
}

/// Takes the first line off `text`, without its newline.
inline std::string_view take_line(std::string_view& text) {
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// A whole number from `lowest` to `highest` (both >= 0), called `kind` in errors.
std::optional<FieldError> read_whole(std::string_view field, const char* kind, std::int64_t lowest,
                                     std::int64_t highest, std::int64_t& value);

/// A number as C, C++ and Fortran write it ("+5", "1.0D+00"); what is too small for a double is 0. Nothing where it is
/// none, or not finite.
std::optional<double> number_in(std::string_view field);

/// Any finite number, called `kind` in errors.
std::optional<FieldError> read_number(std::string_view field, const char* kind, double& value);

}  // namespace charm::workloads
