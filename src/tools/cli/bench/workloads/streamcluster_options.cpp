#include "tools/cli/bench/workloads/streamcluster_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {

const WorkloadText& StreamclusterWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "streamcluster",
      .summary = "Clustering of a stream of points, chunk by chunk (PARSEC)",
      .example = "  charm bench streamcluster --points 200000 --chunk 50000 --runtime charm,openmp,threads",
      .title = "CHARM: clustering of a stream",
      .file = "point",
      .file_format = "file of points"};
  return words;
}

std::vector<std::string> StreamclusterWorkload::runtimes() const { return workloads::streamcluster_runtimes(); }

void StreamclusterWorkload::declare(CLI::App& app, BenchRequest& request) {
  constexpr std::int64_t most_points = std::int64_t{1} << 40;
  whole_number(app.add_option("--points", points, "Generate so many points [16384]"), 1, most_points);
  whole_number(app.add_option("--dimensions", dimensions, "Coordinates of a point [128]"), 1, 1 << 24);
  whole_number(app.add_option("--chunk", chunk, "Points that are clustered at a time [16384]"), 1, INT32_MAX);
  whole_number(app.add_option("--least", least, "Least number of centres [10]"), 1, INT32_MAX);
  whole_number(app.add_option("--most", most, "Largest number of centres [20, or twice the least]"), 1, INT32_MAX);
  whole_number(app.add_option("--intermediate", intermediate, "Centres of all chunks that are kept [1000]"), 1,
               INT32_MAX);
  file_path(app.add_option("--file", request.file,
                           "Load points: rows of 32-bit floating-point numbers, as PARSEC writes them"));
  declare_seed(app, request, "Seed of points and random decisions [1]");
}

void StreamclusterWorkload::check_options(const BenchRequest& request) const {
  check_file_option(*this, request, {{"--points", points.has_value()}}, "generate points or load them");
}

void StreamclusterWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  if (most_centres() < least)
    refuse(fmt::format("--least {} is above --most {}", least, most_centres()), "take bounds that leave a number");
  if (centres_kept() < most_centres())
    refuse(fmt::format("--intermediate {} does not hold the centres of one chunk, up to {}", centres_kept(),
                       most_centres()),
           fmt::format("take --intermediate {} or more", most_centres()));
  if (const auto needed = bytes_too_many(*this, plan, facts))
    refuse(fmt::format("--points {} of --dimensions {} {}", points_made(), dimensions,
                       lacking_memory("need", *needed, facts)),
           "take fewer --points");
}

std::int64_t StreamclusterWorkload::most_centres() const {
  return most.value_or(std::max<std::int64_t>(20, 2 * least));
}

std::int64_t StreamclusterWorkload::centres_kept() const {
  return intermediate.value_or(std::max<std::int64_t>(1000, most_centres()));
}

}  // namespace charm::cli
