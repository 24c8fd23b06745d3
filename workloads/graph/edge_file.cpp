// Edge lists, Matrix Market, DIMACS and METIS files (see edge_file.hpp).
#include "workloads/graph/edge_file.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

constexpr std::size_t shortest_edge = 4;  // "1 2\n"

/// A line `u v` or `u v weight` of an edge list.
std::optional<FieldError> read_edge(std::string_view line, ParsedLine& parsed) {
  const std::string_view first = take_field(line);
  const std::string_view second = take_field(line);
  const std::string_view third = take_field(line);
  const std::string_view fourth = take_field(line);
  if (auto wrong = read_whole(first, "vertex", 0, max_vertices - 1, parsed.from)) return wrong;
  if (auto wrong = read_whole(second, "vertex", 0, max_vertices - 1, parsed.to)) return wrong;
  if (!fourth.empty())
    return FieldError{fourth.data(), fmt::format("{} stands after the weight", shown(fourth)),
                      "write `u v` or `u v weight`"};
  parsed.weighted = !third.empty();
  if (parsed.weighted) return read_number(third, "weight", parsed.weight);
  return {};
}

void note_weight(Piece& piece, double weight, bool first) {
  piece.lightest = first ? weight : std::min(piece.lightest, weight);
  piece.heaviest = first ? weight : std::max(piece.heaviest, weight);
  piece.whole = piece.whole && weight == std::floor(weight);
}

/// A line `a from to length` of a DIMACS file.
std::optional<FieldError> read_dimacs_arc(std::string_view line, Index vertices, ParsedLine& parsed) {
  const char* at = line.data();
  const std::string_view kind = take_field(line);
  if (kind != "a")
    return FieldError{at, fmt::format("the line begins with {}", shown(kind)), "write arcs as `a from to length`"};
  if (auto wrong = read_whole(take_field(line), "vertex", 1, vertices, parsed.from)) return wrong;
  if (auto wrong = read_whole(take_field(line), "vertex", 1, vertices, parsed.to)) return wrong;
  const std::string_view length = take_field(line);
  if (length.empty()) return FieldError{at, "the arc has no length", "write arcs as `a from to length`"};
  if (auto wrong = read_number(length, "length", parsed.weight)) return wrong;
  if (const std::string_view more = take_field(line); !more.empty())
    return FieldError{at, fmt::format("{} stands after the length", shown(more)), "write arcs as `a from to length`"};
  --parsed.from;
  --parsed.to;
  parsed.weighted = true;
  return {};
}

bool is_named_metis(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.ends_with(".metis") || path.ends_with(".graph");
}

bool is_list_comment(std::string_view line) { return line.starts_with('%'); }

}  // namespace

EdgeFile::EdgeFile(InputFile input) : file_(std::move(input)) {}

void EdgeFile::fail(const FieldError& error) const {
  auto before = static_cast<std::size_t>(error.at - block_.text.data());
  throw bad_line(file_.path(), block_.line + count_lines(block_.text.substr(0, before)), error.what, error.remedy);
}

void EdgeFile::read_matrix_header(std::string_view& text) {
  if (auto wrong = take_matrix_header(text, {.skew_symmetric = true, .complex = true}, header_)) fail(*wrong);
  format_ = Format::matrix;
  if (header_.rows != header_.columns) {
    fail({header_.size_line, fmt::format("the matrix has {} rows and {} columns", header_.rows, header_.columns),
          "a graph needs a square matrix"});
  }
}

void EdgeFile::read_dimacs_header(std::string_view& text) {
  constexpr const char* remedy = "a DIMACS file needs a line `p sp vertices arcs` before its arcs";
  format_ = Format::dimacs;
  const char* at = text.data();
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (is_comment(line)) continue;
    at = line.data();
    if (take_field(line) != "p" || take_field(line) != "sp") break;
    if (auto wrong = read_whole(take_field(line), "number of vertices", 1, max_vertices, header_.rows)) fail(*wrong);
    if (auto wrong = read_whole(take_field(line), "number of arcs", 0, INT64_MAX, header_.entries)) fail(*wrong);
    if (!take_field(line).empty()) fail({at, "the line has more than two numbers", remedy});
    return;
  }
  fail({at, "the line `p sp` is missing", remedy});
}

