// Timed and validated trials of Streamcluster.
#include "workloads/streamcluster/streamcluster_bench.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "workloads/executor/dispatch.hpp"
#include "workloads/streamcluster/reference.hpp"
#include "workloads/streamcluster/threads.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {

struct PointSet::Data {
  std::string name;
  PointRows rows;
  std::optional<std::pair<StreamOptions, ReferenceCosts>> reference;
};

namespace {

constexpr Index most_compared = Index{1} << 23;  // coordinates
constexpr double tolerance = 1e-6;

/// with_executor() with the threads beside the runtimes; the function gets a loop and a placement.
template <class F>
void with_loop(const Runner& runner, F&& f) {
  const auto call = [&](auto& executor) {
    executor.run([&] {
      ExecutorLoop loop(executor);
      f(loop, array_placement_of(executor));
    });
  };
  if (runner.runtime == ThreadsExecutor::name) {
    ThreadsExecutor executor(runner.workers);
    call(executor);
  } else {
    with_executor(runner, call);
  }
}

bool same(const StreamOptions& a, const StreamOptions& b) {
  return a.chunk == b.chunk && a.least == b.least && a.most == b.most && a.intermediate == b.intermediate &&
         a.seed == b.seed;
}

const ReferenceCosts* reference(PointSet::Data& data, const StreamOptions& options) {
  if (data.rows.count * data.rows.dimensions > most_compared) return nullptr;
  if (!data.reference || !same(data.reference->first, options))
    data.reference.emplace(options, reference_costs(data.rows.view(), options));
  return &data.reference->second;
}

bool near(double a, double b) { return std::fabs(a - b) <= tolerance * std::fmax(std::fabs(a), std::fabs(b)); }

}  // namespace

Points points_of(const PointSet& points) { return points.data().rows.view(); }

StreamCenters read_centers(const std::string& path, Index dimensions) {
  std::ifstream file(path);
  StreamCenters centers;
  double number = 0, weight = 0;
  while (file >> number >> weight) {
    centers.weights.push_back(static_cast<float>(weight));
    for (Index i = 0; i < dimensions; ++i) {
      float coordinate = 0;
      if (!(file >> coordinate)) break;
      centers.coordinates.push_back(coordinate);
    }
  }
  const bool whole = centers.coordinates.size() == centers.weights.size() * static_cast<std::size_t>(dimensions);
  if (!file.eof() || !whole || centers.weights.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("'{}' has no centres of {} dimensions as PARSEC writes them", path, dimensions),
                "is it the program that --peer names?");
  }
  return centers;
}

std::string complaint_about(const StreamCenters& found, const Points& points, const StreamOptions& options,
                            const ReferenceCosts* right) {
  const auto centers = static_cast<Index>(found.weights.size());
  if (centers < 1 || centers > 2 * options.most)  // the search may end a little outside of its bounds
    return fmt::format("{} centres, and there should be {} to {}", centers, options.least, options.most);
  const double weight = std::accumulate(found.weights.begin(), found.weights.end(), 0.0);
  if (!near(weight, static_cast<double>(points.count)))
    return fmt::format("the centres have {:.0f} points of {}", weight, points.count);
  if (right == nullptr) return {};
  if (centers != right->centers) return fmt::format("{} centres, not {}", centers, right->centers);
  if (!near(found.chunk_cost, right->chunk_cost))
    return fmt::format("the chunks cost {:.9g}, not {:.9g}", found.chunk_cost, right->chunk_cost);
  if (!near(found.cost, right->cost))
    return fmt::format("the centres cost {:.9g}, not {:.9g}", found.cost, right->cost);
  return {};
}

PointSet::PointSet(std::unique_ptr<Data> data) : data_(std::move(data)) {}
PointSet::PointSet(PointSet&&) noexcept = default;
PointSet& PointSet::operator=(PointSet&&) noexcept = default;
PointSet::~PointSet() = default;

PointSet PointSet::generate(const PointOptions& options, const Runner& runner) {
  auto data = std::make_unique<Data>();
  with_loop(runner, [&](BlockLoop& loop, const ArrayPlacement& placement) {
    data->rows = generate_points(loop, placement, options);
  });
  data->name = fmt::format(", seed {}", options.seed);
  return PointSet(std::move(data));
}

PointSet PointSet::load(const std::string& path, Index dimensions, const Runner& runner) {
  auto data = std::make_unique<Data>();
  with_loop(runner, [&](BlockLoop& loop, const ArrayPlacement& placement) {
    data->rows = read_points(loop, placement, path, dimensions);
  });
  data->name = ", " + path;
  return PointSet(std::move(data));
}

std::string PointSet::describe() const {
  const PointRows& rows = data_->rows;
  return fmt::format("{} point{} of {} dimension{}{}", rows.count, rows.count == 1 ? "" : "s", rows.dimensions,
                     rows.dimensions == 1 ? "" : "s", data_->name);
}

KernelRun run_streamcluster(const Runner& runner, const PointSet& points, const StreamOptions& options, int trials,
                            const Progress& progress) {
  check_stream(options);
  const Points view = points.data().rows.view();
  const ReferenceCosts* right = reference(points.data(), options);
  KernelRun result{"streamcluster", runner.runtime, "kpoint/s", {}, {}, trials > 0, {}};
  with_loop(runner, [&](BlockLoop& loop, const ArrayPlacement&) {
    loop.run(Blocks(view.count), [](Index, Index, Index) {});  // threads that start with their first work are not timed
    for (int i = 0; i < trials; ++i) {
      if (progress) progress(result.kernel, runner.runtime, i, trials);
      Trial trial;
      StreamCenters found;
      trial.seconds = seconds_of([&] { found = cluster_stream(loop, view, options); });
      trial.work = static_cast<double>(view.count);
      trial.wrong = complaint_about(found, view, options, right);
      trial.detail =
          fmt::format("{} centres, cost {:.6g}; {} chunk{}, cost {:.6g}; {} candidates tried{}", found.weights.size(),
                      found.cost, found.chunks, found.chunks == 1 ? "" : "s", found.chunk_cost, found.candidates,
                      right == nullptr ? "; too large to be compared with the plain implementation" : "");
      add(result, trial);
    }
  });
  return result;
}

}  // namespace charm::workloads
