// A core-to-core latency matrix as the tool core-to-core-latency writes it: square CSV in ns, one half filled or both,
// blank where a pair was not measured. All parts of this module that measure or cluster exchange this format.
//
// Invariant: `at(i, j) == at(j, i)`, NaN where neither direction was measured, the diagonal is always NaN. Where both
// directions are given the smaller one is kept: a disturbance only ever adds time, and so does a line that lies far
// away. One half is stored, in single precision: 75 MB for 6,144 cpus.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace charm::probe {

class LatencyMatrix {
 public:
  static constexpr double highest_ns = 1e15;  ///< what a file may say

  explicit LatencyMatrix(int rows = 0);

  /// \param lower_half row by row, NaN where a pair was not measured; what is missing at its end counts as that.
  LatencyMatrix(int rows, std::vector<float> lower_half);

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] double at(int i, int j) const { return i == j ? unknown : static_cast<double>(ns_[index(i, j)]); }
  [[nodiscard]] bool measured(int i, int j) const { return i != j && ns_[index(i, j)] == ns_[index(i, j)]; }
  /// What row `i` measured with all rows before it; NaN where nothing.
  [[nodiscard]] std::span<const float> lower_row(int i) const {
    return std::span(ns_).subspan(i == 0 ? 0 : index(i, 0), static_cast<std::size_t>(i));
  }
  void set(int i, int j, double ns);

  /// Sets a cell to the smaller of its value and `ns`.
  void lower(int i, int j, double ns);

  /// Rows that have no measurement at all.
  [[nodiscard]] std::vector<int> unmeasured_rows() const;

  std::vector<std::string> notes;  ///< what the reader had to assume, one sentence each

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  [[nodiscard]] static std::size_t index(int i, int j) {
    const auto high = static_cast<std::size_t>(i > j ? i : j);
    return high * (high - 1) / 2 + static_cast<std::size_t>(i > j ? j : i);
  }
  int rows_;
  std::vector<float> ns_;  // the lower half, row by row
};

/// \param name appears in errors as NAME:LINE.
/// Cells of 0 ns, which tools print for pairs that they could not time, count as blank, with a note.
/// \throws Error (bad_input) if it is not a square matrix of blanks and numbers from 0 to highest_ns.
LatencyMatrix read_latency_csv(std::istream& in, const std::string& name);
LatencyMatrix read_latency_csv(const std::string& path);

/// Writes the lower half, row by row, and blanks for the rest.
void write_latency_csv(std::ostream& out, const LatencyMatrix& matrix);

}  // namespace charm::probe
