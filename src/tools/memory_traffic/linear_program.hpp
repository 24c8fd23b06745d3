// A small linear program by the simplex method: maximise value·x subject to rows·x <= limits and x >= 0, and of all
// solutions that reach the maximum take one with the least cost·x. The limits are not negative, so x = 0 is a start.
//
// Bland's rule makes it end whatever the degeneracy. The programs here have as many variables as a machine has
// memories, and a row for each bus and direction: a dense tableau is enough.
#pragma once

#include <vector>

namespace charm::memory_traffic {

struct LinearProgram {
  std::vector<double> value;              ///< by variable
  std::vector<double> cost;               ///< by variable; the second aim
  std::vector<std::vector<double>> rows;  ///< each by variable
  std::vector<double> limits;             ///< by row; not negative and finite
};

/// The variables. The program must be bounded: every variable of positive value is limited by some row.
std::vector<double> solve(const LinearProgram& program);

}  // namespace charm::memory_traffic
