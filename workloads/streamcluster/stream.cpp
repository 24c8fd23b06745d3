#include "workloads/streamcluster/stream.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "workloads/streamcluster/chunk.hpp"
#include "workloads/streamcluster/local_search.hpp"

namespace charm::workloads {
namespace {

/// Weighted points of which centres were made.
struct Kept {
  std::vector<float> coordinates;
  std::vector<float> weights;
};

/// Appends the weighted mean of each centre's points. Sums are made by block and added up in the order of the blocks.
void append_means(BlockLoop& loop, const Points& points, const Clustering& found, Kept& kept) {
  const Blocks blocks(points.count);
  const std::size_t row = static_cast<std::size_t>(points.dimensions) + 1;  // the weight is the last
  const std::size_t each = found.centers.size() * row;
  std::vector<double> sums(static_cast<std::size_t>(blocks.count()) * each);
  loop.run(blocks, [&](Index block, Index first, Index last) {
    const Points here = points.near(loop.worker());
    double* of_block = sums.data() + static_cast<std::size_t>(block) * each;
    for (Index i = first; i < last; ++i) {
      double* sum = of_block + static_cast<std::size_t>(found.center_of[static_cast<std::size_t>(i)]) * row;
      const auto weight = static_cast<double>(points.weight(i));
      const float* at = here[i];
      for (Index j = 0; j < points.dimensions; ++j) sum[j] += weight * static_cast<double>(at[j]);
      sum[points.dimensions] += weight;
    }
  });
  for (std::size_t i = each; i < sums.size(); ++i) sums[i % each] += sums[i];
  for (std::size_t center = 0; center < found.centers.size(); ++center) {
    const double* sum = sums.data() + center * row;
    const double weight = sum[row - 1];
    if (weight == 0) continue;  // a centre that all its points have left
    for (std::size_t j = 0; j + 1 < row; ++j) kept.coordinates.push_back(static_cast<float>(sum[j] / weight));
    kept.weights.push_back(static_cast<float>(weight));
  }
}

}  // namespace

void check_stream(const StreamOptions& options) {
  if (options.least < 1 || options.most < options.least)
    throw Error(Errc::bad_config, fmt::format("{} to {} centres are none", options.least, options.most),
                "give a least number of 1 or more and a largest that is not below it");
  if (options.chunk < 1)
    throw Error(Errc::bad_config, fmt::format("chunks of {} points are none", options.chunk), "use 1 or more");
  if (options.intermediate < options.most)
    throw Error(Errc::bad_config,
                fmt::format("{} intermediate centres do not hold those of one chunk, up to {}", options.intermediate,
                            options.most),
                fmt::format("use {} or more", options.most));
}

StreamCenters cluster_stream(BlockLoop& loop, const Points& points, const StreamOptions& options) {
  check_stream(options);
  Draws draws(options.seed);
  StreamCenters out;
  Kept kept;
  ChunkRows rows(loop, std::min(options.chunk, points.count), points.dimensions);
  for (Index first = 0; first < points.count; first += options.chunk) {
    const Points chunk = rows.load(loop, points, first, std::min(options.chunk, points.count - first));
    const Clustering found = local_search(loop, chunk, options.least, options.most, draws);
    if (static_cast<Index>(kept.weights.size() + found.centers.size()) > options.intermediate)
      throw Error(Errc::bad_input,
                  fmt::format("the first {} of {} points have more than {} intermediate centres", first + chunk.count,
                              points.count, options.intermediate),
                  "allow more, take larger chunks, or fewer centres a chunk");
    append_means(loop, chunk, found, kept);
    out.chunk_cost += found.cost;
    out.candidates += found.candidates;
    ++out.chunks;
  }
  const Points centers{static_cast<Index>(kept.weights.size()), points.dimensions, kept.coordinates.data(),
                       kept.weights.data()};
  const Clustering last = local_search(loop, centers, options.least, options.most, draws);
  Kept final;
  append_means(loop, centers, last, final);
  out.coordinates = std::move(final.coordinates);
  out.weights = std::move(final.weights);
  out.cost = last.cost;
  out.candidates += last.candidates;
  return out;
}

}  // namespace charm::workloads