void EdgeFile::read_metis_header(std::string_view& text) {
  constexpr const char* remedy = "a METIS file begins with a line `vertices edges [format [weights of a vertex]]`";
  format_ = Format::metis;
  header_.symmetric = true;
  const char* at = text.data();
  std::string_view line;
  do {
    if (text.empty()) fail({at, "the first line is missing", remedy});
    line = take_line(text);
  } while (is_list_comment(line));
  at = line.data();
  if (auto wrong = read_whole(take_field(line), "number of vertices", 1, max_vertices, header_.rows)) fail(*wrong);
  if (auto wrong = read_whole(take_field(line), "number of edges", 0, INT64_MAX / 4, header_.entries)) fail(*wrong);
  const std::string_view format = take_field(line);
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    fail({at, fmt::format("format {} is unknown", shown(format)), "use up to three digits of 0 and 1"});
  auto digit = [&format](std::size_t from_right) {
    return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
  };
  edge_weights_ = digit(0);
  std::int64_t weights = digit(1) ? 1 : 0;
  if (const std::string_view count = take_field(line); !count.empty()) {
    if (auto wrong = read_whole(count, "number of weights", 0, 1000, weights)) fail(*wrong);
    if (!digit(1)) weights = 0;
  }
  if (!take_field(line).empty()) fail({at, "the line has more than four fields", remedy});
  skipped_fields_ = static_cast<int>(weights) + (digit(2) ? 1 : 0);
}

/// What the content is, or for METIS, whose content does not say, the name.
void EdgeFile::read_header(std::string_view& text) {
  if (begins_with_matrix_banner(text)) return read_matrix_header(text);
  if (file_.path().ends_with(".mtx") || file_.path().ends_with(".mtx.gz")) {
    fail({text.data(), "the Matrix Market header is missing",
          "begin the file with `%%MatrixMarket matrix coordinate pattern general`, or rename an edge list"});
  }
  if (is_named_metis(file_.path())) return read_metis_header(text);
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  const std::string_view word = take_field(line);
  if (word == "c" || word == "p" || file_.path().ends_with(".gr") || file_.path().ends_with(".gr.gz"))
    read_dimacs_header(text);
}

bool EdgeFile::is_comment(std::string_view line) const {
  switch (format_) {
    case Format::matrix:
      return is_matrix_comment(line);
    case Format::metis:
      return is_list_comment(line);
    case Format::dimacs: {
      std::string_view fields = line;
      const std::string_view word = take_field(fields);
      return word.empty() || word == "c";
    }
    case Format::list:
      break;
  }
  return is_blank_or_begins(line, '#', '%');
}

std::optional<FieldError> EdgeFile::read_line(std::string_view line, ParsedLine& parsed) const {
  if (format_ == Format::list) return read_edge(line, parsed);
  if (format_ == Format::dimacs) return read_dimacs_arc(line, header_.rows, parsed);
  MatrixEntry entry;
  auto wrong = read_entry(line, header_, entry);
  parsed = {entry.row, entry.column, entry.value, has_weights(header_)};
  return wrong;
}

std::vector<Piece> EdgeFile::next(std::size_t pieces) {
  block_ = file_.next();
  std::string_view text = block_.text;
  if (first_) {
    first_ = false;
    read_header(text);
    // A header that took the whole first block leaves nothing to cut, which must not look like the end of the file.
    if (text.empty() && !block_.text.empty()) return next(pieces);
  }
  std::vector<Piece> cut;
  for (std::string_view part : cut_at_lines(text, pieces)) cut.emplace_back().text = part;
  if (format_ == Format::metis) number_lines(cut);
  return cut;
}

/// Which vertex a line is of depends on the lines before it.
void EdgeFile::number_lines(std::vector<Piece>& pieces) {
  for (Piece& piece : pieces) {
    piece.first = lines_;
    for (std::string_view text = piece.text; !text.empty();)
      if (!is_list_comment(take_line(text))) ++lines_;
  }
}

std::optional<FieldError> EdgeFile::parse_list(std::string_view line, Vertex from, Piece& piece,
                                               bool want_weights) const {
  const char* at = line.data();
  for (int i = 0; i < skipped_fields_; ++i) {
    if (take_field(line).empty())
      return FieldError{at, "the line ends before the weights of the vertex",
                        "correct it, or the format in the first line"};
  }
  for (std::string_view field = take_field(line); !field.empty(); field = take_field(line)) {
    std::int64_t to = 0;
    if (auto wrong = read_whole(field, "vertex", 1, header_.rows, to)) return wrong;
    piece.edges.push_back({from, static_cast<Vertex>(to - 1)});
    if (!edge_weights_) continue;
    double weight = 0;
    const std::string_view given = take_field(line);
    if (given.empty())
      return FieldError{at, "the last edge has no weight", "correct it, or the format in the first line"};
    if (auto wrong = read_number(given, "weight", weight)) return wrong;
    note_weight(piece, weight, piece.weighted == nullptr);
    piece.weighted = at;
    if (want_weights) piece.weights.push_back(weight);
  }
  return {};
}

