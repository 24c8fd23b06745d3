// Laws of scaling, fitted to measured times: how much of a program is serial (G. M. Amdahl 1967), and how much its
// threads stand in each other's way (N. J. Gunther's universal scalability law, 1993). Pure.
#pragma once

#include <optional>
#include <vector>

namespace charm::width {

struct Point {
  int threads = 1;
  double seconds = 0;
};

/// time(n) = one * (1 + contention (n - 1) + coherence n (n - 1)) / n.
struct Law {
  double one_s = 0;       ///< seconds of one thread
  double contention = 0;  ///< share of the work that is done by one thread at a time; Amdahl's serial share
  double coherence = 0;   ///< cost of each pair of threads; 0 in Amdahl's law
  double error = 0;       ///< root mean square of the relative errors of the points' times

  [[nodiscard]] double seconds(double threads) const;
  [[nodiscard]] double speedup(double threads) const { return seconds(1) / seconds(threads); }
  /// The number of threads that takes least time; nothing: the more the better.
  [[nodiscard]] std::optional<double> peak() const;
};

struct Laws {
  Law amdahl, universal;
};

/// Fits both by least relative squares, with nothing below 0. Nothing without three different numbers of threads.
std::optional<Laws> fit(const std::vector<Point>& points);

}  // namespace charm::width
