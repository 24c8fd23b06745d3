// Graph500 mode: searches from 64 different roots, each validated by the five rules, and the specification's statistics
// of traversed edges per second (TEPS). Differs from the specification: traversed edges are counted without the repeats
// and loops that the generator drew, since the graph does not keep them; rates are lower for it by some 5 % at
// scale 20.
#pragma once

#include <string>
#include <vector>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

struct SearchTime {
  double seconds;
  double edges;
};

struct TepsStatistics {
  double min, first_quartile, median, third_quartile, max;
  double harmonic_mean;    ///< rates are averaged harmonically: the mean of equal shares of work, not of time
  double harmonic_stddev;  ///< deviation of the harmonic mean, as the specification's example code computes it
};

TepsStatistics teps_statistics(const std::vector<SearchTime>& searches);

/// One line for people: in MTEPS.
std::string describe(const TepsStatistics& statistics, std::size_t searches);

}  // namespace charm::workloads