void EdgeFile::parse_lists(Piece& piece, bool want_weights) const {
  Index vertex = piece.first;
  for (std::string_view text = piece.text; !text.empty();) {
    const std::string_view line = take_line(text);
    if (is_list_comment(line)) continue;
    if (vertex >= header_.rows && !is_blank_or_begins(line)) {
      piece.error = {line.data(), fmt::format("a line more than the {} vertices of the first line", header_.rows),
                     "correct the first line"};
      return;
    }
    if (vertex < header_.rows && (piece.error = parse_list(line, static_cast<Vertex>(vertex), piece, want_weights)))
      return;
    ++vertex;
  }
}

void EdgeFile::parse(Piece& piece, bool want_weights) const {
  if (format_ == Format::metis) return parse_lists(piece, want_weights);
  piece.edges.reserve(piece.text.size() / (3 * shortest_edge));
  for (std::string_view text = piece.text; !text.empty();) {
    const std::string_view line = take_line(text);
    if (is_comment(line)) continue;
    ParsedLine parsed;
    if ((piece.error = read_line(line, parsed))) return;
    if (parsed.weighted) {
      note_weight(piece, parsed.weight, piece.weighted == nullptr);
      if (piece.weighted == nullptr) piece.weighted = line.data();
    } else if (piece.unweighted == nullptr) {
      piece.unweighted = line.data();
    }
    piece.edges.push_back({static_cast<Vertex>(parsed.from), static_cast<Vertex>(parsed.to)});
    piece.highest = std::max(piece.highest, static_cast<Vertex>(std::max(parsed.from, parsed.to)));
    if (want_weights) piece.weights.push_back(parsed.weight);
  }
}

FieldError EdgeFile::column_error(const char* at) const {
  return {at,
          weighted_ == 1 ? "the line has no weight, others before it have"
                         : "the line has a weight, others before it have none",
          "give every edge a weight, or none"};
}

void EdgeFile::check(const std::vector<Piece>& pieces) {
  for (const auto& piece : pieces) {
    // Of several errors of a piece the first in the file is reported.
    const char* mixed = nullptr;
    if (format_ == Format::list) {
      if (weighted_ < 0 && (piece.weighted != nullptr || piece.unweighted != nullptr)) {
        weighted_ =
            piece.unweighted == nullptr || (piece.weighted != nullptr && piece.weighted < piece.unweighted) ? 1 : 0;
      }
      mixed = weighted_ == 1 ? piece.unweighted : piece.weighted;
    }
    if (mixed != nullptr && (!piece.error || mixed < piece.error->at)) fail(column_error(mixed));
    const auto had = seen_;
    seen_ += static_cast<Index>(piece.edges.size());
    if (format_ == Format::matrix && seen_ > header_.entries) {
      std::string_view text = piece.text;
      std::string_view line = take_line(text);
      for (Index before = header_.entries - had; is_comment(line) || before-- > 0;) line = take_line(text);
      fail(surplus_entry(line, header_));
    }
    if (piece.error) fail(*piece.error);
    highest_ = std::max(highest_, piece.highest);
  }
}

void EdgeFile::finish() const {
  const char* end = block_.text.data();
  switch (format_) {
    case Format::matrix:
      if (seen_ < header_.entries) fail(missing_entries(end, seen_, header_));
      break;
    case Format::dimacs:
      if (seen_ != header_.entries) {
        fail({end, fmt::format("the file has {} arcs instead of the {} of its line `p sp`", seen_, header_.entries),
              "the file is truncated, or that line wrong"});
      }
      break;
    case Format::metis:
      if (lines_ < header_.rows) {
        fail({end, fmt::format("the file ends after {} of {} vertices", lines_, header_.rows),
              "the file is truncated, or its first line wrong"});
      }
      if (seen_ != 2 * header_.entries) {
        fail(
            {end,
             fmt::format("the file names {} neighbours, {} edges have {}", seen_, header_.entries, 2 * header_.entries),
             "put every edge at both of its ends, or correct the first line"});
      }
      break;
    case Format::list:
      if (seen_ == 0) throw bad_line(file_.path(), block_.line, "the file ends without an edge", "write `u v` lines");
      break;
  }
}

}  // namespace charm::workloads
