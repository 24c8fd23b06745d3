// Edge lists and Matrix Market files (see edge_file.hpp).
#include "workloads/graph/edge_file.hpp"

#include <algorithm>

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

}  // namespace

EdgeFile::EdgeFile(InputFile input) : file_(std::move(input)) {}

void EdgeFile::fail(const FieldError& error) const {
  auto before = static_cast<std::size_t>(error.at - block_.text.data());
  throw bad_line(file_.path(), block_.line + count_lines(block_.text.substr(0, before)), error.what, error.remedy);
}

void EdgeFile::read_header(std::string_view& text) {
  if (auto wrong = take_matrix_header(text, {.skew_symmetric = true, .complex = true}, header_)) fail(*wrong);
  matrix_ = true;
  if (header_.rows != header_.columns) {
    fail({header_.size_line, fmt::format("the matrix has {} rows and {} columns", header_.rows, header_.columns),
          "a graph needs a square matrix"});
  }
}

bool EdgeFile::is_comment(std::string_view line) const {
  return matrix_ ? is_matrix_comment(line) : is_blank_or_begins(line, '#', '%');
}

std::optional<FieldError> EdgeFile::read_line(std::string_view line, ParsedLine& parsed) const {
  if (!matrix_) return read_edge(line, parsed);
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
    if (begins_with_matrix_banner(text)) {
      read_header(text);
    } else if (file_.path().ends_with(".mtx") || file_.path().ends_with(".mtx.gz")) {
      fail({text.data(), "the Matrix Market header is missing",
            "begin the file with `%%MatrixMarket matrix coordinate pattern general`, or rename an edge list"});
    }
    // A header that took the whole first block leaves nothing to cut, which must not look like the end of the file.
    if (text.empty() && !block_.text.empty()) return next(pieces);
  }
  std::vector<Piece> cut;
  for (std::string_view part : cut_at_lines(text, pieces)) cut.emplace_back().text = part;
  return cut;
}

void EdgeFile::parse(Piece& piece, bool want_weights) const {
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
    if (!matrix_) {
      if (weighted_ < 0 && (piece.weighted != nullptr || piece.unweighted != nullptr)) {
        weighted_ =
            piece.unweighted == nullptr || (piece.weighted != nullptr && piece.weighted < piece.unweighted) ? 1 : 0;
      }
      mixed = weighted_ == 1 ? piece.unweighted : piece.weighted;
    }
    if (mixed != nullptr && (!piece.error || mixed < piece.error->at)) fail(column_error(mixed));
    const auto had = seen_;
    seen_ += static_cast<Index>(piece.edges.size());
    if (matrix_ && seen_ > header_.entries) {
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
  if (matrix_ && seen_ < header_.entries) fail(missing_entries(block_.text.data(), seen_, header_));
  if (!matrix_ && seen_ == 0)
    throw bad_line(file_.path(), block_.line, "the file ends without an edge", "write `u v` lines");
}

}  // namespace charm::workloads
