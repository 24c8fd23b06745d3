// Edge lists and Matrix Market files (see edge_file.hpp). Matrix Market: R. Boisvert, R. Pozo, K. Remington, "The
// Matrix Market exchange formats: initial design", NISTIR 5935 (1996).
#include "workloads/graph/edge_file.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";
constexpr std::size_t shortest_edge = 4;  // "1 2\n"

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

bool is_comment(std::string_view line) {
  std::string_view first = take_field(line);
  return first.empty() || first.front() == '#' || first.front() == '%';
}

void note_weight(Piece& piece, double weight, bool first) {
  piece.lightest = first ? weight : std::min(piece.lightest, weight);
  piece.heaviest = first ? weight : std::max(piece.heaviest, weight);
  piece.whole = piece.whole && weight == std::floor(weight);
}

}  // namespace

EdgeFile::EdgeFile(const std::string& path) : file_(path) {}

void EdgeFile::fail(const FieldError& error) const {
  auto before = static_cast<std::size_t>(error.at - block_.text.data());
  throw bad_line(file_.path(), block_.line + count_lines(block_.text.substr(0, before)), error.what, error.remedy);
}

/// Takes the banner, the comments and the size line off the first block.
void EdgeFile::read_header(std::string_view& text) {
  auto lacks_size = [&] {
    return bad_line(file_.path(), block_.line + count_lines(block_.text), "the file ends before the size line",
                    "a matrix needs a line `rows columns entries`; the file may be truncated");
  };
  std::string_view line = take_line(text);
  const char* at = line.data();
  take_field(line);
  std::string object = lower(take_field(line));
  std::string format = lower(take_field(line));
  std::string field = lower(take_field(line));
  std::string symmetry = lower(take_field(line));
  auto refuse = [&](const std::string& what, const std::string& value, const std::string& known) {
    fail({at, fmt::format("Matrix Market {} {} is not supported", what, shown(value)), "use " + known});
  };
  if (object != "matrix") refuse("object", object, "matrix");
  if (format != "coordinate") refuse("format", format, "coordinate");
  if (field != "pattern" && field != "real" && field != "integer" && field != "double") {
    refuse("field", field, "pattern, real or integer");
  }
  if (symmetry != "general" && symmetry != "symmetric") refuse("symmetry", symmetry, "general or symmetric");
  if (std::string_view more = take_field(line); !more.empty()) {
    fail({at, fmt::format("{} stands after the Matrix Market header", shown(more)), "remove it"});
  }
  matrix_ = true;
  symmetric_ = symmetry == "symmetric";
  values_ = field != "pattern";
  integers_ = field == "integer";

  do {
    if (text.empty()) throw lacks_size();
    line = take_line(text);
  } while (is_comment(line));
  std::int64_t columns = 0;
  at = line.data();
  if (auto wrong = read_whole(take_field(line), "number of rows", 0, max_vertices, rows_)) fail(*wrong);
  if (auto wrong = read_whole(take_field(line), "number of columns", 0, max_vertices, columns)) fail(*wrong);
  if (auto wrong = read_whole(take_field(line), "number of entries", 0, INT64_MAX, entries_)) fail(*wrong);
  if (std::string_view more = take_field(line); !more.empty()) {
    fail({more.data(), fmt::format("{} stands after the matrix's size", shown(more)), "write `rows columns entries`"});
  }
  if (rows_ != columns) {
    fail({at, fmt::format("the matrix has {} rows and {} columns", rows_, columns), "a graph needs a square matrix"});
  }
  if (rows_ == 0) fail({at, "the matrix is empty", "a graph needs a vertex at least"});
}

std::vector<Piece> EdgeFile::next(std::size_t pieces) {
  block_ = file_.next();
  std::string_view text = block_.text;
  if (first_) {
    first_ = false;
    std::string_view rest = text;
    std::string_view line = take_line(rest);
    if (lower(take_field(line)) == lower(banner)) {
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
  const std::int64_t lowest = matrix_ ? 1 : 0;
  const std::int64_t highest = matrix_ ? rows_ : max_vertices - 1;
  piece.edges.reserve(piece.text.size() / (3 * shortest_edge));
  auto wrong = [&piece](const char* at, std::string what, std::string remedy) {
    piece.error = FieldError{at, std::move(what), std::move(remedy)};
  };
  for (std::string_view text = piece.text; !text.empty();) {
    std::string_view line = take_line(text);
    const char* at = line.data();
    std::string_view first = take_field(line);
    if (first.empty() || first.front() == '%' || (first.front() == '#' && !matrix_)) continue;
    std::string_view second = take_field(line);
    std::string_view third = take_field(line);
    std::string_view fourth = take_field(line);
    std::int64_t from = 0;
    std::int64_t to = 0;
    const char* kind = matrix_ ? "index" : "vertex";
    if ((piece.error = read_whole(first, kind, lowest, highest, from))) return;
    if ((piece.error = read_whole(second, kind, lowest, highest, to))) return;
    if (matrix_ && values_ && third.empty())
      return wrong(at, "the entry has no value", "a matrix that is not a pattern needs one");
    if (matrix_ && !values_ && !third.empty()) {
      return wrong(third.data(), fmt::format("{} stands after the entry of a pattern", shown(third)), "remove it");
    }
    if (!fourth.empty()) {
      return wrong(fourth.data(), fmt::format("{} stands after the weight", shown(fourth)),
                   "write `u v` or `u v weight`");
    }
    double weight = 0;
    if (!third.empty()) {
      if ((piece.error = read_number(third, weight))) return;
      if (integers_ && weight != std::floor(weight)) {
        return wrong(third.data(), fmt::format("value {} of an integer matrix is not whole", shown(third)),
                     "make the matrix real");
      }
      note_weight(piece, weight, piece.weighted == nullptr);
      if (piece.weighted == nullptr) piece.weighted = at;
    } else if (piece.unweighted == nullptr) {
      piece.unweighted = at;
    }
    piece.edges.push_back({static_cast<Vertex>(from - lowest), static_cast<Vertex>(to - lowest)});
    piece.highest = std::max(piece.highest, static_cast<Vertex>(std::max(from, to) - lowest));
    if (want_weights) piece.weights.push_back(weight);
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
    if (matrix_ && seen_ > entries_) {
      std::string_view text = piece.text;
      std::string_view line = take_line(text);
      for (Index before = entries_ - had; is_comment(line) || before-- > 0;) line = take_line(text);
      fail({line.data(), fmt::format("an entry more than the {} of the header", entries_), "correct the size line"});
    }
    if (piece.error) fail(*piece.error);
    highest_ = std::max(highest_, piece.highest);
  }
}

void EdgeFile::finish() const {
  const std::int64_t last_line = block_.line;
  if (matrix_ && seen_ < entries_) {
    throw bad_line(file_.path(), last_line, fmt::format("the file ends after {} of {} entries", seen_, entries_),
                   "the file is truncated, or its size line wrong");
  }
  if (!matrix_ && seen_ == 0)
    throw bad_line(file_.path(), last_line, "the file ends without an edge", "write `u v` lines");
}

}  // namespace charm::workloads
