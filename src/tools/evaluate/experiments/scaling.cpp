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
  const std::vector<std::string> graph_kernels = {"bfs", "pr", "cc", "sssp", "graph500"};
  const Input graph = graph_input(graph_kernels, graph_scale(context)), gups = gups_input(context);
  std::vector<std::string> kernels = graph_kernels;
  kernels.emplace_back("gups");
  for (const int count : counts) {
    const BenchRows rows{
        .policies = {"local"}, .workers = count, .trials = context.quick() ? 5 : 10, .runtimes = runtimes};
    const std::string with = " with " + base::counted(static_cast<std::size_t>(count), "worker");
    add_bench(out, context, "graph kernels" + with, graph, rows, context.quick() ? 25 : 300);
    add_bench(out, context, "random access" + with, gups, rows, context.quick() ? 8 : 300);
  }
  for (const std::string& kernel : kernels) {
    for (const int count : counts) {
      if (count == 1) continue;
      const bool judged = count == counts.back();
      out.points.push_back({.series = kernel,
                            .x = static_cast<double>(count),
                            .first = row(kernel, "charm", "local", count),
                            .second = row(kernel, "charm", "local", 1),
                            .expect = judged ? Expect::at_least : Expect::nothing,
                            .bound = judged ? near_linear * count : 1,
                            .source = "§5.2, text",
                            // Near the bound, so that the share of blind writes decides.
                            .basis = kernel == "pr" ? Basis::fitted : Basis::predicted});
    }
  }
  // The peers, each against its own single worker, for the picture.
  for (const std::string& runtime : runtimes) {
    if (runtime == "charm") continue;
    for (const std::string& kernel : kernels) {
      for (const int count : counts) {
        if (count == 1) continue;
        out.points.push_back({.series = fmt::format("{}, {}", kernel, runtime),
                              .x = static_cast<double>(count),
                              .first = row(kernel, runtime, "none", count),
                              .second = row(kernel, runtime, "none", 1)});
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
    .machine = "epyc-7713-2s",
    .needs = {.cores = 2, .benchmark = "graph"},
    .plan = plan_scaling,
    .judge = judge_scaling};

}  // namespace charm::evaluate
