// Points to cluster, and the distance between two of them.
#pragma once

#include <cstdint>

#include "workloads/array.hpp"
#include "workloads/executor/concept.hpp"

namespace charm::workloads {

/// Weighted points, row by row. A view: the rows belong to somebody else.
struct Points {
  Index count = 0;
  Index dimensions = 0;
  const float* coordinates = nullptr;  ///< count x dimensions
  const float* weights = nullptr;      ///< one a point; nullptr: all are 1
  /// The same coordinates, nearest to each worker; nullptr: there are no copies.
  const float* const* of_worker = nullptr;

  [[nodiscard]] const float* operator[](Index i) const { return coordinates + i * dimensions; }
  /// The points with the coordinates that a worker is to read.
  [[nodiscard]] Points near(int worker) const {
    Points here = *this;
    if (of_worker != nullptr) here.coordinates = of_worker[worker];
    return here;
  }
  [[nodiscard]] float weight(Index i) const { return weights == nullptr ? 1 : weights[i]; }
};

/// The squared Euclidean distance. The order of the additions is fixed, so that it is the same wherever it is called.
float squared_distance(const float* a, const float* b, Index dimensions);

}  // namespace charm::workloads
