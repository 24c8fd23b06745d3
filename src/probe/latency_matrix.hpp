// A core-to-core latency matrix as the tool core-to-core-latency writes it: square CSV in ns, one half filled or both,
// blank where a pair was not measured. The interchange format of everything here that measures or clusters.
//
// Invariant: `at(i, j) == at(j, i)`, NaN where neither direction was measured, the diagonal is always NaN. Where both
// directions are given the smaller one stands: disturbance only ever adds time, and a line homed far away does too.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace charm::probe {

class LatencyMatrix {
 public:
  explicit LatencyMatrix(int rows = 0);

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] double at(int i, int j) const { return ns_[index(i, j)]; }
  [[nodiscard]] bool measured(int i, int j) const;
  void set(int i, int j, double ns);

  /// Keeps the smaller of what is there and `ns`.
  void lower(int i, int j, double ns);

  /// Rows that have no measurement at all.
  [[nodiscard]] std::vector<int> unmeasured_rows() const;

  std::vector<std::string> notes;  ///< what the reader had to assume, one sentence each

 private:
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(j);
  }
  int rows_;
  std::vector<double> ns_;
};

/// \param name stands in errors as NAME:LINE.
/// \throws Error (bad_input) for what is not a square matrix of positive numbers and blanks.
LatencyMatrix read_latency_csv(std::istream& in, const std::string& name);
LatencyMatrix read_latency_csv(const std::string& path);

/// The lower half, row by row, blanks for the rest.
void write_latency_csv(std::ostream& out, const LatencyMatrix& matrix);

}  // namespace charm::probe
