// CHARM Fig. 7 (§5.2): how the throughput of the six kernels grows with the number of workers on one socket, beside
// OpenMP and oneTBB. The paper calls CHARM's scaling near-linear up to 64 cores; here that is seven tenths of linear.
#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::evaluate {
namespace {

constexpr double near_linear = 0.7;
constexpr int least_workers = 8;  // fewer are no scaling

std::vector<int> worker_counts(const Context& context) {
  const int most = socket_cores(context.machine());
  std::vector<int> counts;
  for (int count = 1; count < most; count *= context.quick() && most > 8 ? 4 : 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

Plan plan_scaling(const Context& context) {
  Plan out{.x = "workers", .y = "speed as a multiple of one worker's"};
  const std::vector<int> counts = worker_counts(context);
  std::vector<std::string> runtimes;
  for (const std::string& each : context.facts.runtimes) {
    if (each != "serial") runtimes.push_back(each);
  }
  const int trials = context.quick() ? 5 : 10;
  for (const int count : counts) {
    const BenchRows rows{"local", count, trials, fmt::format("{}", fmt::join(runtimes, ","))};
    for (const bool gups : {false, true}) {
      const auto words = gups ? gups_words(context, rows) : graph_words(context, "bfs,pr,cc,sssp,graph500", rows);
      out.jobs.push_back(bench_job(fmt::format("{} with {}", gups ? "random access" : "graph kernels",
                                               base::counted(static_cast<std::size_t>(count), "worker")),
                                   words, context.quick() ? gups ? 8 : 25 : 300));
    }
  }
  for (const Kernel& kernel : six_kernels) {
    const auto alone = simulated_rate(context, kernel.simulated, "local", 1);
    for (const int count : counts) {
      if (count == 1) continue;
      const bool judged = count == counts.back();
      Point point{.series = std::string(kernel.name),
                  .x = static_cast<double>(count),
                  .first = row(kernel.name, "charm", "local", count),
                  .second = row(kernel.name, "charm", "local", 1),
                  .expect = judged ? Expect::at_least : Expect::nothing,
                  .bound = judged ? near_linear * count : 1};
      const auto many = simulated_rate(context, kernel.simulated, "local", count);
      if (alone && many && *alone > 0) point.predicted = *many / *alone;
      out.points.push_back(std::move(point));
    }
  }
  // The peers, each against its own single worker, for the picture.
  for (const std::string& runtime : runtimes) {
    if (runtime == "charm") continue;
    for (const Kernel& kernel : six_kernels) {
      for (const int count : counts) {
        if (count == 1) continue;
        out.points.push_back({.series = fmt::format("{}, {}", kernel.name, runtime),
                              .x = static_cast<double>(count),
                              .first = row(kernel.name, runtime, "none", count),
                              .second = row(kernel.name, runtime, "none", 1)});
      }
    }
  }
  return out;
}

Verdict judge_scaling(const Context& context, const std::vector<Point>& points) {
  const int workers = worker_counts(context).back();
  if (workers >= least_workers) return verdict_of(points, "workers");
  std::string seen;
  for (const Point& point : points) {
    if (point.expect != Expect::nothing && point.measured)
      seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", point.series, base::three_digits(point.measured->value));
  }
  return {Finding::cannot_tell,
          fmt::format(
              "it is about up to 64 cores of a socket, and there {} here{}",
              workers == 1 ? "is 1" : fmt::format("are {}", workers),
              seen.empty() ? "" : fmt::format("; measured with {} workers, as multiples of one: {}", workers, seen))};
}

}  // namespace

constinit const Experiment scaling{
    .name = "charm-fig7-scaling",
    .title = "Scaling on one socket",
    .claim = "Up to all cores of a socket the six kernels scale nearly linearly (to seven tenths of linear at least).",
    .paper = "CHARM Fig. 7, §5.2",
    .published = "near-linear up to 64 cores",
    .needs = {.cores = 2, .benchmark = "graph"},
    .plan = plan_scaling,
    .judge = judge_scaling};

}  // namespace charm::evaluate
