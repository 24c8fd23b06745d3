#include "workloads/streamcluster/input.hpp"

#include <charm/error.hpp>
#include <charm/page_block.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "workloads/graph/random.hpp"

namespace charm::workloads {
namespace {

constexpr Index most_points = Index{1} << 40;
constexpr Index most_dimensions = Index{1} << 24;

void check(Index count, Index dimensions) {
  if (dimensions < 1 || dimensions > most_dimensions)
    throw Error(Errc::bad_input, fmt::format("{} dimensions are out of range", dimensions),
                fmt::format("use 1 to {}", most_dimensions));
  if (count < 1 || count > most_points)
    throw Error(Errc::bad_input, fmt::format("{} points are out of range", count),
                fmt::format("use 1 to {}", most_points));
  if (static_cast<double>(count) * static_cast<double>(dimensions) * sizeof(float) > 1e18)
    throw Error(Errc::bad_input, fmt::format("{} points of {} dimensions are too many", count, dimensions),
                "use fewer of either");
}

PointRows empty_rows(const ArrayPlacement& placement, Index count, Index dimensions) {
  check(count, dimensions);
  PointRows rows{count, dimensions, {}};
  if (placement.in_parts()) {
    std::vector<std::int64_t> bounds = placement.bounds(count);
    for (auto& bound : bounds) bound *= dimensions;
    rows.coordinates = placement.split<float>(bounds);
  } else {
    rows.coordinates = placement.shared<float>(count * dimensions);
  }
  return rows;
}

}  // namespace

PointRows generate_points(BlockLoop& loop, const ArrayPlacement& placement, const PointOptions& options) {
  PointRows rows = empty_rows(placement, options.count, options.dimensions);
  const std::uint64_t seed = mix(options.seed + 0x9e3779b97f4a7c15U);
  loop.run(Blocks(rows.count), [&](Index, Index first, Index last) {
    for (Index i = first * rows.dimensions; i < last * rows.dimensions; ++i)
      rows.coordinates[i] = static_cast<float>(random_at(seed, static_cast<std::uint64_t>(i)) >> 40) * 0x1p-24F;
  });
  return rows;
}

PointRows read_points(BlockLoop& loop, const ArrayPlacement& placement, const std::string& path, Index dimensions) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (!regular && std::filesystem::exists(path, error))  // to open a pipe would wait for its other end
    throw Error(Errc::bad_input, fmt::format("'{}' is not a regular file", path), "save the points to a file");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (bytes < 0) throw Error(Errc::bad_input, fmt::format("'{}' cannot be read", path), "give a file of points");
  check(1, dimensions);
  const Index row = dimensions * static_cast<Index>(sizeof(float));
  if (bytes == 0 || bytes % row != 0)
    throw Error(Errc::bad_input,
                fmt::format("'{}' has {} bytes, which are not rows of {} numbers of 4 bytes", path, bytes, dimensions),
                "give the number of dimensions that it was written with");
  const std::uint64_t available = available_memory();
  if (available != 0 && static_cast<std::uint64_t>(bytes) > available)
    throw Error(Errc::bad_input,
                fmt::format("'{}' has {:.1f} GiB, {:.1f} are available", path, static_cast<double>(bytes) / 0x1p30,
                            static_cast<double>(available) / 0x1p30),
                "use fewer points, or a larger machine");
  PointRows rows = empty_rows(placement, bytes / row, dimensions);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(rows.coordinates.data()), bytes);
  if (!file) throw Error(Errc::bad_input, fmt::format("'{}' could not be read to its end", path), "look at the file");
  const Blocks blocks(rows.count);
  std::vector<Index> wrong(static_cast<std::size_t>(blocks.count()), -1);
  loop.run(blocks, [&](Index block, Index first, Index last) {
    for (Index i = first * dimensions; i < last * dimensions; ++i) {
      if (std::isfinite(rows.coordinates[i])) continue;
      wrong[static_cast<std::size_t>(block)] = i;
      return;
    }
  });
  for (const Index at : wrong) {
    if (at < 0) continue;
    throw Error(Errc::bad_input,
                fmt::format("'{}': coordinate {} of point {} is {}", path, at % dimensions, at / dimensions,
                            rows.coordinates[at]),
                "points have finite coordinates");
  }
  return rows;
}

void write_points(const Points& points, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(points.coordinates),
             static_cast<std::streamsize>(static_cast<std::size_t>(points.count * points.dimensions) * sizeof(float)));
  file.close();
  if (!file) throw Error(Errc::system, path + " cannot be written", "make room, or set TMPDIR to another folder");
}

std::uint64_t point_bytes(const PointOptions& options, Index chunk, int copies) {
  check(options.count, options.dimensions);
  const auto coordinates = static_cast<double>(options.count) * static_cast<double>(options.dimensions) * sizeof(float);
  constexpr double a_point = 32;  // costs, slots, moves, order and sums of weights
  constexpr double rest = 16U << 20U;
  const double copied = copies * static_cast<double>(options.dimensions) * sizeof(float);
  const double all = coordinates + (a_point + copied) * static_cast<double>(std::min(options.count, chunk)) + rest;
  return all > 1e19 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(all);
}

}  // namespace charm::workloads
