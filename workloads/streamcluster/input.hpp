// The points of a stream: generated, or read from a file as PARSEC writes it.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/array.hpp"
#include "workloads/array_placement.hpp"
#include "workloads/streamcluster/blocks.hpp"
#include "workloads/streamcluster/points.hpp"

namespace charm::workloads {

struct PointOptions {
  Index count = 16384;
  Index dimensions = 128;
  std::uint64_t seed = 1;
};

/// Points that own their rows.
struct PointRows {
  Index count = 0;
  Index dimensions = 0;
  Array<float> coordinates;

  [[nodiscard]] Points view() const { return {count, dimensions, coordinates.data(), nullptr}; }
};

/// Uniform in the unit cube, as PARSEC's SimStream; the same for any runtime.
/// \throws Error (bad_input) for numbers out of range.
PointRows generate_points(BlockLoop& loop, const ArrayPlacement& placement, const PointOptions& options);

/// Rows of 32-bit floating-point numbers in the byte order of the machine, nothing else, as PARSEC's FileStream.
/// \throws Error (bad_input) where there is no such file, its size is no multiple of a row, or a number is not finite.
PointRows read_points(BlockLoop& loop, const ArrayPlacement& placement, const std::string& path, Index dimensions);

/// As read_points() reads them. \throws Error (system) if the file cannot be written.
void write_points(const Points& points, const std::string& path);

/// Bytes of the points, of copies of a chunk, and of the search in it.
std::uint64_t point_bytes(const PointOptions& options, Index chunk, int copies = 0);

}  // namespace charm::workloads
