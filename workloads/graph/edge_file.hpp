// The formats of graph files that are text behind one stream of edges. EdgeFile hands out blocks of text; parse() turns
// any piece of one into edges and may run on any worker; check() then sees the pieces in file order, which is where
// errors are thrown and what concerns the whole file (number of entries, columns) is verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/files/fields.hpp"
#include "workloads/files/matrix_market.hpp"
#include "workloads/files/text.hpp"
#include "workloads/graph/csr.hpp"

namespace charm::workloads {

struct Edge {
  Vertex from;
  Vertex to;
};

struct Piece {
  std::string_view text;
  Index first = 0;  ///< METIS: the vertex of its first line; binary: the number of its first arc
  std::vector<Edge> edges;
  std::vector<double> weights;  ///< one an edge, if asked for
  Vertex highest = -1;
  double lightest = 0;  ///< least value in the weights column
  double heaviest = 0;
  bool whole = true;               ///< all weights are whole numbers
  const char* weighted = nullptr;  ///< the first line with a weight, and the first without
  const char* unweighted = nullptr;
  std::optional<FieldError> error;
};

/// An edge as its line says it, with vertices from 0.
struct ParsedLine {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double weight = 0;
  bool weighted = false;
};

/// Of a skew-symmetric or complex matrix only the places of the entries make a graph.
inline bool has_weights(const MatrixHeader& header) { return !header.pattern && !header.skew && !header.complex; }

class EdgeFile {
 public:
  enum class Format : std::uint8_t { list, matrix, dimacs, metis };

  explicit EdgeFile(InputFile input);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] bool symmetric() const { return header_.symmetric; }
  /// Number of vertices: from the header, or in an edge list one more than the highest that check() has seen.
  [[nodiscard]] Index vertices() const { return format_ == Format::list ? Index{highest_} + 1 : header_.rows; }
  /// If each edge must be in the file at both of its ends: how many it says there are.
  [[nodiscard]] std::optional<Index> undirected_edges() const {
    return format_ == Format::metis ? std::optional<Index>(header_.entries) : std::nullopt;
  }

  /// The next lines of edges in about `pieces` pieces; none at the end.
  std::vector<Piece> next(std::size_t pieces);
  /// Fills piece.edges (and weights) from piece.text.
  void parse(Piece& piece, bool want_weights) const;
  /// Throws the first error of the pieces that next() returned last.
  void check(const std::vector<Piece>& pieces);
  /// After the last piece: throws if the file has fewer entries than its header says, or no edges.
  void finish() const;

 private:
  void read_header(std::string_view& text);
  void read_matrix_header(std::string_view& text);
  void read_dimacs_header(std::string_view& text);
  void read_metis_header(std::string_view& text);
  void number_lines(std::vector<Piece>& pieces);
  void parse_lists(Piece& piece, bool want_weights) const;
  std::optional<FieldError> parse_list(std::string_view line, Vertex from, Piece& piece, bool want_weights) const;
  [[nodiscard]] bool is_comment(std::string_view line) const;
  std::optional<FieldError> read_line(std::string_view line, ParsedLine& parsed) const;
  [[noreturn]] void fail(const FieldError& error) const;
  [[nodiscard]] FieldError column_error(const char* at) const;

  TextFile file_;
  TextBlock block_;
  bool first_ = true;
  Format format_ = Format::list;
  MatrixHeader header_;        ///< of a file that has one: vertices are rows
  int skipped_fields_ = 0;     ///< METIS: sizes and weights of a vertex, before its neighbours
  bool edge_weights_ = false;  ///< METIS
  Index lines_ = 0;            ///< METIS: of vertices, handed out
  Index seen_ = 0;
  Vertex highest_ = -1;
  int weighted_ = -1;  ///< an edge list's lines have weights: not yet known, no, yes
};

}  // namespace charm::workloads
